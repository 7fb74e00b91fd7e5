"""Cleaning what goes in, redacting what is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.text import Cleaned, clean, redact


def test_plain_text_is_kept_byte_for_byte() -> None:
    text = "  tabs\t, emoji 🧪, é, 日本\n\n trailing blanks  \n"
    assert clean(text) == Cleaned(text)


def test_every_line_end_becomes_lf_and_is_counted() -> None:
    assert clean("a\r\nb\rc\nd") == Cleaned("a\nb\nc\nd", ("2 line ends written as LF",))


def test_an_end_of_paste_mark_loses_its_escape() -> None:
    assert clean("before\x1b[201~after") == Cleaned("before[201~after", ("1 control character removed",))


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x08", "\x0b", "\x0c", "\x1b", "\x7f", "\x80", "\x9b", "\x9f"])
def test_control_characters_of_both_ranges_and_delete_go(character: str) -> None:
    assert clean(f"a{character}b").text == "ab"


def test_a_lone_surrogate_is_replaced_and_said() -> None:
    assert clean("a\udc80b") == Cleaned("a\ufffdb", ("1 lone surrogate replaced by U+FFFD",))


def test_each_kind_of_change_is_said_with_its_count() -> None:
    assert clean("\r\n\x1b\x1b\ud800").notes == (
        "1 line end written as LF",
        "2 control characters removed",
        "1 lone surrogate replaced by U+FFFD",
    )


@given(st.text(st.characters(codec=None)))
def test_cleaned_text_encodes_holds_no_control_character_and_stays_clean(text: str) -> None:
    cleaned = clean(text).text
    cleaned.encode()
    assert not [c for c in cleaned if c not in "\t\n" and (c < " " or "\x7f" <= c <= "\x9f")]
    assert clean(cleaned) == Cleaned(cleaned)


KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\nAAAAB3NzaC1yc2E=\n"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"a {KEY}-----END OPENSSH PRIVATE KEY----- b", "a [redacted: private key] b"),
        (f"a {KEY}$ ls", "a [redacted: private key]\n$ ls"),
        ("-H 'Authorization: Basic dXNlcjpwYXNz' -v", "-H 'Authorization: [redacted: authorization]' -v"),
        ("with Bearer abc.def-123== now", "with Bearer [redacted: bearer token] now"),
        ("use sk-ant-api03-AbCdEfGhIjKlMnOp_1234 here", "use [redacted: API key] here"),
        ("ghp_0123456789abcdefghij0123456789abcdef", "[redacted: API key]"),
        ("AKIAABCDEFGHIJKLMNOP", "[redacted: API key]"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl!", "[redacted: API key]!"),
        ("postgres://ada:lovelace@host/db", "postgres://ada:[redacted: password]@host/db"),
        ("export MY_API_KEY='0123456789'", "export MY_API_KEY='[redacted: secret]'"),
        ('{"client_secret": "s3cr3ts3cr3t"}', '{"client_secret": "[redacted: secret]"}'),
        ("OPENAI_API_KEY=sk-0123456789abcdef0123", "OPENAI_API_KEY=[redacted: API key]"),
    ],
)
def test_credentials_are_taken_out_and_the_rest_stays(text: str, kept: str) -> None:
    assert redact(text) == kept
    assert redact(kept) == kept


@pytest.mark.parametrize(
    "text",
    [
        "fix the tokenizer, then run the bearer test",
        "the task-management-system-with-a-long-name is slow",
        "https://example.org:8080/path and ada@example.org",
        "where is the private key read?",
        "token: x",
    ],
)
def test_ordinary_sentences_are_left_alone(text: str) -> None:
    assert redact(text) == text


PIECES = ["-", "sk-", "a1", "token", "=", ":", " ", "\n", "-----BEGIN PRIVATE KEY-----", "://", "@", "bearer "]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once) == once
