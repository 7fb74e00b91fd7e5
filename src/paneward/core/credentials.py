"""Credentials in text that is stored, logged or shown: functions.

Each pattern runs in linear time, since the text may be a megabyte that somebody else wrote. Most texts hold no sign of
any credential, so a pattern is compiled and tried only where one of its signs is there. A user adds patterns of their
own by `store.redact`; `learn` takes them once, when a process starts.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from paneward.core.pattern import linear


@dataclass(frozen=True, slots=True)
class _Secret:
    """What is found by `pattern` is a secret, but for its group `keep`."""

    kind: str
    signs: tuple[str, ...]  # in lower case: without one of them the pattern cannot match, and is not tried
    pattern: str
    fits: Callable[[str], bool] | None = None  # says no to what only looks like it


# What can be told by its own form: the prefix that its issuer gave it, and what follows.
_KEYS = (
    (("sk-", "sk_", "pk-", "pk_", "rk-", "rk_"), r"[spr]k[-_][A-Za-z0-9_-]{16,}+"),  # OpenAI, Anthropic, Stripe
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{20,}+"),
    (("github_pat_",), r"github_pat_\w{20,}+"),
    (("gl",), r"gl(?:pat|rtr?|dt|ptt|cbt|ft|soat|imt|agent|oas|ffct)-[\w.-]{16,}+"),  # GitLab
    (("GR1348941",), r"GR1348941[\w-]{16,}+"),  # its runners, once
    (("npm_", "hf_"), r"(?:npm|hf)_[A-Za-z0-9]{20,}+"),
    (("pypi-", "rubygems_"), r"pypi-[\w-]{20,}+|rubygems_[0-9a-f]{32,}+"),
    (("xox", "xapp-"), r"xox[a-z]-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{20,}+"),  # Slack
    (("AKIA", "ASIA"), r"A[KS]IA[A-Z0-9]{16}"),  # AWS
    (("AIza", "ya29.", "GOCSPX-"), r"AIza[\w-]{30,}+|ya29\.[\w.-]{20,}+|GOCSPX-[\w-]{20,}+"),  # Google
    (("eyJ",), r"eyJ[\w-]{8,}+\.[\w-]{8,}+\.[\w-]*+"),  # a JSON web token
    (("SG.",), r"SG\.[\w-]{16,}+\.[\w-]{16,}+"),  # SendGrid
    (("_v1_",), r"do[opr]_v1_[0-9a-f]{32,}+"),  # DigitalOcean
    (("SK",), r"SK[0-9a-f]{32}(?![0-9a-f])"),  # Twilio
    (("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[0-9A-Z]{20,}+"),
    (("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[\w-]{20,}+"),  # Vault
    (("dapi",), r"dapi[0-9a-f]{32}(?:-[0-9]+)?"),  # Databricks
    (("dckr_", "shp"), r"dckr_[a-z]{3}_[\w-]{20,}+|shp[a-z]{2}_[0-9a-fA-F]{32}"),  # Docker, Shopify
    (("lin_",), r"lin_[a-z]{3,5}_[A-Za-z0-9]{20,}+"),  # Linear
    (("gsk_", "xai-", "pplx-"), r"(?:gsk_|xai-|pplx-)[A-Za-z0-9]{20,}+"),  # Groq, xAI, Perplexity
    (("r8_", "nfp_", "ntn_"), r"(?:r8|nfp|ntn)_[A-Za-z0-9]{30,}+"),  # Replicate, Netlify, Notion
    (("whsec_", "sq0", "sbp_"), r"whsec_[A-Za-z0-9+/]{20,}+|sq0[a-z]{3}-[\w-]{20,}+|sbp_[0-9a-f]{30,}+"),
    (("figd_", "PMAK-", "NRAK-"), r"figd_[\w-]{20,}+|PMAK-[0-9a-f-]{30,}+|NRAK-[A-Z0-9]{20,}+"),
    (("sntry", "ATATT3"), r"sntry[su]_[\w+/=-]{20,}+|ATATT3[\w=-]{20,}+"),  # Sentry, Atlassian
    (("pscale_", "dp.pt."), r"pscale_[a-z]+_[\w.-]{20,}+|dp\.pt\.[A-Za-z0-9]{30,}+"),
    (("key-",), r"key-[0-9a-f]{32}"),  # Mailgun
)
# What is called a secret: `NAME=value`, `"name": "value"`. The first letter is a set, which is compared fastest.
_NAMES = (
    r"(?:[aA](?i:pi|ccess|ccount|uth)|[sS](?i:hared|igning)|[pP](?i:rivate)|[eE](?i:ncryption)|[mM](?i:aster))"
    r"[_-]?(?i:access[_-]?)?(?i:key)|[sS](?i:ecret)|[pP](?i:assw(?:or)?d)|[tT](?i:oken)|[cC](?i:redential)"
)


def _of_three_kinds(word: str) -> bool:
    """A secret key of AWS has no prefix: forty characters of three kinds. No hash in hex has them, hardly a path."""
    kinds = (str.islower, str.isupper, str.isdigit)
    return word.count("/") < 4 and all(any(map(kind, word)) for kind in kinds)


# Order matters: a whole key block before its lines, a header before the token in it.
_HEADERS = (
    _Secret(
        "private key",
        ("private key",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?>[^-]*(?:-(?!----)[^-]*)*)-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?>(?:\s*+[A-Za-z0-9+/]{12,}+=*)*))",  # cut off by the screen's edge
    ),
    _Secret(
        "authorization",
        ("authorization",),
        r"(?i)(?P<keep>\bauthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?)[^\s\"',][^\r\n\"']*",
    ),
    _Secret(
        "cookie",
        ("cookie",),
        r"(?i)(?P<keep>\bcookie[\"']?:\s{0,4}[\"']?)(?!\[redacted)[\w.$!#%&*+^`|~-]{1,100}=[^\r\n\"']*",
    ),
    _Secret("bearer token", ("bearer",), r"(?i)(?P<keep>\bbearer\s{1,4})(?=\S{0,200}\d|\S{24})[\w.~+/-]{8,}+=*"),
)
# A pattern that begins with a literal or a set is looked for fastest, so what must not stand before it is said behind.
_WORDS = (
    _Secret("API key", (":",), r"(?P<keep>:)(?<=[0-9]{8}:)[\w-]{35}(?![\w-])"),  # Telegram: a number, then the secret
    _Secret("API key", ("s.",), r"s\.(?<![A-Za-z0-9]..)[A-Za-z0-9]{24}(?![\w.])"),  # Vault, once
    _Secret("API key", (".",), r"[MNO](?<![A-Za-z0-9].)[\w-]{22,27}\.[\w-]{6,7}\.[\w-]{27,}+"),  # Discord
    _Secret(
        "webhook",
        ("webhooks/", "hooks.slack.com/"),
        r"(?P<keep>(?:/api/webhooks/\d{5,25}|hooks\.slack\.com/services)/)[\w/-]{16,}+",
    ),
    _Secret("password", ("://",), r"(?P<keep>://[^\s/:@]{0,100}:)[^\s/@]{1,200}(?=@)"),
    _Secret(
        "password",
        ("passphrase",),
        r"(?i)(?P<keep>\bpassphrase[\"']?\s{0,4}[:=]\s{0,4}[\"']?)(?!\[redacted)[^\s\"'][^\r\n\"']{3,}",
    ),
    _Secret(
        "password",
        ("sshpass", "--pass", "--token", "--secret", "--api"),
        r"(?P<keep>\bsshpass\s{1,4}-p\s{0,4}[\"']?|--(?:pass(?:word|wd|phrase)?|token|secret|api-?key)\s{1,4}[\"']?)"
        r"(?!\[redacted|-)[^\s\"']{4,}+",
    ),
    _Secret(
        "secret",
        ("key", "secret", "passw", "token", "credential"),
        rf"(?P<keep>(?:{_NAMES})[\w-]{{0,20}}+[\"']?\s{{0,4}}+[:=]\s{{0,4}}[\"']?)(?!\[redacted)[^\s\"',;]{{6,}}+",
    ),
    _Secret(
        "password",
        ("pass", "pwd"),  # a path is what `pwd` prints, and no password
        r"(?P<keep>[pP](?<![A-Za-z].)(?i:ass|wd)[\"']?\s{0,4}[:=]\s{0,4}[\"']?)"
        r"(?!\[redacted|[/~.$])[^\s\"',;]{6,}+",
    ),
    _Secret(
        "secret",
        ("",),
        r"[A-Za-z0-9/+]{40}(?![\w/+=.-])(?<![\w/+=.-][A-Za-z0-9/+]{40})",
        _of_three_kinds,
    ),
)
_own: list[_Secret] = []


def learn(patterns: Iterable[str]) -> None:
    """Patterns of the user, in place of those that were learnt before."""
    _own[:] = [_Secret("own pattern", ("",), pattern) for pattern in patterns]


def own_patterns() -> tuple[str, ...]:
    return tuple(secret.pattern for secret in _own)


def redact(text: str) -> str:
    """`text` with each credential replaced by `[redacted: <its kind>]`."""
    return _without(text, lambda kind, _: f"[redacted: {kind}]")


def mask(text: str) -> str:
    """`text` with each credential crossed out character by character: nothing moves, so a screen stays as it was."""
    return _without(text, lambda _, secret: "".join(map(_cross, secret)))


Replace = Callable[[str, str], str]  # by its kind, and the secret itself


def _without(text: str, replace: Replace) -> str:
    for own in _own:
        text = _replaced(text, own, linear(own.pattern), replace)
    lowered = text.lower()
    keys = "|".join([pattern for signs, pattern in _KEYS if any(sign in text for sign in signs)])
    known = _Secret("API key", ("",), rf"(?<![A-Za-z0-9])(?:{keys})")
    for secret in (*_HEADERS, *([known] if keys else ()), *_WORDS):
        if any(sign in lowered for sign in secret.signs):
            text = _replaced(text, secret, _compiled(secret.pattern), replace)
    return text


@lru_cache(256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _replaced(text: str, secret: _Secret, pattern: re.Pattern[str], replace: Replace) -> str:
    parts, at, keeps = [], 0, "keep" in getattr(pattern, "groupindex", ())
    for found in pattern.finditer(text):
        begin, end = found.end("keep") if keeps else found.start(), found.end()
        if begin < end and (secret.fits is None or secret.fits(text[begin:end])):
            parts += [text[at:begin], replace(secret.kind, text[begin:end])]
            at = end
    return "".join([*parts, text[at:]]) if parts else text


def _cross(char: str) -> str:
    """Blanks and what draws boxes stay."""
    if char.isspace() or "\u2500" <= char <= "\u259f":
        return char
    return "ｘ" if unicodedata.east_asian_width(char) in "WF" else "x"
