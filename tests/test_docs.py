"""The documents say what the code does: nothing is missing, nothing is old, every link and every README line works."""

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest
import typer.main
import yaml

import paneward
import paneward.tmux_bridge
from paneward import config
from paneward.core import result
from paneward.core.agent.events import KINDS
from paneward.core.agent.record import Said, Stage, next_stage
from paneward.core.errors import Code
from paneward.core.hosts.host import TRANSITIONS, HostFact, HostState
from paneward.core.profiles import BUILT_IN, Profile, profile_from
from paneward.core.readiness import rules as readiness
from paneward.core.terminal import flow
from paneward.surfaces.cli import EXAMPLES, app
from paneward.surfaces.cli.exits import Exit
from paneward.surfaces.http.access.tokens import May, Role
from paneward.surfaces.http.metrics import METRICS
from scripts import agent_pages, docs

TOP = Path(__file__).resolve().parent.parent
REFERENCE = (TOP / "docs/reference.md").read_text()
STATES = (TOP / "docs/states.md").read_text()
PAGES = [TOP / "README.md", *sorted((TOP / "docs").rglob("*.md")), *sorted((TOP / "changes").glob("*.md"))]
COMMANDS = dict(docs.commands(typer.main.get_command(app)))


@pytest.mark.parametrize("name", docs.PAGES)
def test_the_generated_pages_are_up_to_date(name: str) -> None:
    assert docs.PAGES[name]() == (TOP / "docs" / name).read_text(), "run `make docs`"


def test_what_people_are_told_names_options_as_the_command_line_does() -> None:
    options = "when_busy|draft|startup|as_command|accept_stable|message_id|prompt_pattern|verify_enter|secret|select"
    told = [
        (path.name, word.value)
        for path in sorted((TOP / "src/paneward").rglob("*.py"))
        for word in ast.walk(ast.parse(path.read_text()))
        if isinstance(word, ast.Constant) and isinstance(word.value, str) and not word.value.count("\n")
    ]
    assert [
        one for one in told if re.search(rf"\b({options})=\w|[Ww]ith (select|multi)\b|[Ww]ith text\.", one[1])
    ] == []


# --- everything is there


def section(name: str) -> str:
    """The part of the reference about one command."""
    return REFERENCE.split(f"\n### paneward {name}\n")[1].split("\n##")[0]


def test_every_command_has_an_example_and_nothing_else_has() -> None:
    assert set(EXAMPLES) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_documented_with_a_sentence(name: str) -> None:
    page = section(name)
    for param in COMMANDS[name].params:
        if name != "demo-agent" and param.param_type_name == "option" and param.name != "help":
            assert param.help, param.name
            assert all(f"`{option}" in page for option in param.opts)
            assert param.help.replace("|", r"\|") in page


def test_the_options_of_the_demo_agent_are_documented() -> None:
    assert all(option in section("demo-agent") for option in ("--log", "--busy", "--name", "--speed"))


@pytest.mark.parametrize(
    "key", [f"{section}.{item.name}" for section, kind in config.SECTIONS.items() for item in fields(kind)]
)
def test_every_setting_is_documented(key: str) -> None:
    assert re.search(rf"^\| `{re.escape(key)}` \| `.+` \| \S.* \| \S.* \|$", REFERENCE, re.MULTILINE)


@pytest.mark.parametrize("code", Code)
def test_every_error_code_is_in_the_reference_and_has_its_remedy(code: Code) -> None:
    assert re.search(rf"^\| \[`{code}`\]\(\S+\) \| \d+ \| [45]\d\d \| \S.* \|$", REFERENCE, re.MULTILINE)
    guide = (TOP / "docs/guide/troubleshooting.md").read_text()
    seen, remedy, *_ = guide.split(f"\n### {code}\n")[1].split("\n#")[0].strip().split("\n\n")
    assert seen
    assert remedy


def test_the_guide_names_no_error_code_that_does_not_exist() -> None:
    assert set(docs.troubles()) == set(Code)


@pytest.mark.parametrize("exit", Exit)
def test_every_exit_code_is_documented(exit: Exit) -> None:
    table = REFERENCE.split("## Exit codes")[1].split("##")[0]
    assert re.search(rf"^\| {int(exit)} \| \S.* \|$", table, re.MULTILINE)


@pytest.mark.parametrize("rule", [name for name, _ in readiness.RULES])
def test_every_readiness_rule_is_documented(rule: str) -> None:
    assert re.search(rf"^\| \d+ \| `{rule}` \| \S.* \|$", STATES, re.MULTILINE)


@pytest.mark.parametrize("word", [*result.ReadyVerdict, *result.Verdict, *result.Rung, *flow.Phase])
def test_every_verdict_rung_and_phase_is_documented(word: str) -> None:
    assert re.search(rf"^\| `{word}` \| \S", STATES, re.MULTILINE)


