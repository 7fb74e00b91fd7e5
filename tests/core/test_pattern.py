"""Patterns of others: what they find, what they lack, and that nothing in the core looks for one by `re`."""

import ast
from pathlib import Path

import pytest

import paneward.core
from paneward.core.errors import Code, InvalidInput
from paneward.core.pattern import LONGEST, BadPattern, linear, translated
from paneward.core.profiles import BUILT_IN, SHELL, profile_from
from paneward.core.profiles.patterns import compiled, search
from paneward.core.readiness.rules import compile_prompt

CORE = Path(paneward.core.__file__).parent
# Patterns that are put together from our own words.
OURS = {
    *("pattern.py", "profiles/patterns.py", "signals/marker.py", "signals/signal.py"),
    *("terminal/ansi.py", "recording/recorder.py", "screen/lines.py", "screen/dialogs/menu.py"),
    *("signals/stream.py", "credentials.py"),
}


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"opencode> $", "x opencode> ", "opencode> "),
        (r"a\Z", "ba", "a"),
        (r"❯\s", "❯\xa0", "❯\xa0"),
        (r"[>\s]$", "x\u2003", "\u2003"),
        (r"\S+", "\xa0né\xa0", "né"),
        (r"\u2500+", "──", "──"),
        (r"\❯ [^]]", "❯ x", "❯ x"),
        (r"[\s\S]", "\n", "\n"),
        (r"(?i)SQL", "sql", "sql"),
        (r"(?P<word>\w+)!", "so!", "so!"),
        (r"b", "a\udcffb", "b"),
    ],
)
def test_a_pattern_finds_what_it_finds_in_python(pattern: str, text: str, found: str) -> None:
    match = linear(pattern).search(text)
    assert match is not None
    assert match[0] == found
    assert text[match.start() : match.end()] == found


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"(?=a)", "lookaround"),
        (r"(?<!a)b", "lookaround"),
        (r"(a)\1", "backreference"),
        (r"(?P<a>x)(?P=a)", "backreference"),
        (r"a*+", "possessive"),
        (r"(?>a)", "atomic"),
        (r"(a)?(?(1)b|c)", "conditional"),
        (r"(?x) a", "flag"),
        (r"[", "missing ]"),
        (r"(", "missing )"),
        (r"a{1001}", "repetition"),
        (r"(?:a{900}){900}", "repetition"),
        (r".{0,900}.{0,900}", "too large"),
        ("x" * (LONGEST + 1), "longer than"),
        ("\ud800", "surrogates"),
    ],
)
def test_what_cannot_be_used_is_told_in_words(pattern: str, words: str) -> None:
    with pytest.raises(BadPattern, match=words.replace("]", r"\]").replace(")", r"\)")):
        linear(pattern)


def test_the_other_ways_to_look() -> None:
    pattern = linear("A+", ignore_case=True)
    assert pattern.match("aab") is not None
    assert pattern.fullmatch("aab") is None
    assert [found[0] for found in pattern.finditer("a aa")] == ["a", "aa"]
    assert (pattern.search("ba") or "")[0] == "a"


def test_brackets_in_a_class_do_not_begin_another() -> None:
    assert translated(r"[[\s]\s") == r"[[\s\x0b\x1c-\x1f\x{85}\pZ][\s\x0b\x1c-\x1f\x{85}\pZ]"
    assert translated(r"[]\S]\]") == r"[]\S]\]"


def test_a_pattern_of_a_built_in_row_is_looked_for_by_re() -> None:
    import re

    assert isinstance(compiled(SHELL.prompt), re.Pattern)
    assert not isinstance(compiled("of somebody"), re.Pattern)
    for row in BUILT_IN.values():
        for pattern in row.match:
            assert isinstance(compiled(pattern, "(?:", ")"), re.Pattern)


def test_words_around_a_pattern_do_not_make_it_ours() -> None:
    assert compiled("(a+)+", r"\s*(?:", r")\s*\Z!").search("a" * 60) is None  # or this test never ends
    assert search("(a+)+!", "a" * 60) is None


def test_a_prompt_that_cannot_be_used_is_an_invalid_pattern() -> None:
    with pytest.raises(InvalidInput) as caught:
        compile_prompt("(?=x)")
    assert caught.value.code is Code.INVALID_PATTERN
    assert "lookaround" in caught.value.hint


@pytest.mark.parametrize("field", ["started", "glyph", "prompt", "match"])
def test_a_row_of_a_user_with_such_a_pattern_is_refused(field: str) -> None:
    value = ["(?=x)"] if field == "match" else "(?=x)"
    with pytest.raises(InvalidInput, match="lookaround"):
        profile_from("own", {field: value})


def test_nothing_else_in_the_core_looks_for_what_a_variable_holds_by_re() -> None:
    found = []
    for path in sorted(CORE.rglob("*.py")):
        name = path.relative_to(CORE).as_posix()
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=attr), args=[first, *_]):
                    if attr != "escape" and not _written_here(first) and name not in OURS:
                        found.append(f"{name}:{node.lineno}")
    assert found == []


def _written_here(node: ast.expr) -> bool:
    """A text in the source, or several joined with named parts of the same module."""
    if isinstance(node, ast.BinOp):
        return (_written_here(node.left) or isinstance(node.left, ast.Name)) and (
            _written_here(node.right) or isinstance(node.right, ast.Name)
        )
    return isinstance(node, ast.Constant)
