"""Settings from the file and the environment, and what is said when they are wrong."""

import os
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import get_type_hints

import pytest
from pydantic import TypeAdapter

from paneward.config import SECTIONS, Settings, find_file, load, profiles_of, state_dir
from paneward.config.values import plainly
from paneward.core.errors import Code, InvalidInput, StoreError
from paneward.core.profiles import BUILT_IN, Profile, Typing, choose
from paneward.core.terminal.scene import ProcessFacts, Snapshot


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def refusal(text: str | bytes, env: Mapping[str, str] | None = None) -> InvalidInput:
    path = Path("broken.yaml")
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(InvalidInput) as caught:
        load(path, env or {})
    assert caught.value.code is Code.CONFIG_INVALID
    return caught.value


def test_config_values() -> None:
    bridge = Settings().tmux_bridge
    assert bridge.text_enter_delay_ms == 120
    assert bridge.clear_delay_ms == 200
    assert bridge.max_enter_retries == 3
    assert bridge.subprocess_timeout == 5
    assert bridge.sequential_send_delay_ms == 150
    assert bridge.health_check_interval == 30
    assert bridge.draft_hold_s == 10


def test_the_server_listens_at_this_machine_alone_unless_told_otherwise() -> None:
    server, store = Settings().server, Settings().store
    assert (server.host, server.port, server.allowed_hosts, server.insecure_bind) == ("127.0.0.1", 8474, (), False)
    assert (server.tls_certificate, server.tls_key) == (None, None)
    assert (store.url, store.retention_days) == (None, 30)


def test_without_file_and_variables_the_settings_are_the_defaults(tmp_path: Path) -> None:
    settings = load(env={"HOME": str(tmp_path)})
    assert settings == Settings()
    assert set(settings.origins.values()) == {"default"}
    assert "tmux_bridge.draft_hold_s" in settings.origins


def test_the_defaults_read_no_file() -> None:
    written(Path("config.yaml"), "tmux: {binary: other}")
    assert Settings().tmux.binary == "tmux"


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Settings().tmux.binary = "other"  # type: ignore[misc]


def test_the_file_overrides_defaults_and_the_environment_overrides_the_file() -> None:
    written(
        Path("config.yaml"), "tmux_bridge:\n  max_enter_retries: 5\n  clear_delay_ms: 1\nreadiness:\n  timeout: 2\n"
    )
    env = {"PANEWARD_TMUX_BRIDGE__CLEAR_DELAY_MS": "7", "PANEWARD_READINESS__ACCEPT_STABLE": "true"}
    settings = load("config.yaml", env)
    assert (settings.tmux_bridge.max_enter_retries, settings.tmux_bridge.clear_delay_ms) == (5, 7)
    assert (settings.readiness.timeout, settings.readiness.accept_stable) == (2.0, True)
    assert settings.origins["tmux_bridge.max_enter_retries"] == "config.yaml, line 2"
    assert settings.origins["tmux_bridge.clear_delay_ms"] == "PANEWARD_TMUX_BRIDGE__CLEAR_DELAY_MS"
    assert settings.origins["tmux.binary"] == "default"


