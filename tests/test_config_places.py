"""Which files set what: the user's, the working directory's, and what a relative path is relative to."""

from pathlib import Path

import pytest

from paneward.config import load
from paneward.config.local import LOCAL
from paneward.config.sections import PATHS
from paneward.core.errors import InvalidInput
from tests.test_config import elsewhere as elsewhere
from tests.test_config import written


def test_its_file_goes_before_the_users_and_behind_the_environment(tmp_path: Path) -> None:
    written(tmp_path / ".config/paneward/config.yaml", "readiness: {timeout: 1}\nsignals: {word: mine}\n")
    written(Path(".paneward.yaml"), "readiness: {timeout: 2}\nnotifications: {sound_disabled: true}\n")
    env = {"HOME": str(tmp_path), "PANEWARD_NOTIFICATIONS__SOUND_DISABLED": "false"}
    settings = load(env=env)
    assert (settings.readiness.timeout, settings.signals.word) == (2.0, "mine")
    assert settings.notifications.sound_disabled is False
    assert settings.origins["readiness.timeout"] == ".paneward.yaml of the working directory, line 1"
    assert str(Path(".paneward.yaml").absolute()) in settings.notice


def test_every_key_it_may_set_exists_and_none_is_a_path() -> None:
    assert set(LOCAL) <= set(load("/dev/null", {}).origins)
    assert not set(LOCAL) & set(PATHS)


def test_without_a_file_of_the_working_directory_nothing_has_to_be_said() -> None:
    assert load(env={}).notice == ""


def test_a_file_of_the_working_directory_that_is_not_yaml_is_refused_by_its_name() -> None:
    written(Path(".paneward.yaml"), "tmux: {")
    with pytest.raises(InvalidInput, match=r"\.paneward\.yaml of the working directory, line 1: not YAML"):
        load(env={})


@pytest.mark.parametrize(
    ("text", "binary", "url"),
    [
        ("tmux: {binary: tmux-next}", "tmux-next", None),
        ("tmux: {binary: ./tmux}", "{folder}/tmux", None),
        ("tmux: {binary: bin/tmux}", "{folder}/bin/tmux", None),
        ("tmux: {binary: /opt/tmux}", "/opt/tmux", None),
        ("store: {url: 'sqlite:///kept.db'}", "tmux", "sqlite:///{folder}/kept.db"),
        ("store: {url: 'sqlite:////var/kept.db'}", "tmux", "sqlite:////var/kept.db"),
        ("store: {url: kept.db}", "tmux", "{folder}/kept.db"),
        ("store: {url: 'sqlite://'}", "tmux", "sqlite://"),
        ("store: {url: 'postgresql://me@db/paneward'}", "tmux", "postgresql://me@db/paneward"),
    ],
)
def test_a_relative_path_is_relative_to_the_file_that_names_it(text: str, binary: str, url: str | None) -> None:
    settings = load(written(Path("sub/given.yaml"), text), {})
    folder = Path("sub").absolute()
    assert settings.tmux.binary == binary.format(folder=folder)
    assert settings.store.url == (None if url is None else url.format(folder=folder))
