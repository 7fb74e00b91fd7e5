"""Credentials in text that is stored, logged or shown: functions.

Each pattern of ours runs in linear time, since the text may be a megabyte that somebody else wrote. A user adds
patterns of their own by `store.redact`; `learn` takes them once, when a process starts.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Secret:
    kind: str
    signs: tuple[str, ...]  # in lower case: without one of them the pattern cannot match, and is not tried
    pattern: re.Pattern[str]


# What can be told by its own form: the prefix that its issuer gave it.
_KEYS = (
    r"[spr]k[-_][A-Za-z0-9_-]{16,}+",  # OpenAI, Anthropic, Stripe
    r"gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_\w{20,}+",
    r"gl(?:pat|rtr?|dt|ptt|cbt|ft|soat|imt|agent|oas|ffct)-[\w.-]{16,}+",  # GitLab
    r"GR1348941[\w-]{16,}+",  # its runners, once
    r"npm_[A-Za-z0-9]{20,}+|pypi-[\w-]{20,}+|rubygems_[0-9a-f]{32,}+|hf_[A-Za-z0-9]{20,}+",
    r"xox[a-z]-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{20,}+",  # Slack
    r"(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}+|ya29\.[\w.-]{20,}+|GOCSPX-[\w-]{20,}+",  # AWS, Google
    r"eyJ[\w-]{8,}+\.[\w-]{8,}+\.[\w-]*+",  # a JSON web token
    r"SG\.[\w-]{16,}+\.[\w-]{16,}+",  # SendGrid
    r"do[opr]_v1_[0-9a-f]{32,}+",  # DigitalOcean
    r"[0-9]{8,10}:[\w-]{35}(?![\w-])",  # Telegram
    r"SK[0-9a-f]{32}(?![0-9a-f])",  # Twilio
    r"[MNO][\w-]{22,27}\.[\w-]{6,7}\.[\w-]{27,}+",  # Discord
    r"AGE-SECRET-KEY-1[0-9A-Z]{20,}+",
    r"hv[sbr]\.[\w-]{20,}+|s\.[A-Za-z0-9]{24}(?![\w.])",  # Vault
    r"dapi[0-9a-f]{32}(?:-[0-9]+)?",  # Databricks
    r"dckr_[a-z]{3}_[\w-]{20,}+|shp[a-z]{2}_[0-9a-fA-F]{32}",  # Docker, Shopify
    r"lin_[a-z]{3,5}_[A-Za-z0-9]{20,}+",  # Linear
    r"gsk_[A-Za-z0-9]{20,}+|xai-[A-Za-z0-9]{20,}+|pplx-[A-Za-z0-9]{20,}+|r8_[A-Za-z0-9]{30,}+",  # Groq, xAI and others
    r"whsec_[A-Za-z0-9+/]{20,}+|sq0[a-z]{3}-[\w-]{20,}+|sbp_[0-9a-f]{30,}+|nfp_[A-Za-z0-9]{30,}+",
    r"figd_[\w-]{20,}+|ntn_[A-Za-z0-9]{30,}+|PMAK-[0-9a-f-]{30,}+|NRAK-[A-Z0-9]{20,}+|sntry[su]_[\w+/=-]{20,}+",
    r"ATATT3[\w=-]{20,}+|pscale_[a-z]+_[\w.-]{20,}+|dp\.pt\.[A-Za-z0-9]{30,}+|key-[0-9a-f]{32}",
)
# A secret key of AWS has no prefix: forty characters of three kinds, which no hash in hex and hardly a path has.
_BARE = (
    r"(?<![\w/+=.-])(?=[A-Za-z0-9/+]{0,39}[a-z])(?=[A-Za-z0-9/+]{0,39}[A-Z])(?=[A-Za-z0-9/+]{0,39}[0-9])"
    r"(?!(?:[A-Za-z0-9+]{0,39}/){4})[A-Za-z0-9/+]{40}(?![\w/+=.-])"
)
# What is called a secret: `NAME=value`, `"name": "value"`.
_NAMES = (
    r"(?:api|access|account|shared|private|encryption|signing|master|auth)[_-]?(?:access[_-]?)?key"
    r"|secret|passw(?:or)?d|token|credentials?"
)

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
        "cookie",
        ("cookie",),
        re.compile(r"(?i)(?P<keep>\bcookie[\"']?:\s{0,4}[\"']?)(?!\[redacted)[\w.$!#%&*+^`|~-]{1,100}=[^\r\n\"']*"),
    ),
    _Secret(
        "bearer token",
        ("bearer",),
        re.compile(r"(?i)(?P<keep>\bbearer\s{1,4})(?=\S{0,200}\d|\S{24})[\w.~+/-]{8,}+=*"),
    ),
    _Secret(
        "API key",
        ("-", "_", ".", ":", "akia", "asia", "aiza", "eyj", "sk", "gr1348941", "dapi", "atatt3"),
        re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_KEYS)})"),
    ),
    _Secret(
        "webhook",
        ("webhooks/", "hooks.slack.com/"),
        re.compile(r"(?P<keep>(?:/api/webhooks/\d{5,25}|hooks\.slack\.com/services)/)[\w/-]{16,}+"),
    ),
    _Secret(
        "password",
        ("://",),
        re.compile(r"(?P<keep>\b[a-zA-Z][a-zA-Z0-9+.-]{0,20}://[^\s/:@]{0,100}:)[^\s/@]{1,200}(?=@)"),
    ),
    _Secret(
        "password",
        ("passphrase",),
        re.compile(r"(?i)(?P<keep>\bpassphrase[\"']?\s{0,4}[:=]\s{0,4}[\"']?)(?!\[redacted)[^\s\"'][^\r\n\"']{3,}"),
    ),
    _Secret(
        "password",
        ("sshpass", "--pass", "--token", "--secret", "--api"),
        re.compile(
            r"(?P<keep>\bsshpass\s{1,4}-p\s{0,4}[\"']?|--(?:pass(?:word|wd|phrase)?|token|secret|api-?key)\s{1,4}[\"']?)"
            r"(?!\[redacted|-)[^\s\"']{4,}+"
        ),
    ),
    _Secret(
        "secret",
        ("key", "secret", "passw", "token", "credential"),
        re.compile(
            rf"(?i)(?P<keep>(?<![\w-])[\w-]{{0,40}}?(?:{_NAMES})[\w-]{{0,20}}[\"']?\s{{0,4}}[:=]\s{{0,4}}[\"']?)"
            r"(?!\[redacted)[^\s\"',;]{6,}+"
        ),
    ),
    _Secret(
        "password",
        ("pass", "pwd"),
        re.compile(  # a path is what `pwd` prints, and no password
            r"(?i)(?P<keep>(?<![A-Za-z])(?:pass|pwd)[\"']?\s{0,4}[:=]\s{0,4}[\"']?)"
            r"(?!\[redacted|[/~.$])[^\s\"',;]{6,}+"
        ),
    ),
    _Secret("secret", ("",), re.compile(_BARE)),  # last: it looks at every word
)
_own: list[_Secret] = []


def learn(patterns: Iterable[str]) -> None:
    """Patterns of the user, in place of those that were learnt before."""
    _own[:] = [_Secret("own pattern", ("",), compiled(pattern)) for pattern in patterns]


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern that somebody else wrote. This is the one place that says which engine runs it."""
    return re.compile(pattern)


def own_patterns() -> tuple[str, ...]:
    return tuple(secret.pattern.pattern for secret in _own)


def redact(text: str) -> str:
    """`text` with each credential replaced by `[redacted: <its kind>]`."""
    lowered = text.lower()
    for secret in (*_own, *_SECRETS):
        if any(sign in lowered for sign in secret.signs):
            keep = r"\g<keep>" if "keep" in secret.pattern.groupindex else ""
            text = secret.pattern.sub(f"{keep}[redacted: {secret.kind}]", text)
    return text


def mask(text: str) -> str:
    """`text` with each credential crossed out character by character: nothing moves, so a screen stays as it was."""
    lowered = text.lower()
    for secret in (*_own, *_SECRETS):
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
