"""The house is as docs/architecture.md says, and nothing in it outgrows its room."""

from collections import Counter

from tests.support import rooms

FILES = 12  # at the most
NOT_COUNTED = ("__init__.py", "registry.py")


def test_the_picture_of_the_rooms_is_true():
    text = rooms.PAGE.read_text("utf-8")
    assert text == rooms.page(text), "run `python -m tests.support.rooms` and read what changes"


def test_there_are_no_import_circles():
    assert rooms.circles() == []


def test_no_folder_is_a_drawer():
    counts = Counter(source.path.parent for source in rooms.sources() if source.path.name not in NOT_COUNTED)
    assert {str(folder): count for folder, count in counts.items() if count > FILES} == {}
