"""Texts that break senders: what they hold, what must arrive, and which of them a canonical tty can take."""

from __future__ import annotations

import unicodedata

KILOBYTES_20 = 20_000
CANONICAL_BYTES = 4095  # a canonical tty cuts a longer line without a word


def _single_line(length: int) -> str:
    words = (f"word{number}" for number in range(length))
    return " ".join(words)[: length - 5].strip() + " end."


def _several_lines(length: int) -> str:
    lines = (
        f"{number:04d}: the quick brown fox jumps over lazy dog {number * 7919 % 1000}" for number in range(length)
    )
    return "\n".join(lines)[: length - 10].rstrip("\n") + "\nlast line"


TEXTS: dict[str, str] = {
    "ascii": "fix the failing test in parser.py",
    "unicode": "Grüße, žluťoučký kůň, ça va? Ω≈ç√∫",
    "combining": "e\u0301a\u0308o\u0302 in decomposed form: Cafe\u0301",
    "emoji": "ship it 🚀 with 🎉 and 👍🏽",
    "emoji_joined": "the family 👨‍👩‍👧‍👦 and the developer 👩‍💻",
    "emoji_flags": "from 🇩🇪 to 🇯🇵 by ❤️",
    "cjk": "请修复这个错误 テストを直して 한국어도",
    "cjk_long": "漢字" * 150,
    "right_to_left": "תקן את הבדיקה אصلح الاختبار",
    "zero_width": "zero\u200bwidth and soft\u00adhyphen and nbsp\u00a0here",
    "tabs": "name\tvalue\tlast",
    "leading_tab": "\tindented",
    "single_quotes": "it's 'quoted' and ''empty''",
    "double_quotes": 'say "hello" and ""',
    "mixed_quotes": """a 'b "c' d" e\\'f\\"g""",
    "command_substitution": "echo $(rm -rf /tmp/nothing) ${HOME} $PATH",
    "backticks": "run `id -u` and ``nothing``",
    "backslashes": r"C:\new\table \n \t \\ \x1b \033",
    "trailing_backslash": "continue here \\",
    "trailing_semicolon": "one; two;",
    "escaped_semicolon": "one\\;",
    "only_semicolon": ";",
    "only_semicolons": ";;;",
    "leading_dash": "-l --help -- -t",
    "lone_dash": "-",
    "key_enter": "Enter",
    "key_control_c": "C-c",
    "key_escape": "Escape",
    "key_names": "Enter C-c M-x F1 Up Space BSpace",
    "format": "#{pane_id} #(id) #S #[fg=red] ##",
    "strftime": "%H:%M %Y %% %1 %0",
    "hash": "# a comment",
    "number": "42",
    "zero": "0",
    "hex_number": "0x41",
    "octal_escape": "\\101\\033 0101",
    "braces": "{a,b} {{c}} ~ * ? [x] | & > < ^ !!",
    "at_and_percent": "@1 %2 $3 :4 .5 =6",
    "exclamation": "!",
    "question": "?",
    "slash_help": "/help",
    "history": "!! and !$ and say {name!r}",
    "json": '{"a": [1, "two", null], "b": "\\u00e9\\n"}',
    "html": '<html><body class="x">&amp;</body></html>',
    "percent_line": "50%",
    "prompt": "> ",
    "prompt_glyph": "❯ ",
    "box_rule": "────────────────────",
    "looks_busy": "⠋ Working (3s · esc to interrupt)",
    "looks_like_menu": "❯ 1. Yes",
    "looks_like_placeholder": "[Pasted text #1 +3 lines]",
    "marker": "--<[paneward:completed:not really]>--",
    "already_said": "this text already stands in the transcript",
    "one_character": "y",
    "characters_39": "a text of exactly thirty-nine character",
    "characters_40": "a text of exactly forty characters, yes.",
    "characters_41": "a text of exactly forty-one characters ok",
    "repeated": "again again again again again again again again again again",
    "leading_blanks": "   indented by three",
    "trailing_blanks": "ends in three   ",
    "only_blanks": "   ",
    "two_lines": "first line\nsecond line",
    "blank_lines": "above\n\n\nbelow",
    "blank_line_with_blanks": "above\n   \nbelow",
    "leading_newlines": "\n\nafter two newlines",
    "trailing_newlines": "before two newlines\n\n",
    "only_newline": "\n",
    "short_last_line": "a long first line of a message to the agent, and then\nok",
    "same_lines": "same\nsame\nsame",
    "code": "def f(x):\n\tif x > 1:\n\t\treturn '\\n'\n    # $x `y`\n",
    "crlf": "first\r\nsecond\r\n\r\nfourth",
    "carriage_returns": "first\rsecond",
    "end_of_paste": "before\x1b[201~after",
    "end_of_paste_and_command": "harmless\x1b[201~\rrm -rf /tmp/nothing\r",
    "start_of_paste": "a\x1b[200~b",
    "control_bytes": "a\x00b\x01c\x03d\x04e\x08f\x1ag\x1bh\x7fi",
    "colours": "\x1b[31mred\x1b[0m and \x1b]0;title\x07",
    "characters_1000": _single_line(1000),
    "bytes_4000": _single_line(4000),
    "bytes_20000": _single_line(KILOBYTES_20),
    "lines_20000_bytes": _several_lines(KILOBYTES_20),
}


def expected(text: str) -> str:
    """What must arrive: line ends are newlines, and of the control characters only tab and newline stay."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(char for char in lines if char in "\t\n" or unicodedata.category(char) != "Cc")


def is_single_line(text: str) -> bool:
    return "\n" not in expected(text)


def fits_canonical(text: str) -> bool:
    """Whether one line of a canonical tty can carry it; a longer one must be refused."""
    return is_single_line(text) and len(expected(text).encode()) <= CANONICAL_BYTES


SINGLE_LINE: frozenset[str] = frozenset(name for name, text in TEXTS.items() if is_single_line(text))
CANONICAL: frozenset[str] = frozenset(name for name, text in TEXTS.items() if fits_canonical(text))
