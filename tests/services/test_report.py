"""What a report keeps: everything but credentials, and what was read from what it keeps."""

import json
import re
from dataclasses import replace

from paneward.core.profiles import GENERIC, Recognised
from paneward.core.readiness.inspection import read
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.terminal.flow import Phase
from paneward.core.terminal.scene import ProcessFacts, Scene, Snapshot
from paneward.services.profile_report import masked, read_again, redacted, report_of
from paneward.store import Delivery
from paneward.surfaces.cli.commands.report import bundle, readings
from tests.core.screen.agents import CAPTURES, Capture, each_of

KEY = "sk-ant-api03-AbCdEfGhIjKlMnOp1234"
RECEIPT = SendResult(Verdict.FAILED, Rung.TYPED, f"saw {KEY}", detail=f"held {KEY}", hint=KEY, dump=f"$ {KEY}")
ROW = Delivery("1", None, "local:/x", "%1", 7, f"use {KEY}", "hash", 9, Phase.DONE, RECEIPT, "now", "now")


@each_of(CAPTURES[::3])
def test_a_report_that_was_written_and_read_back_gives_what_was_read_live(capture: Capture) -> None:
    process = ProcessFacts("node", "node", 7, reading=True, canonical=False, echo=False, unread=0)
    scene = Scene(capture.snapshot, process, quiet=1.23456)
    found, prompt = Recognised(capture.versioned, "pattern", "line"), capture.profile.prompt
    document = json.loads(json.dumps(bundle(report_of([scene, scene], found, prompt))))
    live = read(masked(scene), found, re.compile(prompt))
    assert readings(document) == [live, live]


def test_a_report_holds_the_row_that_was_used_and_not_the_one_of_its_reader() -> None:
    seen = Snapshot("%1", ("ask? ",), 20, 1, 5, 0)
    own = replace(GENERIC, name="mine", prompt=r"\? $")
    document = json.loads(json.dumps(bundle(report_of([Scene(seen, quiet=9.0)], Recognised(own), own.prompt))))
    assert document["profile"]["prompt"] == r"\? $"
    assert read_again(document["looks"][0], document["profile"], document["prompt"]).profile == "mine"


def test_no_part_of_a_receipt_keeps_a_credential() -> None:
    kept = redacted(ROW)
    assert KEY not in repr(kept)
    assert kept.receipt is not None
    assert KEY not in kept.receipt.dump
    assert (kept.text_hash, kept.length) == ("", 9)
    assert redacted(replace(ROW, text=None, receipt=None)).text is None


def test_command_line_and_title_are_masked_in_their_width() -> None:
    facts = ProcessFacts("agent", f"agent --key {KEY}", 7)
    scene = masked(Scene(Snapshot("%1", ("",), 20, 1, 0, 0, title=f"token={KEY}"), facts))
    assert scene.process == replace(facts, argv=f"agent --key {'x' * len(KEY)}")
    assert scene.snapshot.title == f"token={'x' * len(KEY)}"
    assert masked(replace(scene, process=None)).process is None
