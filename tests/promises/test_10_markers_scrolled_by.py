"""Each marker is heard once, or the gap is told, whatever clears, scrolls, resizes or switches screens."""

import asyncio
from pathlib import Path

import pytest

from paneward.core.agent.record import Stage
from tests.adapters.conftest import until
from tests.live.conftest import Ground
from tests.live.serving import Scene, played
from tests.live.test_signals import PATIENCE, say, signals, told

HEIGHT = 40
# What a program or a person does to the screen before the markers are printed.
BEFORE = {
    "nothing": "true",
    "clear": "clear",
    "clear keeping the scrollback": "clear -x",
    "reset": "printf '\\033c'",
    "erase": "printf '\\033[2J\\033[H'",
    "home": "printf '\\033[H'",
    "tput": "tput clear; tput cup 5 0; tput el",
    "alternate screen": "printf '\\033[?1049h\\033[2J\\033[Hpainted\\033[?1049l'",
    "scroll region": "printf '\\033[1;20r\\033[20;1H'; seq 30; printf '\\033[r\\033[40;1H'",
    "upwards": "printf 'one\\ntwo\\n\\033[2A\\033[J'",
}


async def shell(one: Scene) -> str:
    """A shell as an agent, in a pane of 80 by 40. It echoes nothing: what is typed ahead would land within a marker."""
    server = one.ground.server
    starts = "stty -echo; PS1='$ ' exec bash --norc --noprofile"
    pane = server.new_pane(["sh", "-c", starts], 80, HEIGHT, remain=True)
    until(lambda: "$" in server.screen(pane))
    await one.agents.adopt(pane, name="worker", socket_name=server.name)
    await one.agents.tracked()
    return pane


def in_front(ground: Ground, pane: str) -> str:
    return ground.server.run("display-message", "-p", "-t", pane, "#{pane_current_command}").strip()


def written(ground: Ground, name: str, lines: list[str]) -> str:
    path = Path(ground.server.home) / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def marker(message: object, state: str = "working") -> str:
    return f"--<[paneward:{state}:{message}]>--"


async def heard(one: Scene, last: str) -> list[str]:
    """The messages that were heard once this one was, and nothing waits to be read any more."""
    keeper = one.agents._keepers["worker"]
    try:
        async with asyncio.timeout(PATIENCE):
            with one.server.bus.subscribe() as news:
                while last not in (found := await messages(one)):
                    await anext(news)
            while keeper.tracker.behind or keeper.tracker.found:  # noqa: ASYNC110 - nothing else tells it
                await asyncio.sleep(0.05)  # until the scrollback was read
    except TimeoutError:
        panes, pane = one.agents.connection("worker")
        raise AssertionError(f"{found} on:\n{await panes.capture(pane)}") from None
    return await messages(one)


async def messages(one: Scene) -> list[str]:
    return [message for _, message in told(await one.store.events(kinds=["signal_seen"], agent_id="worker"))]


async def gaps(one: Scene) -> int:
    return len(await one.store.events(kinds=["output_lost"], agent_id="worker"))


@pytest.mark.parametrize("before", BEFORE)
def test_one_marker_that_scrolls_by_at_once_is_heard_once(ground: Ground, before: str) -> None:
    path = written(ground, "one", [marker("it is here"), *(f"line {number}" for number in range(60))])

    async def work(one: Scene) -> None:
        pane = await shell(one)
        say(ground, pane, BEFORE[before])
        say(ground, pane, f"cat {path}")
        say(ground, pane, f"cat {written(ground, 'end', [marker('the end', 'idle')])}")
        assert await heard(one, "the end") == ["it is here", "the end"]
        assert await gaps(one) == 0

    played(ground, work)


@pytest.mark.parametrize("before", ["clear", "alternate screen", "home"])
def test_hundreds_of_markers_at_once_are_heard_each_once_and_in_order(ground: Ground, before: str) -> None:
    path = written(ground, "many", [marker(f"number {number}") for number in range(300)])

    async def work(one: Scene) -> None:
        pane = await shell(one)
        say(ground, pane, BEFORE[before])
        say(ground, pane, f"cat {path}")
        say(ground, pane, f"cat {written(ground, 'end', [marker('the end', 'idle')])}")
        assert await heard(one, "the end") == [*(f"number {number}" for number in range(300)), "the end"]
        assert await gaps(one) == 0

    played(ground, work)


