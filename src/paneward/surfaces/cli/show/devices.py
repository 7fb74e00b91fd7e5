"""Browsers that are signed in, for people. Shape: functions, as in `show`."""

from paneward.adapters.clock import SystemClock
from paneward.client.devices import Devices, SignedOut
from paneward.surfaces.cli.show.lines import Output, advise, ago, say, short, table

HEADS = ("device", "seen", "signed in", "signed out in", "browser")


def show_devices(console: Output, answer: Devices | SignedOut) -> None:
    match answer:
        case SignedOut(device):
            say(console, ("✓ signed out", "bold green"), (f"  {device}", ""))
        case Devices(()):
            say(console, ("no browser is signed in", ""))
            advise(console, "`paneward status --sign-in` prints an address that signs one in.")
        case Devices(devices):
            now = SystemClock().wall()
            rows = (
                (one.id, ago(now - one.seen_at), ago(now - one.created_at), ago(one.until - now), short(one.name))
                for one in devices
            )
            table(console, HEADS, rows)
