"""The page in a real browser: Debian's Chromium, signed in by the URL that counts once, on agents in real panes.

One browser does for all: its start takes most of the time.
"""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, ViewportSize, async_playwright, expect

from tests.surfaces.http.conftest import Open, Site, listening
from tests.surfaces.http.test_routes import run

CHROMIUM = shutil.which("chromium")
# Nothing but the page is asked for over any network.
QUIET = [
    "--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--no-proxy-server",
]  # fmt: skip
PATIENCE = 120_000.0  # milliseconds for what comes at once on a machine with nothing else to do
PHONE: ViewportSize = {"width": 360, "height": 740}
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
COMMAND = f"rm -r build/{'deep' * 40} && echo done"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
expect.set_options(timeout=PATIENCE)


@asynccontextmanager
async def browsing() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET, timeout=PATIENCE)
        try:
            yield browser
        finally:
            await browser.close()


async def signed_in(site: Site, url: str, page: Page) -> list[str]:
    """Open the address that is printed at the start; what the page complains of from then on."""
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_default_timeout(PATIENCE)
    await page.goto(f"{url}/signin?code={site.access.new_code()}")
    await expect(page.locator("#link")).to_have_text("live")
    return complaints


async def picture(page: Page, directory: Path, name: str) -> None:
    """What a person saw, to be looked at where a test failed."""
    await page.screenshot(path=directory / f"{name}.png", full_page=True)


def test_in_a_browser_agents_are_seen_live_and_answered_by_a_click(open_site: Open, tmp_path: Path) -> None:
    async def test(site: Site) -> None:
        async with listening(site.api) as url, browsing() as browser:
            await who_is_not_signed_in_is_told_how_to(site, url, await browser.new_page(), tmp_path)
            await an_agent_appears_asks_and_is_answered(site, url, await browser.new_page(), tmp_path)
            phone = await browser.new_page(viewport=PHONE, is_mobile=True, has_touch=True)
            await on_a_phone_nothing_runs_off_the_side(site, url, phone, tmp_path)

    run(open_site, test)


async def who_is_not_signed_in_is_told_how_to(site: Site, url: str, page: Page, pictures: Path) -> None:
    used = site.access.new_code()
    site.access.sign_in(used)
    for path, words in (("/", "This browser is not signed in."), (f"/signin?code={used}", "was used before")):
        answer = await page.goto(f"{url}{path}", timeout=PATIENCE)
        assert answer is not None
        assert answer.status == 401
        await expect(page.get_by_text(words)).to_be_visible()
        await expect(page.get_by_text("paneward status --sign-in")).to_be_visible()
    await picture(page, pictures, "signed-out")


async def an_agent_appears_asks_and_is_answered(site: Site, url: str, page: Page, pictures: Path) -> None:
    complaints = await signed_in(site, url, page)
    await expect(page.get_by_text("No agent is watched.")).to_be_visible()
    await site.adopt("tester", "--busy", "0.3")  # seen without a reload
    card = page.get_by_role("listitem", name="tester")
    await card.get_by_label("Tell tester").fill("ask which colour")
    await card.get_by_role("button", name="Send").click()
    await expect(card.get_by_role("group", name="which colour")).to_be_visible()
    await expect(card.locator(".badge")).to_have_text("? asks")
    assert await page.title() == "(1) Paneward"
    assert await card.get_by_role("button").all_inner_texts() == ["1. Red", "2. Green", "3. Blue", "Answer"]
    await picture(page, pictures, "question")
    await card.get_by_role("button", name="2. Green").click()
    await expect(card.locator(".receipt")).to_contain_text("confirmed")
    await expect(card.locator(".badge")).to_have_text("✓ done")
    assert "You chose Green" in (await site.client.get("/api/agents/tester/screen")).json()["text"]
    assert await page.title() == "Paneward"
    assert complaints == []


async def on_a_phone_nothing_runs_off_the_side(site: Site, url: str, page: Page, pictures: Path) -> None:
    assert (await site.client.post("/api/agents/tester/send", json={"text": f"permit {COMMAND}"})).is_success
    complaints = await signed_in(site, url, page)
    card = page.get_by_role("listitem", name="tester")
    await expect(card.get_by_role("group", name="Do you want to proceed?")).to_be_visible()
    await expect(card.locator(".about")).to_contain_text("&& echo done")  # for what it asks, to its end
    await picture(page, pictures, "phone")
    assert await page.evaluate(TOO_WIDE) == 0
    await card.get_by_role("button", name="1. Yes", exact=True).tap()
    await expect(card.locator(".badge")).to_have_text("✓ done")
    assert complaints == []
    await page.context.clear_cookies()  # its time is up
    await card.get_by_label("Tell tester").fill("say no more")
    await card.get_by_role("button", name="Send").tap()
    await expect(page.locator("#link")).to_contain_text("paneward status --sign-in")
    assert await page.evaluate(TOO_WIDE) == 0
