"""Which version of a program is installed, in its own words.

What surprised us: some agents need seconds for `--version`, and some start an updater or ask something when they can:
they get no terminal and no input.
"""

import re

from paneward.adapters.hosts.host import NOT_FOUND, Host

PATIENCE = 20.0  # seconds: a cold start on a loaded machine takes half of it
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?[\w.+-]*")


async def version_of(host: Host, program: str, timeout: float = PATIENCE) -> str | None:
    """The version of a program on PATH, else its first words; None where it is not installed."""
    if host.has(program) is False:
        return None
    done = await host.run([program, "--version"], timeout=timeout)
    if done.status == NOT_FOUND:
        return None
    said = f"{done.stdout.decode('utf-8', 'replace')}\n{done.words}".strip()
    found = _VERSION.search(said)
    return found[0] if found else said.partition("\n")[0][:80] or f"no word, exit status {done.status}"
