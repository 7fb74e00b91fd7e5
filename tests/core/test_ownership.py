"""Which sockets are ours."""

import stat

import pytest

from paneward.core.ownership import FileEntry, doubt_of_socket

ME, OTHER, ROOT = 1000, 1001, 0
SOCKET = FileEntry("/tmp/tmux-1000/default", ME, stat.S_IFSOCK | 0o770)


def folder(mode: int, uid: int = ME, path: str = "/f", kind: int = stat.S_IFDIR) -> FileEntry:
    return FileEntry(path, uid, kind | mode)


HOME = (folder(0o700, ME, "/tmp/tmux-1000"), folder(0o1777, ROOT, "/tmp"), folder(0o755, ROOT, "/"))


def test_a_socket_of_ours_in_a_directory_of_ours_is_fine() -> None:
    assert doubt_of_socket(SOCKET, HOME, ME) == ""
    assert doubt_of_socket(None, HOME, ME) == ""


@pytest.mark.parametrize(
    ("socket", "folders", "doubt"),
    [
        (FileEntry("/s", OTHER, stat.S_IFSOCK | 0o777), HOME, "/s belongs to another user (1001)"),
        (FileEntry("/s", ROOT, stat.S_IFSOCK | 0o777), HOME, "/s belongs to another user (0)"),
        (FileEntry("/s", ME, stat.S_IFREG | 0o600), HOME, "/s is not a socket"),
        (SOCKET, (folder(0o1777, ROOT, "/tmp"),), "others can write to /tmp"),
        (SOCKET, (folder(0o770),), "others can write to /f"),
        (SOCKET, (folder(0o700), folder(0o777, path="/g")), "others can write to /g"),
        (SOCKET, (folder(0o700, OTHER),), "/f belongs to another user (1001)"),
        (SOCKET, (folder(0o700), folder(0o777, OTHER, "/g", stat.S_IFLNK)), "/g belongs to another user (1001)"),
        (None, (folder(0o777),), "others can write to /f"),
    ],
)
def test_what_another_user_could_have_put_there_is_not(
    socket: FileEntry | None, folders: tuple[FileEntry, ...], doubt: str
) -> None:
    assert doubt_of_socket(socket, folders, ME) == doubt


def test_the_mode_of_a_link_says_nothing() -> None:
    assert doubt_of_socket(SOCKET, (folder(0o700), folder(0o777, ROOT, "/l", stat.S_IFLNK)), ME) == ""
