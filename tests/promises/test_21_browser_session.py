"""Promise 21: the browser's session is opaque, short and bound to this server; other pages here cannot use it."""

import base64
import json

import pytest
from websockets.exceptions import InvalidStatus

from tests.promises.browser import Browser, bearer, signed_in
from tests.promises.test_14_channels_end import terminal
from tests.surfaces.conftest import Machine
from tests.surfaces.serving import Up, up


def test_the_cookie_says_nothing_and_lasts_for_hours(server: Up) -> None:
    operator = bearer(server, "operator")
    url = operator.ask("/api/signin-code", "POST", {}).document["url"]
    answer = Browser(server.said["url"]).ask(url.partition(server.said["url"])[2], user_agent="Tester/1.0")
    cookie = answer.headers["set-cookie"]
    value = cookie.partition("=")[2].partition(";")[0]
    assert value.count(".") == 1  # no token of claims has two parts
    for part in value.split("."):
        assert b"operator" not in base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    parts = cookie.split("; ")
    assert {"HttpOnly", "Path=/", "SameSite=strict"} <= set(parts)
    assert 0 < int(next(part for part in parts if part.startswith("Max-Age=")).partition("=")[2]) <= 12 * 3600
    [device, *_] = operator.ask("/api/devices").document["devices"]
    assert device["name"] == "Tester/1.0"
    assert value.startswith(device["id"])
    assert value not in json.dumps(operator.ask("/api/devices").document)
    stored = (server.state / "devices.json").read_text()
    assert value.partition(".")[2] not in stored
    assert (server.state / "devices.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("site", ["same-site", "cross-site"])
@pytest.mark.parametrize(
    "path", ["/", "/api/version", "/api/agents", "/api/events/stream", "/metrics", "/openapi.json"]
)
def test_a_page_of_another_port_cannot_use_the_cookie(server: Up, site: str, path: str) -> None:
    browser = signed_in(server)
    answer = browser.ask(path, sec_fetch_site=site)
    assert (answer.status, answer.code) == (403, "FOREIGN_ORIGIN")
    with browser.open(path) as own:
        assert own.status == 200


def test_neither_can_it_open_a_terminal_or_change_something(server: Up) -> None:
    browser = signed_in(server)
    browser.headers["sec-fetch-site"] = "same-site"
    with pytest.raises(InvalidStatus, match="403"), terminal(server, browser):
        pass
    assert browser.ask("/api/shutdown", "POST", {}).code == "FOREIGN_ORIGIN"
    assert browser.ask("/api/devices").code == "FOREIGN_ORIGIN"


def test_a_session_outlives_a_restart_and_is_of_no_use_elsewhere(machine: Machine) -> None:
    with up(machine) as server:
        browser = signed_in(server)
    with up(machine) as again:
        browser.url, name = again.said["url"], f"paneward-{again.said['url'].rpartition(':')[2]}"
        browser.cookie = f"{name}={browser.cookie.partition('=')[2]}"
        assert browser.ask("/api/version").status == 200
    (server.state / "identity.key").unlink()
    with up(machine) as other:
        browser.url, name = other.said["url"], f"paneward-{other.said['url'].rpartition(':')[2]}"
        browser.cookie = f"{name}={browser.cookie.partition('=')[2]}"
        assert browser.ask("/api/version").status == 401


def test_the_command_line_lists_devices_and_signs_one_out(server: Up) -> None:
    browser = signed_in(server)
    device = browser.cookie.partition("=")[2].partition(".")[0]
    assert device in [one["id"] for one in server.machine.answer("devices")["devices"]]
    assert device in server.machine.paneward("devices").out
    assert server.machine.answer("devices", "--sign-out", device)["device"] == device
    assert browser.ask("/api/version").status == 401
    again = server.machine.paneward("--json", "devices", "--sign-out", device)
    assert (again.code, again.document["error"]["code"]) == (4, "NO_SUCH_DEVICE")
