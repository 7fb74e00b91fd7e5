"""The plain page: what it needs is there, and nothing of it could be turned against who looks at it."""

import re
from pathlib import Path

import pytest

from paneward.core.agent.record import TIMED_OUT, Stage
from paneward.surfaces.http import page
from tests.surfaces.http.conftest import Open, Site
from tests.surfaces.http.test_routes import run

STATIC = Path(page.__file__).parent / "static"
SCRIPT, DOCUMENT, STYLE = ((STATIC / name).read_text() for name in ("page.js", "index.html", "page.css"))


def test_the_page_has_words_for_every_state() -> None:
    table = SCRIPT.split("const STATES = {")[1].split("};")[0]
    assert set(re.findall(r"^  (\w+):", table, re.MULTILINE)) == {*Stage, TIMED_OUT}


def test_texts_of_agents_are_never_taken_for_markup() -> None:
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", SCRIPT)


def test_the_document_holds_no_script_or_style_of_its_own() -> None:
    assert not re.search(r"<style|\son\w+=|\sstyle=", DOCUMENT)
    assert re.findall(r"<script[^>]*>", DOCUMENT) == ['<script src="/page.js" type="module">']
    assert "unsafe" not in page.POLICY


def test_every_element_that_the_script_names_is_in_the_document() -> None:
    for name in set(re.findall(r'\$\("(\w+)"\)', SCRIPT)):
        assert f'id="{name}"' in DOCUMENT, name
    for name in set(re.findall(r'part\(card, "\.?(\w+)"\)', SCRIPT)):
        assert re.search(rf'<{name}\b|class="{name}"', DOCUMENT), name


def test_people_can_read_it_without_seeing_it_and_on_a_phone() -> None:
    assert '<html lang="en">' in DOCUMENT
    assert 'name="viewport"' in DOCUMENT
    assert DOCUMENT.count('aria-live="polite"') >= 2
    assert ":focus-visible" in STYLE
    assert "min-height: 2.75rem" in STYLE, "a thumb needs 44 pixels"


@pytest.mark.parametrize(("path", "kind"), [("/page.css", "text/css"), ("/page.js", "text/javascript")])
def test_its_files_are_open_to_all(open_site: Open, path: str, kind: str) -> None:
    async def test(site: Site) -> None:
        answer = await site.client.get(path, headers={"authorization": ""})
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)

    run(open_site, test)


def test_words_of_a_failure_are_not_taken_for_markup() -> None:
    assert b"&lt;b&gt;" in page.not_signed_in("<b>").body
