"""Credentials of 47 kinds and more are not kept; ordinary words are."""

import random
import string

import pytest

from paneward.core.credentials import learn, mask, own_patterns, redact

HEX32 = "0123456789abcdef0123456789abcdef"
MIXED = "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5mN7pQ9sT1vX3zB5dF7h"
# Made of parts, so that nobody's scanner takes this file for a leak.
SECRETS = {
    "AWS secret": "wJalrXUtnFEMI/K7MDENG" + "/bPxRfiCYEXAMPLEKEY",
    "AWS id": "AKIA" + "IOSFODNN7EXAMPLE",
    "DB_PASS": "DB_PASS=" + "hunter2hunter2",
    "AccountKey": "AccountKey=" + MIXED + "==",
    "SendGrid": "SG." + MIXED[:22] + "." + MIXED[:43],
    "DigitalOcean": "dop_v1_" + HEX32 * 2,
    "Telegram": "123456789:" + MIXED[:35],
    "Twilio": "SK" + HEX32,
    "Discord": "M" + MIXED[:23] + "." + MIXED[:6] + "." + MIXED[:27],
    "age": "AGE-SECRET-KEY-1" + MIXED.upper()[:58],
    "Vault": "hvs." + MIXED[:24],
    "Vault, old": "s." + MIXED[:24],
    "Databricks": "dapi" + HEX32,
    "GitLab": "glpat-" + MIXED[:20],
    "GitLab runner": "glrt-" + MIXED[:20],
    "GitLab runner, old": "GR1348941" + MIXED[:20],
    "Docker": "dckr_pat_" + MIXED[:27],
    "Shopify": "shpat_" + HEX32,
    "Linear": "lin_api_" + MIXED[:40],
    "Groq": "gsk_" + MIXED[:52],
    "xAI": "xai-" + MIXED[:50],
    "Cookie": "Cookie: session=" + MIXED[:20] + "; theme=dark",
    "Set-Cookie": "Set-Cookie: sid=" + MIXED[:20] + "; HttpOnly",
    "passphrase": "passphrase: correct horse battery staple",
    "sshpass": "sshpass -p " + "hunter2hunter2",
    "credential": "credential=" + MIXED[:20],
    "pwd": "pwd=" + "hunter2hunter2",
    "pass in JSON": '"pass": "' + "hunter2hunter2" + '"',
    "GitHub": "ghp_" + MIXED[:36],
    "GitHub, fine": "github_pat_" + MIXED[:40],
    "OpenAI": "sk-proj-" + MIXED[:40],
    "Anthropic": "sk-ant-api03-" + MIXED[:40],
    "Stripe": "sk_live_" + MIXED[:24],
    "Stripe webhook": "whsec_" + MIXED[:32],
    "Slack": "xoxb-" + "123456789012-" + MIXED[:24],
    "Slack app": "xapp-1-" + MIXED[:30],
    "Slack webhook": "https://hooks.slack.com/services/T00000000/B00000000/" + MIXED[:24],
    "Discord webhook": "https://discord.com/api/webhooks/123456789012345678/" + MIXED[:50],
    "Google": "AIza" + MIXED[:35],
    "Google OAuth": "GOCSPX-" + MIXED[:28],
    "npm": "npm_" + MIXED[:36],
    "PyPI": "pypi-" + MIXED[:50],
    "Hugging Face": "hf_" + MIXED[:34],
    "JWT": "eyJ" + MIXED[:20] + ".eyJ" + MIXED[:20] + "." + MIXED[:20],
    "bearer": "Bearer " + MIXED[:30],
    "Basic": "Authorization: Basic " + MIXED[:30],
    "URL": "postgresql://me:" + "hunter2hunter2" + "@db/x",
    "private key": "-----BEGIN PRIVATE KEY-----\n" + MIXED + "\n-----END PRIVATE KEY-----",
    "token flag": "tool --token " + MIXED[:20],
    "password flag": "mysql --password " + "hunter2hunter2",
    "Sentry": "sntrys_" + MIXED[:40],
    "Supabase": "sbp_" + HEX32 + "01234567",
}
PLAIN = (
    "PWD=/home/me/project",
    "pwd: ~/work",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "12:34:56 the tests pass: 12 of 12",
    "the cookie banner: gone",
    "a bypass = 123456789",
    "src/paneward/core/profiles/kinds/Claude2/row",
    "https://example.org/a/b?c=d",
    "the passenger: 12345678",
    "s.upper() and s.lower()",
    "glossary-of-all-the-words",
)


@pytest.mark.parametrize("kind", SECRETS)
def test_no_credential_is_kept(kind: str) -> None:
    secret = SECRETS[kind]
    for text in (secret, f"before {secret}\nafter", f"export X\n{secret}"):
        kept = redact(text)
        assert "[redacted: " in kept, kept
        assert not any(part in kept for part in (MIXED[:16], HEX32[:16], "hunter2", "horse", "K7MDENG", "IOSFODNN")), (
            kept
        )
        assert redact(kept) == kept
        masked = mask(text)
        assert (len(masked), "hunter2" in masked) == (len(text), False)


@pytest.mark.parametrize("text", PLAIN)
def test_ordinary_words_are_kept(text: str) -> None:
    assert redact(text) == text


def test_patterns_of_the_user_come_first() -> None:
    try:
        learn([r"ACME-\d+", r"badge \w+"])
        assert own_patterns() == (r"ACME-\d+", r"badge \w+")
        assert redact("ticket ACME-12, badge ada") == "ticket [redacted: own pattern], [redacted: own pattern]"
        assert mask("ACME-12") == "xxxxxxx"
    finally:
        learn([])
    assert redact("ticket ACME-12") == "ticket ACME-12"


def test_a_pattern_of_the_user_cannot_take_ages_and_empty_finds_change_nothing() -> None:
    try:
        learn([r"(a+)+\Z!", "x*"])
        assert redact("a" * 100_000) == "a" * 100_000
        assert redact("fine\udc80 xx") == "fine\udc80 [redacted: own pattern]"
    finally:
        learn([])


def test_what_nobody_meant_as_a_credential_costs_time_in_proportion() -> None:
    """Texts that nearly match, and are long: a pattern that goes back and forth would not end."""
    for part in ("Cookie: a", "pass", "passphrase ", "key-", "A1b/", "--token ", "12345678:", "sshpass -p ", "M.M."):
        redact(part * (200_000 // len(part)))
    redact("".join(random.Random(1).choices(string.printable, k=200_000)))
