"""What is left of foreign text for a terminal."""

import json

import pytest

from paneward.core.terminal.harmless import FOREIGN, escaped, harmless


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[2Jgone\x1b]52;c;b3duZWQ=\x07", "[2Jgone]52;c;b3duZWQ="),
        ("\x9b31mred\x9d0;title\x9c", "31mred0;title"),
        ("back\rover\x08\x7f", "backover"),
        ("\u202egnp.exe\u2066\u200f\u2028", "gnp.exe"),
        ("é 你 👩\u200d💻", "é 你 👩\u200d💻"),
    ],
)
def test_only_what_a_terminal_would_obey_goes(text: str, shown: str) -> None:
    assert harmless(text) == shown
    assert harmless(shown) == shown


def test_an_escaped_document_says_the_same() -> None:
    words = {"a": "\x1b[2J \x9b31m \u202e é 你\n"}
    plain = json.dumps(words, ensure_ascii=False)
    assert FOREIGN.search(plain)
    assert not FOREIGN.search(escaped(plain))
    assert json.loads(escaped(plain)) == words
    assert escaped('{"a": "é"}') == '{"a": "é"}'
