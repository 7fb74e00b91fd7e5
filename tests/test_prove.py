"""The proofs themselves: what they remember, what they forget, and that a wrong claim cannot pass for a right one."""

import asyncio
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bench.row import Row, p50, p99
from paneward.core.result import Rung, SendResult, Verdict
from prove import crashes, delivery, fuzz, hosts, readiness, senders, servers, stores
from prove.ledger import Cell, Ledger, Outcome, Proof, fingerprint
from prove.place import Place, missing
from prove.play import play_all
from tests.live.ground import Case, Played

PROOFS = (
    *(delivery.PROOF, readiness.PROOF, crashes.PROOF, *senders.PROOFS, *servers.PROOFS, stores.PROOF, hosts.PROOF),
    fuzz.PROOF,
)


def played(judgement: str) -> Played:
    return Played(Case("plain_box", "ascii"), SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, ""), judgement, ())


def test_a_cell_that_was_played_is_remembered_and_one_of_other_code_is_not(tmp_path: Path) -> None:
    Ledger(tmp_path / "x.jsonl", "code", load=True).add("cell", Outcome("exact", True), 1.0)
    assert list(Ledger(tmp_path / "x.jsonl", "code", load=True).lines) == ["cell"]
    assert not Ledger(tmp_path / "x.jsonl", "other", load=True).lines
    assert not Ledger(tmp_path / "x.jsonl", "code", load=False).lines


def test_a_line_that_a_crash_tore_is_no_line(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "x.jsonl", "code", load=True)
    ledger.add("cell", Outcome("exact", True), 1.0)
    with (tmp_path / "x.jsonl").open("a") as file:
        file.write('{"key": "torn", "judgem')
    assert list(Ledger(tmp_path / "x.jsonl", "code", load=True).lines) == ["cell"]


def test_beginning_anew_forgets_only_what_this_code_showed(tmp_path: Path) -> None:
    for code in ("old", "new"):
        Ledger(tmp_path / "x.jsonl", code, load=True).add("cell", Outcome("exact", True), 1.0)
    Ledger(tmp_path / "x.jsonl", "new", load=True).forget()
    assert [json.loads(line)["code"] for line in (tmp_path / "x.jsonl").read_text().splitlines()] == ["old"]


def test_the_fingerprint_changes_with_the_code(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "one.py").write_text("a = 1\n")
    before = fingerprint(["src"], tmp_path)
    assert before == fingerprint(["src"], tmp_path)
    (tmp_path / "src" / "one.py").write_text("a = 2\n")
    assert before != fingerprint(["src"], tmp_path)


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.name)
def test_every_cell_has_a_key_of_its_own_and_later_rounds_only_add(proof: Proof) -> None:
    one, two = ([cell.key for cell in proof.cells(rounds)] for rounds in (1, 2))
    assert len(set(two)) == len(two)
    assert set(one) < set(two)


@pytest.mark.parametrize(
    "wrong", ["false claim", "false failure", "mangled", "stray enter", "error", "needless refusal"]
)
def test_whatever_is_not_exact_or_honestly_refused_is_complained_of(wrong: str) -> None:
    lines = [{"key": "a", "judgement": "exact", "ok": True, "readable": True}] * 999
    assert not delivery.complaints(lines)
    assert delivery.complaints([*lines, {"key": "b", "judgement": wrong, "ok": False, "readable": True}])


def test_unconfirmed_is_no_excuse_where_the_composer_can_be_read_and_rare_elsewhere() -> None:
    exact = {"key": "a", "judgement": "exact", "ok": True, "readable": True}
    unconfirmed = {"key": "b", "judgement": "unconfirmed", "ok": True, "readable": False}
    assert not delivery.complaints([exact] * 99 + [unconfirmed])
    assert delivery.complaints([exact] * 98 + [unconfirmed] * 2)
    assert delivery.complaints([exact] * 99 + [unconfirmed | {"readable": True}])


def test_a_refusal_is_right_only_where_the_text_must_not_go_in_and_only_if_nothing_was_pressed() -> None:
    box, menu = delivery.Scenario("plain_box", []), delivery.Scenario("menu", [], outcome="refused")
    assert delivery.judge(box, played("exact"), []) == "exact"
    assert delivery.judge(box, played("refused"), []) == "needless refusal"
    assert delivery.judge(menu, played("refused"), []) == "refused"
    assert delivery.judge(menu, played("refused"), [{"event": "key"}]) == "pressed something"
    assert delivery.judge(replace(menu, outcome="honest"), played("false claim"), []) == "false claim"


def test_a_crash_that_left_a_trace_is_told() -> None:
    clean = {"clients": 2, "stalled": False, "orphans": [], "grown_mb": 0.5, "torn": False, "followed": 2000}
    assert crashes._wrong(clean) == []
    for trace in ({"stalled": True}, {"orphans": [7]}, {"grown_mb": 10.5}, {"torn": True}, {"followed": 0}):
        assert crashes._wrong(clean | trace)


@pytest.mark.skipif("tmux" in missing(), reason="tmux is not installed")
def test_cells_are_played_on_a_real_server_and_whatever_goes_wrong_in_one_is_its_result(tmp_path: Path) -> None:
    async def well(place: Place) -> Outcome:
        return Outcome("fine", place.server.run("list-sessions") != "")

    async def ill(place: Place) -> Outcome:
        raise ValueError("as it happens")

    async def endless(place: Place) -> Outcome:
        await asyncio.Event().wait()
        raise AssertionError

    cells = [Cell("well", well), Cell("ill", ill), Cell("endless", endless, seconds=0.01), Cell("well again", well)]
    ledger = Ledger(tmp_path / "x.jsonl", "code", load=False)
    proof = Proof("x", "", lambda _: cells, 1, lambda _: [], lanes=2)
    asyncio.run(play_all(proof, cells, ledger, None, lambda _: None))
    assert {key: line["judgement"] for key, line in ledger.lines.items()} == {
        "well": "fine",
        "ill": "error",
        "endless": "no end",
        "well again": "fine",
    }
    assert "as it happens" in ledger.lines["ill"]["error"]


def test_percentiles_and_figures_are_shown_as_measured() -> None:
    assert (p50([1, 2, 3]), p99(list(range(100)))) == (2, 99)
    assert Row("a", "a", "", {"x": 12.3456, "y": {"b": 1.0, "c": 2}}, True).figures == "x 12.35, y 1 / 2"


@pytest.mark.parametrize("reader", fuzz.READERS)
def test_noise_breaks_no_reader(reader: str) -> None:
    assert fuzz.fuzz(reader, seed=0, size=20_000).ok


def test_a_reader_that_grows_or_crashes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def grows(_: random.Random) -> Iterator[int]:
        held: list[bytes] = []
        while True:
            held.append(bytes(fuzz.HELD))
            yield fuzz.SIZE

    def crashes_at_once(_: random.Random) -> Iterator[int]:
        yield len([][0])

    monkeypatch.setitem(fuzz.READERS, "grows", grows)
    monkeypatch.setitem(fuzz.READERS, "crashes", crashes_at_once)
    assert fuzz.fuzz("grows", seed=0).judgement == "grown"
    with pytest.raises(IndexError):
        fuzz.fuzz("crashes", seed=0)