def test_the_file_is_searched_in_the_documented_order(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    assert find_file(None, env) is None
    user = written(tmp_path / ".config/paneward/config.yaml", "")
    assert find_file(None, env) == user
    xdg = written(tmp_path / "xdg/paneward/config.yaml", "")
    assert find_file(None, {**env, "XDG_CONFIG_HOME": str(tmp_path / "xdg")}) == xdg
    assert find_file(None, {**env, "XDG_CONFIG_HOME": "relative"}) == user
    written(Path("config.yaml"), "")  # of the working directory: somebody else's
    assert find_file(None, env) == user
    assert find_file(None, {**env, "PANEWARD_CONFIG": "named.yaml"}) == Path("named.yaml")
    assert find_file("given.yaml", {**env, "PANEWARD_CONFIG": "named.yaml"}) == Path("given.yaml")


@pytest.mark.parametrize("text", ["", "# nothing\n", "tmux:\n", "tmux: {}\nreadiness:\n"])
def test_an_empty_file_or_section_changes_nothing(text: str) -> None:
    assert load(written(Path("given.yaml"), text), {}) == Settings()


@pytest.mark.parametrize(
    ("text", "seen", "allowed"),
    [
        ("tmux:\n  binry: x", "broken.yaml, line 2: unknown key tmux.binry", "binary, link_foreign, transport"),
        ("servr: {}", "broken.yaml, line 1: unknown section 'servr'", "tmux, tmux_bridge, readiness, "),
        ("supervisor: {}", "unknown section 'supervisor'", "--config"),
        ("origins: {}", "unknown section 'origins'", "tmux"),
        ("tmux: {transport: pigeon}", "tmux.transport: 'pigeon'", "control, exec"),
        ("tmux: {link_foreign: 1}", "tmux.link_foreign: 1", "true, false"),
        ("tmux: {binary: ''}", "tmux.binary: ''", "a text that is not empty"),
        ("tmux: {binary: 3}", "tmux.binary: 3", "a text"),
        ("tmux_bridge: {max_enter_retries: lots}", "'lots'", "a whole number from 0 up to 20"),
        ("tmux_bridge: {max_enter_retries: '3'}", "'3'", "a whole number"),
        ("tmux_bridge: {max_enter_retries: true}", "True", "a whole number"),
        ("tmux_bridge: {max_enter_retries: 21}", "21", "up to 20"),
        ("tmux_bridge: {clear_delay_ms: -1}", "-1", "from 0 up to 60000"),
        ("tmux_bridge: {clear_delay_ms: 1.5}", "1.5", "a whole number"),
        ("tmux_bridge: {subprocess_timeout: 0}", "subprocess_timeout: 0", "a number above 0 up to 86400"),
        ("tmux_bridge: {subprocess_timeout: .nan}", "nan", "a number above 0"),
        ("tmux_bridge: {draft_hold_s: .inf}", "inf", "up to 86400"),
        ("tmux_bridge: {draft_hold_s: }", "None", "a number"),
        ("readiness: {prompt_pattern: '['}", "readiness.prompt_pattern: '['", "regular expression"),
        ("profiles: {file: 3}", "profiles.file: 3", "a text or null"),
        ("server:\n  prot: 1", "broken.yaml, line 2: unknown key server.prot", "max_streams, port, rate_per_second"),
        ("server: {port: 65536}", "server.port: 65536", "a whole number from 0 up to 65535"),
        ("server: {host: ''}", "server.host: ''", "a text that is not empty"),
        ("server: {allowed_hosts: proxy}", "server.allowed_hosts: 'proxy'", "a list of texts, none of them empty"),
        ("server: {allowed_hosts: [a, '']}", "['a', '']", "none of them empty"),
        ("server: {allowed_hosts: [1]}", "[1]", "a list of texts"),
        ("server: {rate_per_second: 0}", "server.rate_per_second: 0", "a number above 0"),
        ("server: {max_body_bytes: 10}", "server.max_body_bytes: 10", "a whole number from 1024"),
        ("server: {log: xml}", "server.log: 'xml'", "text, json"),
        ("server: {insecure_bind: 'yes'}", "server.insecure_bind: 'yes'", "true, false"),
        ("store: {retention_days: 0}", "store.retention_days: 0", "a number above 0"),
        ("store: {url: 3}", "store.url: 3", "a text or null"),
        ("tmux: [a]", "tmux: ['a']", "a mapping of keys"),
        ("just words", "'just words'", "a mapping of names"),
        ("1: {}", "the key 1 is no text", "quotes"),
        ("tmux: {binary: a}\ntmux: {binary: b}", "line 2: 'tmux' stands there twice", "one of the two"),
        ("tmux:\n  binary: a\n  binary: b", "line 3: 'binary' stands there twice", "one of the two"),
        ("tmux:\n\tbinary: a", "broken.yaml, line 2: not YAML", "Mend"),
        ("a: 2001-99-99", "broken.yaml: not YAML", "Mend"),
        (b"tmux: \xff", "not UTF-8", "UTF-8"),
        (b"tmux: \x00", "not YAML", "Mend"),
    ],
)
def test_what_is_wrong_is_named_with_its_place_and_what_is_allowed(text: str | bytes, seen: str, allowed: str) -> None:
    error = refusal(text)
    assert "broken.yaml" in error.message
    assert seen in error.message
    assert allowed in error.hint


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("PANEWARD_TMUX__BINRY", "x", "binary"),
        ("PANEWARD_NOTHING__KEY", "x", "tmux_bridge"),
        ("PANEWARD_TMUX_BRIDGE__CLEAR_DELAY_MS", "soon", "a whole number from 0 up to 60000"),
        ("PANEWARD_READINESS__ACCEPT_STABLE", "perhaps", "true, false"),
        ("PANEWARD_TMUX__TRANSPORT", "", "control, exec"),
        ("PANEWARD_SERVER__PORT", "http", "a whole number from 0 up to 65535"),
        ("PANEWARD_SERVER__ALLOWED_HOSTS", "a,,b", "a list of texts, none of them empty"),
        ("PANEWARD_USAGE__BUDGET_TOKENS", "0", "a whole number from 1 up to 1000000000000000 or null"),
        ("PANEWARD_USAGE__CONTEXT_LEFT_BELOW", "0.2", "a whole number from 1 up to 100 or null"),
        ("PANEWARD_USAGE__PRICES", "gpt-5 1", "a list of texts, each `MODEL IN OUT [CACHED [KEPT]]`"),
        ("PANEWARD_USAGE__WINDOWS", "gpt-5 many", "a list of texts, each `MODEL TOKENS`"),
    ],
)
def test_a_wrong_variable_is_named(name: str, value: str, allowed: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        load(env={name: value})
    assert caught.value.message.startswith(f"{name}: ")
    assert allowed in caught.value.hint


@pytest.mark.parametrize(
    ("value", "hosts"),
    [("", ()), (" ", ()), ("proxy", ("proxy",)), ("a.example, b.example", ("a.example", "b.example"))],
)
def test_a_variable_holds_several_texts_with_commas_between_them(value: str, hosts: tuple[str, ...]) -> None:
    assert load(env={"PANEWARD_SERVER__ALLOWED_HOSTS": value}).server.allowed_hosts == hosts


def test_a_budget_may_be_none() -> None:
    assert load(env={"PANEWARD_USAGE__BUDGET_TOKENS": "null"}).usage.budget_tokens is None
    assert load(env={"PANEWARD_USAGE__BUDGET_COST": "2.5"}).usage.budget_cost == 2.5
    assert load(env={"PANEWARD_USAGE__PRICES": "a 1 2, b* 3 4 5"}).usage.prices == ("a 1 2", "b* 3 4 5")


def test_a_file_holds_several_texts_as_a_list() -> None:
    config = written(Path("given.yaml"), "server:\n  allowed_hosts: [a.example, b.example]\n")
    assert load(config, {}).server.allowed_hosts == ("a.example", "b.example")


def test_a_certificate_is_looked_for_beside_the_file_that_names_it() -> None:
    config = written(Path("sub/given.yaml"), "server: {tls_certificate: cert.pem, tls_key: ~/key.pem}")
    server = load(config, {}).server
    assert server.tls_certificate == str(Path("sub/cert.pem").absolute())
    assert server.tls_key == str(Path("~/key.pem").expanduser())


def test_other_variables_are_no_settings() -> None:
    env = {"PANEWARD_STATE_DIR": "x", "PANEWARD_TOKEN_FILE": "y", "OTHER__KEY": "z"}
    assert load(env=env) == Settings()


@pytest.mark.parametrize("env", [{"PANEWARD_CONFIG": "missing.yaml"}])
def test_a_file_that_was_asked_for_must_be_there(env: Mapping[str, str]) -> None:
    with pytest.raises(InvalidInput, match=r"missing\.yaml, which PANEWARD_CONFIG names: No such file"):
        load(env=env)
    with pytest.raises(InvalidInput, match=r"gone\.yaml, which --config names: No such file"):
        load("gone.yaml", env)


def test_dev_null_is_an_empty_file(tmp_path: Path) -> None:
    written(tmp_path / ".config/paneward/config.yaml", "tmux: {binary: other}")
    assert load(env={"HOME": str(tmp_path)}).tmux.binary == "other"
    assert load(env={"HOME": str(tmp_path), "PANEWARD_CONFIG": "/dev/null"}) == Settings()


# --- profiles


def with_profiles(text: str) -> Mapping[str, Profile]:
    written(Path("sub/own.yaml"), text)
    config = written(Path("sub/config.yaml"), "profiles:\n  file: own.yaml\n")
    return profiles_of(load(config, {}))


def broken_profiles(text: str) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        with_profiles(text)
    assert caught.value.code is Code.CONFIG_INVALID
    return caught.value


def test_without_a_file_the_profiles_are_the_built_in_ones() -> None:
    assert profiles_of(Settings()) is BUILT_IN


def test_own_profiles_override_extend_and_come_first_and_generic_is_last() -> None:
    profiles = with_profiles(
        "generic: {settle: 0.5}\n"
        "mine:\n  match: ['^mytool']\n  typing: paste\n"
        "yours: {extends: mine, settle: 1}\n"
        "demo: {wait_timeout: 5}\n"
    )
    assert list(profiles) == [
        "mine",
        "yours",
        "demo",
        *(name for name in BUILT_IN if name not in ("demo", "generic")),
        "generic",
    ]
    assert (profiles["generic"].settle, profiles["demo"].wait_timeout) == (0.5, 5.0)
    assert (profiles["yours"].match, profiles["yours"].typing) == (("^mytool",), Typing.PASTE)
    assert profiles["demo"].busy == BUILT_IN["demo"].busy


def test_an_own_profile_is_chosen_before_a_built_in_one() -> None:
    profiles = with_profiles("mysh: {match: ['^bash']}")
    snapshot = Snapshot("%1", (), 80, 24, 0, 0)
    assert choose(snapshot, ProcessFacts("bash", "bash -i"), profiles).name == "mysh"
    assert choose(snapshot, ProcessFacts("zsh", "zsh"), profiles).name == "shell"


def test_an_empty_row_is_a_copy_of_generic() -> None:
    assert with_profiles("mine:\n")["mine"].floor


@pytest.mark.parametrize(
    ("text", "seen", "hint"),
    [
        ("mine:\n  setle: 1", "own.yaml, line 2: profile 'mine': unknown key 'setle'", "settle"),
        ("mine:\n  about: x\n  settle: soon", "own.yaml, line 3: profile 'mine', key 'settle': 'soon'", "float"),
        ("mine:\n  typing: loud", "line 2: profile 'mine', key 'typing': 'loud'", "keys, paste, auto"),
        ("mine:\n  match: ['[']", "line 2: profile 'mine', key 'match': '[' is not a pattern", "re"),
        ("mine:\n  extends: nobody", "line 2: profile 'mine': no profile is called 'nobody'", "generic"),
        ("mine:\n  submit: [Return]", "line 2: profile 'mine': 'Return' is no key", "Enter"),
        ("mine:\n  submit: []", "line 2: profile 'mine': key 'submit': []", "at least one"),
        ("mine: 3", "own.yaml, line 1: mine: 3", "a mapping of keys"),
        ("- a", "own.yaml: ['a']", "a mapping of names"),
        ("mine: {", "own.yaml, line 1: not YAML", "Mend"),
        ("mine: {}\nmine: {}", "line 2: 'mine' stands there twice", "one"),
    ],
)
def test_a_broken_profiles_file_is_one_clear_error(text: str, seen: str, hint: str) -> None:
    error = broken_profiles(text)
    assert seen in error.message
    assert "own.yaml" in error.message
    assert hint in error.hint


def test_a_literal_carriage_return_is_a_submit_key() -> None:
    assert with_profiles("mine: {submit: [CR]}")["mine"].submit == ("CR",)


def test_a_missing_profiles_file_names_where_it_was_asked_for() -> None:
    settings = load(env={"PANEWARD_PROFILES__FILE": "gone.yaml"})
    with pytest.raises(InvalidInput, match=r"gone\.yaml, which profiles\.file \(PANEWARD_PROFILES__FILE\) names"):
        profiles_of(settings)


def test_the_profiles_file_of_the_config_can_be_switched_off_by_a_variable() -> None:
    config = written(Path("given.yaml"), "profiles: {file: own.yaml}")
    assert load(config, {}).profiles.file == str(Path("own.yaml").absolute())
    assert load(config, {"PANEWARD_PROFILES__FILE": ""}).profiles.file is None


# --- the state directory


def test_the_state_directory_follows_the_variables_and_is_private(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    assert state_dir(home) == tmp_path / ".local/state/paneward"
    assert state_dir({**home, "XDG_STATE_HOME": str(tmp_path / "xdg")}) == tmp_path / "xdg/paneward"
    assert state_dir({**home, "XDG_STATE_HOME": "relative"}) == tmp_path / ".local/state/paneward"
    named = state_dir({**home, "PANEWARD_STATE_DIR": str(tmp_path / "named")})
    assert named == tmp_path / "named"
    assert stat.S_IMODE(named.stat().st_mode) == 0o700
    assert state_dir({**home, "PANEWARD_STATE_DIR": "here"}).is_absolute()


def test_a_directory_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir(mode=0o755)
    (tmp_path / "mine").chmod(0o755)
    assert stat.S_IMODE(state_dir({"PANEWARD_STATE_DIR": str(tmp_path / "mine")}).stat().st_mode) == 0o755


def test_a_state_directory_that_cannot_be_made_is_a_clear_error() -> None:
    with pytest.raises(StoreError, match="cannot make the state directory /proc/paneward") as caught:
        state_dir({"PANEWARD_STATE_DIR": "/proc/paneward"})
    assert "PANEWARD_STATE_DIR" in caught.value.hint


def test_the_defaults_cost_no_heavy_import() -> None:
    code = (
        "import sys, paneward.config as c; c.profiles_of(c.Settings()); print({'pydantic', 'yaml'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stdout == "set()\n"


@pytest.mark.parametrize("value", [None, True, 0, 7, 1.5, "", "tmux", "exec", "text", "café", "\ud800", (), ("a",), {}])
def test_what_is_plainly_right_is_so_for_pydantic_too(value: object) -> None:
    hints = [hint for kind in SECTIONS.values() for hint in get_type_hints(kind, include_extras=True).values()]
    right = [hint for hint in hints if plainly(value, hint)]
    assert [TypeAdapter(hint).validate_python(value, strict=True) for hint in right] == [value] * len(right)


def test_plain_values_cost_no_heavy_import(tmp_path: Path) -> None:
    code = "import sys, paneward.config as c; assert c.load().tmux.binary == 'tmux-x'; print('pydantic' in sys.modules)"
    env = {"HOME": str(tmp_path), "PANEWARD_TMUX__BINARY": "tmux-x", "PANEWARD_READINESS__TIMEOUT": "20"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