@pytest.mark.parametrize(("program", "leave"), [("vim -u NONE -n", ":q!"), ("less -X", "q"), ("less", "q")])
def test_a_program_of_the_whole_screen_in_between_hides_nothing(ground: Ground, program: str, leave: str) -> None:
    path = written(ground, "one", [marker("it is here"), *(f"line {number}" for number in range(60))])
    other = written(ground, "other", ["nothing of interest"])

    async def work(one: Scene) -> None:
        pane = await shell(one)
        say(ground, pane, f"{program} {other}")
        await asyncio.to_thread(until, lambda: "nothing of interest" in ground.server.screen(pane))
        say(ground, pane, leave)
        await asyncio.to_thread(until, lambda: in_front(ground, pane) == "bash")  # vim throws away what is typed ahead
        say(ground, pane, f"cat {path}")
        say(ground, pane, f"cat {written(ground, 'end', [marker('the end', 'idle')])}")
        assert await heard(one, "the end") == ["it is here", "the end"]

    played(ground, work)


def test_the_same_words_again_after_a_clear_are_heard_as_often_as_they_are_printed(ground: Ground) -> None:
    path = written(ground, "same", [marker("the same")] * 100)

    async def work(one: Scene) -> None:
        pane = await shell(one)
        say(ground, pane, "clear")
        say(ground, pane, f"cat {path}")
        say(ground, pane, f"cat {written(ground, 'end', [marker('the end', 'idle')])}")
        assert await heard(one, "the end") == [*["the same"] * 100, "the end"]

    played(ground, work)


def test_a_resize_in_the_middle_of_the_output_hides_nothing_and_tells_nothing_twice(ground: Ground) -> None:
    parts = {part: [marker(f"{part}.{at} {'long ' * 9}") for at in range(60)] for part in "abc"}
    names = [written(ground, f"part {part}", lines) for part, lines in parts.items()]

    async def work(one: Scene) -> None:
        pane = await shell(one)
        say(ground, pane, "clear")
        for name, width in zip(names, (50, 120, 80), strict=True):
            say(ground, pane, f"cat '{name}'")
            ground.server.run("resize-window", "-t", pane, "-x", str(width))
        say(ground, pane, f"cat {written(ground, 'end', [marker('the end', 'idle')])}")
        found = [message.split(" ")[0] for message in await heard(one, "the end")]
        assert found == [*(f"{part}.{at}" for part in "abc" for at in range(60)), "the"]

    played(ground, work)


@pytest.mark.parametrize("rows", [10, 100])
def test_a_page_that_is_drawn_again_and_again_is_heard_once_also_by_the_next_server(ground: Ground, rows: int) -> None:
    """A page longer than the screen scrolls by at each drawing."""
    lines = [f"It is line {number} of a page with some words.\n{marker(number)}" for number in range(rows)]
    page = written(ground, "page", lines)
    ends = written(ground, "end", [marker("the end", "idle")])
    draws = "for i in 1 2 3 4 5; do printf '\\033[2J\\033[3J\\033[H'; cat {}; done"

    async def first(one: Scene) -> str:
        pane = await shell(one)
        say(ground, pane, draws.format(page))
        say(ground, pane, f"cat {ends}")
        assert await heard(one, "the end") == [*map(str, range(rows)), "the end"]
        return pane

    async def second(one: Scene) -> None:
        await one.agents.tracked()
        say(ground, pane, draws.format(page))
        say(ground, pane, f"cat {written(ground, 'other', [marker('the very end', 'idle')])}")
        assert await heard(one, "the very end") == [*map(str, range(rows)), "the end", "the very end"]

    pane = played(ground, first)
    played(ground, second)


def test_an_agent_with_a_frame_that_prints_more_than_a_screen_at_once(ground: Ground) -> None:
    said = "\n".join((marker("it is here"), *(f"line {number}" for number in range(80))))

    async def work(one: Scene) -> None:
        await one.adopt()
        await one.agents.tracked()
        await one.agents.send("worker", f"say {said}")
        assert await heard(one, "said it") == ["it is here", "said it"]

    played(ground, work)


def test_the_same_answer_to_the_same_prompt_is_heard_in_each_turn(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        await one.adopt()
        await one.agents.tracked()
        for turn in range(1, 11):  # the screen is full after four
            await one.agents.send("worker", "say the same")
            assert told(await signals(one, turn)) == [("completed", "said it")] * turn
            await one.until(Stage.COMPLETE)

    played(ground, work)
