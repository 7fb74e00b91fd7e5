"""Text on its way in and on its way to disk: functions.

`clean` makes text that is nothing but text: a program that takes a paste would obey an escape sequence
inside it, and an embedded end-of-paste mark would submit what follows. `redact` takes credentials out
of what is stored or logged; every pattern runs in linear time, since the text may be a megabyte that
somebody else wrote.
"""

import re
import unicodedata
from dataclasses import dataclass

MAX_TEXT = 1_000_000  # bytes of one delivery
CANONICAL_LIMIT = 4095  # bytes of one line: a terminal that collects lines silently cuts the rest

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile("\r\n?")


@dataclass(frozen=True, slots=True)
class Cleaned:
    text: str
    notes: tuple[str, ...] = ()  # what was changed, for the receipt


def clean(text: str) -> Cleaned:
    """`text` with LF line ends and no control character but tab and newline, and what that changed."""
    text, ends = _LINE_END.subn("\n", text)
    text, controls = _CONTROL.subn("", text)
    text, broken = _SURROGATE.subn("\ufffd", text)
    notes = (
        _note(ends, "line end", "written as LF"),
        _note(controls, "control character", "removed"),
        _note(broken, "lone surrogate", "replaced by U+FFFD"),
    )
    return Cleaned(text, tuple(note for note in notes if note))


def _note(count: int, what: str, fate: str) -> str:
    return f"{count} {what}{'s' if count > 1 else ''} {fate}" if count else ""


@dataclass(frozen=True, slots=True)
class _Secret:
    kind: str
    signs: tuple[str, ...]  # in lower case: without one of them the pattern cannot match, and is not tried
    pattern: re.Pattern[str]


# Order matters: a whole key block before its lines, a header before the token in it.
_SECRETS = (
    _Secret(
        "private key",
        ("private key",),
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:(?>(?:[^-]|-(?!----))*)-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"|(?>(?:\s*+[A-Za-z0-9+/]{12,}+=*)*))"  # cut off by the screen's edge
        ),
    ),
    _Secret(
        "authorization",
        ("authorization",),
        re.compile(r"(?i)(?P<keep>\bauthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?)[^\s\"',][^\r\n\"']*"),
    ),
    _Secret(
        "bearer token",
        ("bearer",),
        re.compile(r"(?i)(?P<keep>\bbearer\s{1,4})(?=\S{0,200}\d|\S{24})[\w.~+/-]{8,}+=*"),
    ),
    _Secret(
        "API key",
        ("-", "_", "akia", "asia", "aiza", "ya29.", "eyj"),
        re.compile(
            r"(?<![A-Za-z0-9])(?:"
            r"[spr]k[-_][A-Za-z0-9_-]{16,}+"  # OpenAI, Anthropic, Stripe
            r"|gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_\w{20,}+|glpat-[\w-]{16,}+|npm_[A-Za-z0-9]{20,}+|hf_[A-Za-z0-9]{20,}+"
            r"|xox[a-z]-[A-Za-z0-9-]{10,}+|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}+|ya29\.[\w.-]{20,}+|pypi-[\w-]{20,}+"
            r"|eyJ[\w-]{8,}+\.[\w-]{8,}+\.[\w-]*+"  # a JSON web token
            r")"
        ),
    ),
    _Secret(
        "password",
        ("://",),
        re.compile(r"(?P<keep>\b[a-zA-Z][a-zA-Z0-9+.-]{0,20}://[^\s/:@]{0,100}:)[^\s/@]{1,200}(?=@)"),
    ),
    _Secret(
        "secret",
        ("key", "secret", "passw", "token"),
        re.compile(
            r"(?i)(?P<keep>(?<![\w-])[\w-]{0,40}?"
            r"(?:api[_-]?key|access[_-]?key|secret|passw(?:or)?d|token)[\w-]{0,20}[\"']?\s{0,4}[:=]\s{0,4}[\"']?)"
            r"(?!\[redacted)[^\s\"',;]{6,}+"
        ),
    ),
)


def redact(text: str) -> str:
    """`text` with each credential replaced by `[redacted: <its kind>]`."""
    lowered = text.lower()
    for secret in _SECRETS:
        if any(sign in lowered for sign in secret.signs):
            keep = r"\g<keep>" if secret.pattern.groups else ""
            text = secret.pattern.sub(f"{keep}[redacted: {secret.kind}]", text)
    return text


def mask(text: str) -> str:
    """`text` with each credential crossed out character by character: nothing moves, so a screen stays as it was."""
    lowered = text.lower()
    for secret in _SECRETS:
        if any(sign in lowered for sign in secret.signs):
            text = secret.pattern.sub(_crossed_out, text)
    return text


def _crossed_out(found: re.Match[str]) -> str:
    kept = found.groupdict().get("keep") or ""
    return kept + "".join(map(_cross, found[0][len(kept) :]))


def _cross(char: str) -> str:
    """Blanks and what draws boxes stay."""
    if char.isspace() or "\u2500" <= char <= "\u259f":
        return char
    return "ｘ" if unicodedata.east_asian_width(char) in "WF" else "x"
