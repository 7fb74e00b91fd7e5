"""The measures the code is held to, printed; those that are never to be broken end in exit code 1.

Shape: functions over parsed source. A function's length is all its lines, from `def` to its last. Surprise: what looks
like a clock read may be any method called `time`, so only names that come from `time`, `asyncio` and `datetime`, and
`.time()` of something called a loop, count.
"""

import ast
import re
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

OWN = "paneward"
LONGEST_FUNCTION = 60
LONGEST_FILE = 400
LARGEST_FOLDER = 15
MEDIAN_FUNCTION = 7
NINTH_DECILE_FUNCTION = 30
TESTS_TO_CODE = (1.0, 1.5)

CLOCK_NAMES = {
    *(f"time.{name}" for name in ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns")),
    *("time.sleep", "asyncio.sleep"),
    *("datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.date.today"),
}
# The adapter is where the clock is; the demo agent is a program of its own, in its own process, of the stdlib alone.
CLOCK_PLACES = ("adapters/clock.py", "demo/agent.py")
# The store stamps what it keeps with the wall clock, which is for people; how old it is, its timeline decides.
WALL_CLOCK_PLACES = ("store.py", "store/")
# A command line pays for what it imports, so the command that needs a heavy part imports it.
LAZY_PLACES = ("__main__.py", "client", "surfaces/cli", "surfaces/server")

# One thing under one name on two floors: a port and what stands behind it; a list as written and as shown.
SAME_THING = frozenset(
    {"AgentList", "Casts", "Clock", "Device", "Devices", "HostList", "PaneList", "RecordingList", "Spool", "Tape"}
    | {"Transcripts"}
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Source:
    path: str  # below the repository
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    @property
    def written_lines(self) -> int:
        return sum(bool(line.strip()) for line in self.text.splitlines())


@dataclass(frozen=True, slots=True)
class Finding:
    path: str
    line: int
    words: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.words}"


Rule = Callable[[Source], Iterator[Finding]]


def parse(path: str, text: str) -> Source:
    return Source(path, text, ast.parse(text, path))


def read(top: Path, *folders: str) -> list[Source]:
    files = [file for folder in folders for file in sorted((top / folder).rglob("*.py"))]
    return [parse(str(file.relative_to(top)), file.read_text()) for file in files]


def functions(source: Source) -> Iterator[Function]:
    return (node for node in ast.walk(source.tree) if isinstance(node, Function))


def length(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def long_functions(source: Source) -> Iterator[Finding]:
    for function in functions(source):
        if length(function) > LONGEST_FUNCTION:
            words = f"{function.name} has {length(function)} lines, more than {LONGEST_FUNCTION}"
            yield Finding(source.path, function.lineno, words)


def long_file(source: Source) -> Iterator[Finding]:
    if source.lines > LONGEST_FILE:
        yield Finding(source.path, source.lines, f"the file has {source.lines} lines, more than {LONGEST_FILE}")


def modules(code: list[Source]) -> Counter[str]:
    """How many modules each folder holds."""
    return Counter(source.path.rpartition("/")[0] for source in code if not source.path.endswith("/__init__.py"))


def crowded_folders(code: list[Source]) -> Iterator[Finding]:
    for folder, count in modules(code).items():
        if count > LARGEST_FOLDER:
            yield Finding(folder, 0, f"the folder has {count} modules, more than {LARGEST_FOLDER}")


def shared_names(code: list[Source]) -> Iterator[Finding]:
    """Public classes of one name in two modules: a reader has to know which one is meant."""
    homes: dict[str, str] = {}
    for source in code:
        for node in source.tree.body:
            if not isinstance(node, ast.ClassDef) or node.name.startswith("_") or node.name in SAME_THING:
                continue
            if homes.setdefault(node.name, source.path) != source.path:
                yield Finding(source.path, node.lineno, f"{node.name} is a class of {homes[node.name]} too")


def imported_modules(node: ast.AST) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=module, level=0):
            return [module or ""]
        case ast.ImportFrom():
            return [OWN]
    return []


def late_imports(source: Source) -> Iterator[Finding]:
    """Own modules imported inside a function: they hide a cycle, or a dependency that points up."""
    place = below_package(source)
    if place.startswith(LAZY_PLACES):
        return
    for function in functions(source):
        if place.endswith("__init__.py") and function.name == "__getattr__":
            continue
        for node in ast.walk(function):
            for module in imported_modules(node):
                if module.partition(".")[0] == OWN:
                    yield Finding(source.path, function.lineno, f"{function.name} imports {module} inside itself")


def below_package(source: Source) -> str:
    return source.path.removeprefix(f"src/{OWN}/")


def bindings(tree: ast.Module) -> dict[str, str]:
    """What each imported name of a module stands for: `from time import sleep as nap` gives nap: time.sleep."""
    bound: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                bound |= {alias.asname or alias.name: alias.name for alias in names}
            case ast.ImportFrom(module=str(module), names=names, level=0):
                bound |= {alias.asname or alias.name: f"{module}.{alias.name}" for alias in names}
    return bound


def meaning(node: ast.expr, bound: dict[str, str]) -> str:
    """The dotted name an expression stands for, or "" for what has none."""
    match node:
        case ast.Name(id=name):
            return bound.get(name, "")
        case ast.Attribute(value=value, attr=attr):
            owner = meaning(value, bound)
            return f"{owner}.{attr}" if owner else ""
    return ""


def is_loop_time(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "time" and "loop" in ast.unparse(node.value).lower()


def clock_reads(source: Source) -> Iterator[Finding]:
    """Any mention counts, a call or not: a default argument `now=time.monotonic` reads the clock as well."""
    if below_package(source) in CLOCK_PLACES:
        return
    bound, stamps = bindings(source.tree), below_package(source).startswith(WALL_CLOCK_PLACES)
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Name | ast.Attribute):
            continue
        name = meaning(node, bound)
        if is_loop_time(node) or (name in CLOCK_NAMES and not (stamps and name.startswith("datetime."))):
            yield Finding(source.path, node.lineno, f"{ast.unparse(node)} outside adapters/clock.py")


def possessive_groups(source: Source) -> Iterator[Finding]:
    """`(?:...)*+` fails to match in Python 3.11.2, which Debian 12 has; `(?>(?:...)*)` says the same and works."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
            if re.search(r"(?<!\\)\)(?:[*+?]|\{\d*,?\d*\})\+", text):
                yield Finding(source.path, node.lineno, "a possessive quantifier after a group: write (?>(?:...)*)")


PACKAGE_RULES: tuple[Rule, ...] = (late_imports, clock_reads, possessive_groups)


def hard_findings(code: list[Source], beside: list[Source]) -> list[Finding]:
    """What must never be: sizes hold everywhere, the others in the package."""
    everywhere = [found for source in code + beside for rule in (long_functions, long_file) for found in rule(source)]
    inside = [found for source in code for rule in PACKAGE_RULES for found in rule(source)]
    return [*everywhere, *inside, *crowded_folders(code), *shared_names(code)]


def row(name: str, value: str, aim: str, met: bool) -> str:
    return f"  {name:<34} {value:>8}   {aim:<16} {'' if met else 'MISSED'}".rstrip()


def table(code: list[Source], tests: list[Source]) -> list[str]:
    lengths = sorted(length(function) for source in code for function in functions(source)) or [0]
    median = statistics.median(lengths)
    ninth = lengths[(len(lengths) * 9 - 1) // 10]
    tallest = max((source.lines for source in code), default=0)
    fullest = max(modules(code).values(), default=0)
    shared = len(list(shared_names(code)))
    ratio = sum(source.written_lines for source in tests) / max(1, sum(source.written_lines for source in code))
    least, most = TESTS_TO_CODE
    return [
        f"measures of {len(code)} files and {len(lengths)} functions in src, {len(tests)} files in tests",
        row("function, median lines", f"{median:g}", f"<= {MEDIAN_FUNCTION}", median <= MEDIAN_FUNCTION),
        row("function, nine of ten", f"{ninth}", f"<= {NINTH_DECILE_FUNCTION}", ninth <= NINTH_DECILE_FUNCTION),
        row("function, longest", f"{lengths[-1]}", f"<= {LONGEST_FUNCTION}", lengths[-1] <= LONGEST_FUNCTION),
        row("file, longest", f"{tallest}", f"<= {LONGEST_FILE}", tallest <= LONGEST_FILE),
        row("folder, most modules", f"{fullest}", f"<= {LARGEST_FOLDER}", fullest <= LARGEST_FOLDER),
        row("tests to code, written lines", f"{ratio:.2f}", f"{least} to {most}", least <= ratio <= most),
        row("class names of two meanings", str(shared), "0", shared == 0),
        row("own package imported late", *counted(code, late_imports)),
        row("clock outside adapters/clock.py", *counted(code, clock_reads)),
        row("possessive groups in patterns", *counted(code, possessive_groups)),
    ]


def counted(code: list[Source], rule: Rule) -> tuple[str, str, bool]:
    count = sum(1 for source in code for _ in rule(source))
    return str(count), "0", count == 0


def main(top: Path) -> int:
    code, tests = read(top, f"src/{OWN}"), read(top, "tests")
    print("\n".join(table(code, tests)))
    findings = hard_findings(code, tests + read(top, "scripts", "bench", "prove"))
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent))
