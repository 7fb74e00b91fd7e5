"""The program that an agent was when it was adopted: data and a function.

Command lines and paths may hold a credential, so only their checksums are kept.
"""

from dataclasses import dataclass
from zlib import crc32

from paneward.core.terminal.scene import ProcessFacts


@dataclass(frozen=True, slots=True)
class Program:
    """The process in the foreground at one moment."""

    name: str
    pid: int
    command_line: int  # a checksum
    file: int  # a checksum of the path of the executable; 0 where it cannot be seen

    def is_same(self, process: ProcessFacts) -> bool:
        """Started by the same command line, or the same process, which may have given itself another title."""
        now = program_of(process)
        if self.command_line == now.command_line:
            return True
        if self.pid != now.pid:
            return False
        return self.file == now.file if self.file and now.file else self.name == now.name


def program_of(process: ProcessFacts) -> Program:
    return Program(process.command, process.pid, _checksum(process.argv), _checksum(process.exe))


def _checksum(words: str) -> int:
    return crc32(words.encode("utf-8", "replace"))
