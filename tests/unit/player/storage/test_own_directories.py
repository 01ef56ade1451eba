"""Links of the directories that a person browses, in the data folder."""

import pytest

from player.storage.files import write_json
from player.storage.own_directories import FILE, OwnDirectories
from protocol.directory.link import ListLink
from protocol.errors import LocalError
from protocol.limits import MAX_OWN_DIRECTORIES
from tests.support.errors import raises_text


def link(letter: str, host: str = "example.org") -> ListLink:
    return ListLink(f"https://{host}/tables.list", letter * 40)


def test_links_are_kept_until_removed(tmp_path):
    OwnDirectories(tmp_path).add(link("a"))
    OwnDirectories(tmp_path).add(link("b"))
    assert OwnDirectories(tmp_path).links() == [link("a"), link("b")]
    OwnDirectories(tmp_path).remove(link("a"))
    assert OwnDirectories(tmp_path).links() == [link("b")]


def test_newest_link_of_one_directory_is_kept(tmp_path):
    OwnDirectories(tmp_path).add(link("a"))
    OwnDirectories(tmp_path).add(link("a", "elsewhere.org"))
    assert OwnDirectories(tmp_path).links() == [link("a", "elsewhere.org")]


def test_too_many_directories_are_refused(tmp_path):
    links = [f"https://{number}.org/list#{'a' * 40}" for number in range(MAX_OWN_DIRECTORIES)]
    write_json(tmp_path / FILE, {"links": links})
    with raises_text(LocalError, f"at most {MAX_OWN_DIRECTORIES} directories"):
        OwnDirectories(tmp_path).add(link("b"))


@pytest.mark.parametrize("links", [7, ["nonsense"]])
def test_damaged_file_is_named(tmp_path, links):
    write_json(tmp_path / FILE, {"links": links})
    with pytest.raises(LocalError):
        OwnDirectories(tmp_path).links()
