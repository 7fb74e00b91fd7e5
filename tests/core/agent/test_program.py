"""The program that an agent was when it was adopted."""

from dataclasses import replace

from paneward.core.agent.program import program_of
from paneward.core.terminal.scene import ProcessFacts

PROCESS = ProcessFacts("node", "node agent.js --key sk-secret", 7, exe="/usr/bin/node")


def test_no_word_of_a_command_line_is_kept() -> None:
    program = program_of(PROCESS)
    assert (program.name, program.pid) == ("node", 7)
    assert "secret" not in repr(program)


def test_the_same_command_line_or_the_same_process_is_the_same_program() -> None:
    program = program_of(PROCESS)
    assert program.is_same(replace(PROCESS, pid=8))
    assert program.is_same(replace(PROCESS, argv="agent"))
    assert not program.is_same(replace(PROCESS, pid=8, argv="agent"))
    assert not program.is_same(replace(PROCESS, argv="sh", exe="/bin/sh"))
