"""Recordings for people. Shape: functions, as in `show`."""

from datetime import datetime

from paneward.core.recording.recorder import KeptRecording
from paneward.surfaces.cli.show.lines import Output, StyledWords, advise, ago, say, table
from paneward.surfaces.cli.upkeep import Cast, Recording, RecordingList


def show_recordings(console: Output, answer: Cast | Recording | RecordingList) -> None:
    match answer:
        case Recording():
            _recording(console, answer)
        case RecordingList(recordings):
            _kept(console, recordings)
        case Cast(file, size, _, notes):
            say(console, ("✓ written ", "bold green"), (str(file), "bold"), (f"  {bytes_in_words(size)}", "dim"))
            for note in notes:
                say(console, ("  note: ", "yellow"), (note, ""))
            advise(console, f"`asciinema play {file}` shows it, and so does any player of asciicasts.")


def _recording(console: Output, answer: Recording) -> None:
    if not answer.running:
        say(console, ("✓ stopped", "bold green"), (f"  {answer.agent_id}: {answer.recording}", ""))
        advise(console, f"`paneward cast export {answer.agent_id} --idle-cap 2 --out FILE` hands it out.")
        return
    words = "recording" if answer.fresh else "is recorded already"
    say(console, (f"✓ {words}", "bold green"), (f"  {answer.agent_id}: {answer.recording}", ""))
    advise(console, f"What stands on the screen stands in it. `paneward record {answer.agent_id} --stop` ends it.")


def _kept(console: Output, recordings: tuple[KeptRecording, ...]) -> None:
    if not recordings:
        say(console, ("nothing was recorded", ""))
        advise(console, "`paneward record AGENT` begins a recording.")
        return
    table(console, ("agent", "recording", "began", "lasts", "size", "parts"), map(_row, recordings))


def _row(one: KeptRecording) -> tuple[str | StyledWords, ...]:
    began = f"{datetime.fromtimestamp(one.began).astimezone():%Y-%m-%d %H:%M:%S}"
    lasts = StyledWords(ago(one.ended - one.began) + (" …" if one.running else ""), "bold" if one.running else "")
    return one.agent_id, one.name, began, lasts, bytes_in_words(one.bytes), str(one.parts)


def bytes_in_words(size: int) -> str:
    for unit, much in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= much:
            return f"{size / much:.1f} {unit}"
    return f"{size} bytes"