@pytest.mark.parametrize("stage", Stage)
def test_every_state_of_an_agent_is_documented_with_where_it_leads(stage: Stage) -> None:
    assert re.search(rf"^\| `{stage}` \| [^`\-]", STATES, re.MULTILINE)
    [row] = re.findall(rf"^\| `{stage}` \| ((?:`[A-Z_]+`|-) \| .+) \|$", STATES, re.MULTILINE)
    leads = [None if cell == "-" else Stage(cell.strip("`")) for cell in row.split(" | ")]
    assert leads == [next_stage(stage, said) for said in Said]


@pytest.mark.parametrize("state", HostState)
def test_every_state_of_a_host_is_documented_with_where_it_leads(state: HostState) -> None:
    assert re.search(rf"^\| `{state}` \| [^`]", STATES, re.MULTILINE)
    leads = " | ".join(f"`{TRANSITIONS[state][fact]}`" for fact in HostFact)
    assert f"| `{state}` | {leads} |" in STATES
    assert f"| `{state}` | " in (TOP / "docs/guide/hosts.md").read_text()


@pytest.mark.parametrize("kind", KINDS)
def test_every_event_is_documented_with_its_fields(kind: str) -> None:
    [row] = re.findall(rf"^\| `{kind}` \| (\S.+) \|$", STATES, re.MULTILINE)
    assert all(f"`{item.name}`" in row for item in fields(KINDS[kind]))


@pytest.mark.parametrize("name", [*METRICS, *Role, *May])
def test_every_metric_role_and_right_is_documented(name: str) -> None:
    assert re.search(rf"^\| `{name}` \| \S.* \|$", REFERENCE, re.MULTILINE)


def test_every_setting_of_the_guide_exists() -> None:
    keys = {f"{section}.{item.name}" for section, kind in config.SECTIONS.items() for item in fields(kind)}
    for page in (TOP / "docs/guide").glob("*.md"):
        named = re.findall(rf"`((?:{'|'.join(config.SECTIONS)})\.[a-z_]+)`", page.read_text())
        assert set(named) <= keys, page.name


def test_the_configuration_of_the_guide_can_be_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    block, local = re.findall(r"```yaml\n(.*?)```", (TOP / "docs/guide/config.md").read_text(), re.DOTALL)
    (tmp_path / "config.yaml").write_text(block)
    settings = config.load(tmp_path / "config.yaml", {})
    assert (settings.server.port, settings.store.retention_days, settings.tmux_bridge.draft_hold_s) == (9000, 90, 30)
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".paneward.yaml").write_text(local)
    assert config.load(env={}).usage.budget_cost == 20


@pytest.mark.parametrize("field", [item.name for item in fields(Profile) if item.name != "name"])
def test_every_field_of_a_profile_is_documented(field: str) -> None:
    assert re.search(rf"^\| `{field}` \| `.*` \| \S.* \|$", REFERENCE, re.MULTILINE)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_profile_is_documented(name: str) -> None:
    assert f"| `{name}` | {BUILT_IN[name].about} |" in REFERENCE


@pytest.mark.parametrize("profile", [one for one in BUILT_IN.values() if one.launch], ids=lambda one: one.name)
def test_every_agent_has_a_page_that_says_all_and_is_reached_from_the_readme(profile: Profile) -> None:
    page = (TOP / "docs/agents" / f"{profile.name}.md").read_text()
    heads = ("What works", "How Paneward reads it", "Texts", "Keys", "Known limits", "Override")
    assert [head for head in heads if f"\n## {head}\n" not in page] == []
    assert all(version in page for version in profile.versions)
    assert page.count("<!-- from the profile: ") == page.count("<!-- end -->") == 5
    assert f"(docs/agents/{profile.name}.md)" in (TOP / "README.md").read_text()


def test_what_a_page_says_of_a_profile_changes_with_it(tmp_path: Path) -> None:
    page = tmp_path / "claude.md"
    page.write_text("before\n<!-- from the profile: versions -->\nold\n<!-- end -->\nafter\n")
    filled = agent_pages.filled(page, replace(BUILT_IN["claude"], versions=("9.9.9",)))
    assert filled.startswith("before\n<!-- from the profile: versions -->\nProven on 9.9.9.")
    assert filled.endswith("<!-- end -->\nafter\n")
    assert "old" not in filled


def test_the_row_that_the_index_of_the_agents_shows_can_be_loaded() -> None:
    text = (TOP / "docs/agents/README.md").read_text()
    blocks = [re.sub(r"(?m)^   ", "", block) for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)]
    rows = yaml.safe_load(blocks[1])
    assert profile_from("claude", rows["claude"]).versions[-1] == "2.1.400"


