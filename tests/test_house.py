"""The house around the code: the contracts name everything, and the guards see what they are there to see."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts import addresses, measures

TOP = Path(__file__).resolve().parent.parent
SETTINGS = tomllib.loads((TOP / "pyproject.toml").read_text())


def layers() -> set[str]:
    contract = SETTINGS["tool"]["importlinter"]["contracts"][0]
    return {name for layer in contract["layers"] for name in re.findall(r"\w+", layer)}


def top_level_modules() -> set[str]:
    found = (TOP / "src/paneward").iterdir()
    return {path.stem for path in found if path.suffix == ".py" or (path / "__init__.py").is_file()} - {"__init__"}


def findings(rule: measures.Rule, text: str, path: str = "src/paneward/core/x.py") -> list[str]:
    return [finding.words for finding in rule(measures.parse(path, text))]


def test_a_folder_with_too_many_modules_is_found() -> None:
    names = [f"src/paneward/core/room/{name}.py" for name in ("__init__", *map(str, range(16)))]
    sources = [measures.parse(name, "") for name in names]
    assert [str(found) for found in measures.crowded_folders(sources)] == [
        "src/paneward/core/room:0: the folder has 16 modules, more than 15"
    ]
    assert list(measures.crowded_folders(sources[:-1])) == []


def test_two_classes_of_one_name_are_found() -> None:
    one = measures.parse("src/paneward/core/one.py", "class Place: ...\nclass _Own: ...\nclass Clock: ...\n")
    other = measures.parse("src/paneward/store/other.py", "class _Own: ...\nclass Clock: ...\nclass Place: ...\n")
    assert [str(found) for found in measures.shared_names([one, other])] == [
        "src/paneward/store/other.py:3: Place is a class of src/paneward/core/one.py too"
    ]


def test_every_top_level_module_stands_in_the_import_contract() -> None:
    assert top_level_modules() - layers() == set()


def test_the_core_is_forbidden_every_module_that_acts() -> None:
    contract = SETTINGS["tool"]["importlinter"]["contracts"][1]
    acting = {"asyncio", "datetime", "logging", "os", "pathlib", "random", "socket", "sqlite3", "subprocess"}
    assert contract["source_modules"] == ["paneward.core"]
    assert set(contract["forbidden_modules"]) >= acting | {"threading", "time"}


def test_the_lock_pins_every_dependency_and_nothing_but_names_and_versions() -> None:
    lines = [line for line in (TOP / "requirements.lock").read_text().splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    project = SETTINGS["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"] + SETTINGS["build-system"]["requires"]
    assert {canonical(name) for name in wanted} - {canonical(line) for line in lines} == set()


def canonical(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[<>=!~\[ ;]", requirement)[0]).lower()


def test_make_without_a_target_lists_every_documented_target() -> None:
    shown = subprocess.run(["make"], cwd=TOP, capture_output=True, text=True, check=True).stdout
    named = set(re.findall(r"^  make ([\w-]+)", shown, re.MULTILINE))
    assert named >= {"run", "test", "test-real", "prove", "prove-tmux", "setup", "fmt", "check", "bench", "docs"}


def test_every_target_of_the_makefile_is_phony() -> None:
    text = (TOP / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z][\w-]*):", text, re.MULTILINE))
    assert targets - set(" ".join(re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)).split()) == set()


@pytest.mark.parametrize("script", ["setup", "lock", "bare-machine", "tmux-versions", "install-check"])
def test_every_script_parses_and_can_be_run(script: str) -> None:
    path = TOP / "scripts" / script
    assert os.access(path, os.X_OK)
    subprocess.run(["bash", "-n", str(path)], check=True)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may enter and write, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="paneward-house-") as name:
        Path(name).chmod(0o777)
        yield Path(name)


def test_setup_names_the_packages_when_it_may_not_install_them(open_folder: Path) -> None:
    """An ordinary user on a machine with neither tmux nor sudo: PATH holds only what setup itself runs."""
    (open_folder / "scripts").mkdir()
    shutil.copy(TOP / "scripts/setup", open_folder / "scripts")
    (open_folder / "bin").mkdir()
    for name in ("bash", "cat", "dirname", "flock", "sha256sum", "apt-get"):
        (open_folder / "bin" / name).symlink_to(f"/usr/bin/{name}")
    as_nobody = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    environment = {"PATH": str(open_folder / "bin"), "PYTHON": sys.executable}
    command = [*as_nobody, "/usr/bin/env", "bash", "scripts/setup"]
    done = subprocess.run(command, cwd=open_folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "missing: tmux (package tmux), the panes Paneward works in" in done.stdout
    assert "not root, and no sudo on this machine" in done.stderr
    assert re.search(r"install by hand, then try again: tmux\b", done.stderr)


def test_a_function_over_sixty_lines_is_found() -> None:
    body = "    pass\n"
    assert findings(measures.long_functions, "def f():\n" + body * 59) == []
    assert findings(measures.long_functions, "def f():\n" + body * 60) == ["f has 61 lines, more than 60"]


def test_a_file_over_four_hundred_lines_is_found() -> None:
    assert findings(measures.long_file, "x = 1\n" * 400) == []
    assert findings(measures.long_file, "x = 1\n" * 401) == ["the file has 401 lines, more than 400"]


@pytest.mark.parametrize(
    "text",
    [
        "import time\ntime.sleep(1)",
        "import time as t\nt.monotonic()",
        "from time import sleep as nap\nnap(1)",
        "import time\ndef f(now=time.monotonic): ...",
        "import asyncio\nasync def f(): await asyncio.sleep(0)",
        "import asyncio\nasyncio.get_running_loop().time()",
        "def f(loop): return loop.time()",
        "from datetime import datetime\ndatetime.now()",
        "import datetime\ndatetime.datetime.now()",
    ],
)
def test_a_clock_read_is_found_whatever_it_is_called(text: str) -> None:
    assert len(findings(measures.clock_reads, text)) == 1
    assert findings(measures.clock_reads, text, "src/paneward/adapters/clock.py") == []


@pytest.mark.parametrize("text", ["def f(clock): return clock.time()", "def f(x): return x.sleep(1)", "import time"])
def test_the_clock_port_and_other_names_are_no_clock_reads(text: str) -> None:
    assert findings(measures.clock_reads, text) == []


def test_the_store_may_stamp_with_the_wall_clock_and_read_no_other() -> None:
    stamp, read = "from datetime import datetime\ndatetime.now()", "import time\ntime.monotonic()"
    assert findings(measures.clock_reads, stamp, "src/paneward/store.py") == []
    assert len(findings(measures.clock_reads, read, "src/paneward/store.py")) == 1


def test_a_possessive_group_is_found_and_a_possessive_class_is_not() -> None:
    assert len(findings(measures.possessive_groups, 'x = r"(?:a|b)*+c"')) == 1
    assert len(findings(measures.possessive_groups, 'x = rb"(a|b){2,}+c"')) == 1
    assert findings(measures.possessive_groups, r'x = r"[ab]*+\)*+(?>(?:a|b)*)c"') == []


def test_an_own_import_inside_a_function_is_found_outside_the_lazy_places() -> None:
    text = "def f():\n    from paneward.core import screen\n"
    assert findings(measures.late_imports, text) == ["f imports paneward.core inside itself"]
    assert findings(measures.late_imports, "def f():\n    from . import screen\n") == [
        "f imports paneward inside itself"
    ]
    assert findings(measures.late_imports, "def f():\n    import json\n") == []
    assert findings(measures.late_imports, text, "src/paneward/surfaces/cli.py") == []
    assert findings(measures.late_imports, text, "src/paneward/__init__.py") != []
    assert findings(measures.late_imports, text.replace("f()", "__getattr__(name)"), "src/paneward/__init__.py") == []


def test_an_address_of_a_registry_and_a_path_of_the_machine_are_found() -> None:
    pattern = addresses.forbidden(Path("/some/where"))
    registry = "pypi" + ".org"
    text = f"a\nhttps://{registry}/simple\ncd /some/where/else\n/not/some/where\n/some/wherever\n"
    found = [line.split(":")[1] for line in addresses.findings("x", text, pattern)]
    assert found == ["2", "3"]


def test_the_hosts_of_an_index_are_read_without_user_or_port() -> None:
    assert addresses.hosts("index-url = https://me:secret@wheels.example.net:8443/simple") == {"wheels.example.net"}
