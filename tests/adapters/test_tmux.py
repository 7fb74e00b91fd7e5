"""What the Tmux port promises, over both transports, here and over ssh."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from paneward.core.errors import PaneDead, PaneMoved, PaneNotFound, TmuxError
from tests.adapters.conftest import LiveTmux, TmuxServer, until

AnyTmux = Callable[[], LiveTmux]
RAW_LOG = (  # a raw-mode program that writes what it is sent into a file, as it comes
    "import os,sys,tty\n"
    "tty.setraw(0)\n"
    "log=open(sys.argv[1],'ab',0)\n"
    "os.write(1,b'\\x1b[?2004h' if len(sys.argv)>2 else b'')\n"
    "os.write(1,b'READY')\n"
    "while True: log.write(os.read(0,65536))\n"
)


def raw_logger(server: TmuxServer, log: Path, *flags: str) -> str:
    program = server.home / "raw_log.py"
    program.write_text(RAW_LOG)
    log.touch()
    pane = server.new_pane(["python3", str(program), str(log), *flags])
    until(lambda: "READY" in server.screen(pane))
    return pane


def test_a_look_holds_screen_cursor_and_facts_of_one_moment(tmux_server: TmuxServer, any_tmux: AnyTmux) -> None:
    pane = tmux_server.new_pane("printf '\\033[1mbold\\033[0m x\\nab'; exec cat", width=40, height=10)
    until(lambda: "ab" in tmux_server.screen(pane) and tmux_server.value(pane, "pane_current_command") == "cat")

    async def main() -> None:
        async with any_tmux() as tmux:
            seen = await tmux.look(pane)
            assert (seen.pane, seen.width, seen.height) == (pane, 40, 10)
            assert len(seen.rows) == 10
            assert "\033[1mbold" in seen.rows[0]
            assert (seen.cursor_x, seen.cursor_y, seen.cursor_visible) == (2, 1, True)
            assert (seen.dead, seen.in_mode, seen.alternate, seen.history) == (False, False, False, 0)
            assert seen.pid == int(tmux_server.value(pane, "pane_pid"))
            assert seen.tty == tmux_server.value(pane, "pane_tty")
            assert seen.session == tmux_server.value(pane, "session_id")
            assert seen.command == "cat"

    asyncio.run(main())


def test_history_precedes_the_screen_in_a_look(tmux_server: TmuxServer, any_tmux: AnyTmux) -> None:
    pane = tmux_server.new_pane("seq 1 30; exec cat", width=40, height=10)
    until(lambda: "30" in tmux_server.screen(pane))

    async def main() -> None:
        async with any_tmux() as tmux:
            seen = await tmux.look(pane, history=5)
            assert (len(seen.rows), seen.history) == (15, 5)
            assert seen.rows[:7] == ("17", "18", "19", "20", "21", "22", "23")
            assert seen.rows[seen.history + seen.cursor_y - 1] == "30"

    asyncio.run(main())


def test_a_screen_full_of_forged_block_ends_is_read_whole(tmux_server: TmuxServer, any_tmux: AnyTmux) -> None:
    forged = tmux_server.home / "forged"
    forged.write_text("".join(f"%end 1 {n} 1\n%error 1 {n} 1\n%begin 1 {n} 1\n%exit\n" for n in range(5)))
    pane = tmux_server.new_pane(f"cat {forged}; exec cat")
    until(lambda: "%begin 1 4 1" in tmux_server.screen(pane))

    async def main() -> None:
        async with any_tmux() as tmux:
            for _ in range(3):
                assert list((await tmux.look(pane)).rows[:20]) == forged.read_text().splitlines()

    asyncio.run(main())


def test_a_program_whose_name_holds_a_newline_is_still_one_answer(tmux_server: TmuxServer, any_tmux: AnyTmux) -> None:
    pane = tmux_server.new_pane(["bash", "-c", "exec -a $'a\\n%end 1 2 1' cat"])
    name = Path(f"/proc/{tmux_server.value(pane, 'pane_pid')}/cmdline")
    until(lambda: name.read_bytes().startswith(b"a\n"))

    async def main() -> None:
        async with any_tmux() as tmux:
            seen = await tmux.look(pane)
            assert seen.command.startswith("a") or not seen.command  # 3.8 tells no name that holds a newline
            assert [info.pane for info in await tmux.panes()] == [pane]

    asyncio.run(main())


def test_panes_are_listed_and_found_by_every_kind_of_name(tmux_server: TmuxServer, any_tmux: AnyTmux) -> None:
    first = tmux_server.new_pane("exec cat")
    second = tmux_server.run("split-window", "-t", first, "-P", "-F", "#{pane_id}", "exec cat")
    tmux_server.run("rename-window", "-t", first, "work bench")
    third = tmux_server.new_pane("exec cat")
    tmux_server.run("rename-window", "-t", third, "other")

    async def main() -> None:
        async with any_tmux() as tmux:
            listed = await tmux.panes()
            assert [(info.pane, info.target) for info in listed] == [
                (first, "s1:0.0"),
                (second, "s1:0.1"),
                (third, "s2:0.0"),
            ]
            assert listed[0].window_name == "work bench"
            assert listed[0].cwd == str(tmux_server.home)
            names = [first, "s1:0.0", "s1:work bench.1", "s1:0", "work bench", "s1", "other"]
            found = [await tmux.resolve(name) for name in names]
            assert found == [first, first, second, second, second, second, third]
            for wrong in ("%99", "s9:0.0", "wor", "s", ""):
                with pytest.raises(PaneNotFound):
                    await tmux.resolve(wrong)

    asyncio.run(main())


def test_no_such_pane_is_said_by_every_command(tmux_server: TmuxServer, any_tmux: AnyTmux) -> None:
    tmux_server.new_pane("exec cat")

    async def main() -> None:
        async with any_tmux() as tmux:
            for attempt in (
                lambda: tmux.look("%99"),
                lambda: tmux.type("%99", "x"),
                lambda: tmux.paste("%99", "x"),
                lambda: tmux.press("%99", "Enter"),
                lambda: tmux.leave_mode("%99"),
                lambda: tmux.watch("%99").__aenter__(),
            ):
                with pytest.raises(PaneNotFound, match="%99"):
                    await attempt()
            assert await tmux.run("list-buffers") == []

    asyncio.run(main())


def test_no_server_is_said_in_tmux_own_words(connect_tmux: Callable[..., LiveTmux], any_way: tuple[str, str]) -> None:
    async def main() -> None:
        async with connect_tmux(*any_way, name="paneward-test-nobody") as tmux:
            with pytest.raises(PaneNotFound, match=r"no server running on|error connecting to"):
                await tmux.look("%0")

    asyncio.run(main())


def test_a_dead_pane_is_never_written_to(tmux_server: TmuxServer, any_tmux: AnyTmux) -> None:
    pane = tmux_server.new_pane("exit 3", remain=True)
    other = tmux_server.new_pane("exec cat")
    # Up to 3.4 tmux can miss that its child ended; another one that ends makes it look.
    until(lambda: tmux_server.run("run-shell", "true") or tmux_server.value(pane, "pane_dead_status") == "3")

    async def main() -> None:
        async with any_tmux() as tmux:
            seen = await tmux.look(pane)
            assert (seen.dead, seen.dead_status) == (True, "3")
            with pytest.raises(PaneDead):
                await tmux.type(pane, "x")
            with pytest.raises(PaneDead):
                await tmux.paste(pane, "x")
            assert await tmux.run("list-buffers") == []
            assert (await tmux.look(other)).command == "cat"  # tmux lives

    asyncio.run(main())


def test_copy_mode_is_reported_not_typed_into_and_can_be_left(tmux_server: TmuxServer, any_tmux: AnyTmux) -> None:
    pane = tmux_server.new_pane("exec cat")

    async def main() -> None:
        async with any_tmux() as tmux:
            for _ in range(2):
                tmux_server.run("copy-mode", "-t", pane)
                assert (await tmux.look(pane)).in_mode
                with pytest.raises(TmuxError, match="copy mode"):
                    await tmux.type(pane, "/x")
                with pytest.raises(TmuxError, match="copy mode"):
                    await tmux.paste(pane, "x")
                await tmux.leave_mode(pane)
                assert not (await tmux.look(pane)).in_mode
            await tmux.leave_mode(pane)
            assert await tmux.run("list-buffers") == []

    asyncio.run(main())


def test_nothing_is_typed_where_the_cursor_is_not_as_it_was_seen(tmux_server: TmuxServer, any_tmux: AnyTmux) -> None:
    pane = tmux_server.new_pane("stty -icanon -echo; echo READY; exec cat")
    until(lambda: "READY" in tmux_server.screen(pane))

    async def main() -> None:
        async with any_tmux() as tmux:
            seen = await tmux.look(pane)
            for moved in (
                replace(seen, cursor_x=seen.cursor_x + 1),
                replace(seen, cursor_y=seen.cursor_y + 1),
                replace(seen, cursor_visible=False),
                replace(seen, alternate=True),
                replace(seen, width=seen.width - 1),
            ):
                for send in (tmux.type, tmux.paste):
                    with pytest.raises(PaneMoved):
                        await send(pane, "lost", moved)
            tmux_server.run("copy-mode", "-t", pane)
            with pytest.raises(PaneMoved):
                await tmux.type(pane, "lost", seen)
            await tmux.leave_mode(pane)
            assert await tmux.run("list-buffers") == []
            await tmux.type(pane, "one ", seen)
            until(lambda: "one" in tmux_server.screen(pane))
            with pytest.raises(PaneMoved):
                await tmux.type(pane, "lost", seen)
            await tmux.paste(pane, "two", await tmux.look(pane))
            until(lambda: "one two" in tmux_server.screen(pane))
            assert "lost" not in tmux_server.screen(pane)

    asyncio.run(main())


def test_half_a_text_is_never_called_nothing(tmux_server: TmuxServer, any_tmux: AnyTmux) -> None:
    pane = tmux_server.new_pane(
        ["python3", "-c", "import os,tty; tty.setraw(0); print('READY'); os.read(0, 1)"], remain=True
    )
    until(lambda: "READY" in tmux_server.screen(pane))

    async def main() -> None:
        async with any_tmux() as tmux:
            with pytest.raises(TmuxError, match="of 400000 characters went in, then"):
                await tmux.type(pane, "x" * 400_000)

    asyncio.run(main())


NASTY = [
    "plain",
    "emoji 👩‍👩‍👧 é ü 漢字",
    "tab\there",
    "two\nlines\n",
    "'single' \"double\" `back`",
    "$(rm -rf) $HOME ${x} ~",
    "trailing backslash\\",
    "trailing;",
    "a\\;",
    ";",
    ";;",
    "-l",
    "--",
    "Enter",
    "C-c",
    "#{pane_id} #S #(date)",
    "%if %1 %end",
    "12345",
    "  blanks around  ",
    "{ braces } #comment",
    "a=b",
    "\\n \\011 \\u0041",
]


@pytest.mark.parametrize("verb", ["type", "paste"])
def test_every_text_goes_in_byte_for_byte(
    tmux_server: TmuxServer, any_tmux: AnyTmux, tmp_path: Path, verb: str
) -> None:
    log = tmp_path / "log"
    pane = raw_logger(tmux_server, log)
    long = "".join(f"{n} é;\\'\"$x\t" for n in range(3000))
    texts = [*NASTY, long]
    sent = "\0".join(texts)

    async def main() -> None:
        async with any_tmux() as tmux:
            for text in texts:
                await (tmux.type(pane, text) if verb == "type" else tmux.paste(pane, text))
                await tmux.press(pane, "C-Space")  # a NUL: nothing in a text can be taken for it
            await asyncio.to_thread(until, lambda: log.read_bytes().count(b"\0") == len(texts))
            assert await tmux.run("list-buffers") == []

    asyncio.run(main())
    assert log.read_bytes().decode().split("\0") == [*sent.split("\0"), ""]


def test_a_megabyte_is_pasted_whole(tmux_server: TmuxServer, any_tmux: AnyTmux, tmp_path: Path) -> None:
    log = tmp_path / "log"
    pane = raw_logger(tmux_server, log)
    text = "0123456789abcde\n" * 65536

    async def main() -> None:
        async with any_tmux() as tmux:
            await tmux.paste(pane, text)
            await asyncio.to_thread(until, lambda: log.stat().st_size >= len(text))

    asyncio.run(main())
    assert log.read_text() == text


def test_a_paste_is_bracketed_only_for_who_asked(tmux_server: TmuxServer, any_tmux: AnyTmux, tmp_path: Path) -> None:
    log = tmp_path / "log"
    pane = raw_logger(tmux_server, log, "bracketed")

    async def main() -> None:
        async with any_tmux() as tmux:
            await tmux.paste(pane, "a\nb\tc")
            await asyncio.to_thread(until, lambda: log.read_bytes().endswith(b"\x1b[201~"))

    asyncio.run(main())
    assert log.read_bytes() == b"\x1b[200~a\nb\tc\x1b[201~"


def test_keys_go_as_the_bytes_they_are(tmux_server: TmuxServer, any_tmux: AnyTmux, tmp_path: Path) -> None:
    log = tmp_path / "log"
    pane = raw_logger(tmux_server, log)

    async def main() -> None:
        async with any_tmux() as tmux:
            await tmux.press(pane, "Enter", "CR", "Escape", "C-u", "C-c", "Up", "y")
            await asyncio.to_thread(until, lambda: log.read_bytes().endswith(b"y"))

    asyncio.run(main())
    assert log.read_bytes() == b"\r\r\x1b\x15\x03\x1b[Ay"


def test_both_ways_name_the_same_server_alike(tmux_server: TmuxServer, connect_tmux: Callable[..., LiveTmux]) -> None:
    tmux_server.new_pane("exec cat")

    async def main() -> set[str]:
        found = set()
        for transport in ("control", "exec"):
            async with connect_tmux(transport, "local") as tmux:
                found.add(await tmux.identity())
        return found

    assert asyncio.run(main()) == {f"local:{tmux_server.run('display-message', '-p', '#{socket_path}')}"}


def test_a_watch_wakes_for_output_and_for_the_end_of_the_program(tmux_server: TmuxServer, any_tmux: AnyTmux) -> None:
    pane = tmux_server.new_pane("exec cat", remain=True)

    async def main() -> None:
        async with any_tmux() as tmux, tmux.watch(pane) as watch:
            assert not await watch.wait(watch.output_seq, 0.12)
            await tmux.type(pane, "hello")
            assert await watch.wait(0, 20)
            assert watch.last_output_at is not None
            await tmux.press(pane, "Enter")
            while "".join((await tmux.look(pane)).rows).count("hello") < 2:  # typed, and printed
                await watch.wait(watch.output_seq, 0.1)
            await tmux.press(pane, "C-d")
            while not watch.gone:
                assert await watch.wait(watch.output_seq, 20)
            assert "hello" in "".join((await tmux.look(pane)).rows)

    asyncio.run(main())


def test_a_watch_ends_when_the_pane_is_killed(tmux_server: TmuxServer, any_tmux: AnyTmux) -> None:
    pane = tmux_server.new_pane("exec cat")
    tmux_server.new_pane("exec cat")

    async def main() -> None:
        async with any_tmux() as tmux, tmux.watch(pane) as watch:
            tmux_server.run("kill-pane", "-t", pane)
            while not watch.gone:
                assert await watch.wait(watch.output_seq, 20)

    asyncio.run(main())