def test_every_variable_that_the_code_reads_is_documented() -> None:
    sources = "\n".join(path.read_text() for path in (TOP / "src").rglob("*.py"))
    named = set(re.findall(r"PANEWARD_[A-Z]+(?:_[A-Z]+)*", sources)) | set(re.findall(r"XDG_\w+", sources))
    built = {f"PANEWARD_{name}" for name in re.findall(r"\{PREFIX\}([A-Z_]+)", sources)}
    assert {name for name in named | built if "__" not in name} <= set(docs.VARIABLES)


# --- what is written holds


def links() -> Iterator[tuple[Path, str]]:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            if "://" not in target:
                yield page, target


def anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head).strip().lower().replace(" ", "-") for head in heads}


def test_every_relative_link_leads_somewhere() -> None:
    for page, target in links():
        name, _, anchor = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        assert there.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in anchors(there), f"{page.name}: {target}"


def test_the_map_of_the_design_names_every_module() -> None:
    text = (TOP / "docs/design.md").read_text()
    package = TOP / "src/paneward"
    places = [*package.iterdir(), *(package / "core").iterdir(), *(package / "adapters").iterdir()]
    names = {path.name for path in places if path.suffix == ".py" or (path / "__init__.py").exists()} - {"__init__.py"}
    assert {name for name in names if name not in text} == set()


def test_the_profiles_of_the_guide_can_be_loaded() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", (TOP / "docs/guide/profiles.md").read_text(), re.DOTALL)
    rows = yaml.safe_load(blocks[1])
    assert [profile_from(name, row).name for name, row in rows.items()] == list(rows)


@pytest.mark.parametrize("page", ["library.md", "llm-tool.md"])
def test_the_programs_of_the_guide_use_what_there_is(page: str) -> None:
    for program in re.findall(r"```python\n(.*?)```", (TOP / "docs/guide" / page).read_text(), re.DOTALL):
        compile(program, page, "exec")
        assert set(re.findall(r"\bpaneward\.([A-Za-z]\w*)", program)) <= set(paneward.__all__)
        assert all(hasattr(paneward.Connection, verb) for verb in re.findall(r"\btmux\.(\w+)\(", program))
        assert all(hasattr(paneward.tmux_bridge, name) for name in re.findall(r"\btmux_bridge\.(\w+)\(", program))


def documented_lines() -> Iterator[tuple[str, str]]:
    """Each `paneward …` in the examples of the documents: its command, and the words after it."""
    before = r"(?:--json |-[LS] \S+ |--(?:host|config) \S+ )*"
    for page in PAGES:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL):
            yield from re.findall(rf"\bpaneward {before}([a-z-]\S*)([^\n&|]*)", block)


def test_every_command_and_option_in_the_documents_exists() -> None:
    options = {option for command in COMMANDS.values() for param in command.params for option in param.opts}
    own = {"--busy", "--log", "--name", "--speed"}
    for command, rest in documented_lines():
        assert command in COMMANDS
        assert set(re.findall(r"(?<=\s)--[a-z][a-z-]*", rest)) <= options | own


# --- the README is run


@pytest.fixture
def home(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An environment in which the README's own tmux server is ours."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "tmux").symlink_to(Path(os.environ.get("PANEWARD_TEST_TMUX", "/usr/bin/tmux")).resolve())
    path = f"{tools}:{Path(sys.executable).parent}:/usr/bin:/bin"
    env = {"PATH": path, "HOME": str(tmp_path), "TMUX_TMPDIR": str(tmp_path), "LANG": "C.UTF-8", "TERM": "xterm"}
    env["PANEWARD_SERVER__PORT"] = "0"  # somebody may have a server at the usual one
    yield env
    subprocess.run(["paneward", "down"], env=env, capture_output=True, check=False)
    subprocess.run(["tmux", "kill-server"], env=env, capture_output=True, check=False)


def readme_lines() -> list[tuple[str, int]]:
    """Each command of the README with the exit code it says."""
    text = (TOP / "README.md").read_text()
    lines = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    return [(line.partition("#")[0], int(*re.findall(r"# exit code (\d+)", line) or [0])) for line in lines]


def test_each_line_of_the_readme_runs_and_so_does_its_program(home: dict[str, str]) -> None:
    for line, code in readme_lines():
        done = subprocess.run(
            shlex.split(line), env=home, cwd=home["HOME"], capture_output=True, text=True, check=False, timeout=90
        )
        assert done.returncode == code, f"{line}: {done.stdout}{done.stderr}"
    [program] = re.findall(r"```python\n(.*?)```", (TOP / "README.md").read_text(), re.DOTALL)
    ran = subprocess.run([sys.executable, "-c", program], env=home, capture_output=True, text=True, check=False)
    said = r"True confirmed submitted the composer is empty again\b.*\nready composer\n"
    assert re.fullmatch(said, ran.stdout), ran.stdout + ran.stderr
