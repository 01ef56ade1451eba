"""Which sections of the specification have a case, and why the others have none."""

from conformance.peer import kit as peer
from conformance.player import kit as player
from conformance.table import kit as table
from tests.conformance.specification import sections

COMPUTED = "a computation: vectors hold it, and a wrong one fails every match"
READ = "for who reads a log afterwards"
WITHOUT = {
    "1": COMPUTED, "7.2": COMPUTED, "7.3": COMPUTED, "13.2": COMPUTED,
    "13.3": COMPUTED, "13.4": COMPUTED, "13.5": COMPUTED,
    "5.2": COMPUTED, "8.1": "what the parts together promise", "13.1": "what the parts together promise",
    "10": READ, "11": "the list of codes", "12": "bounds have cases where they show; a test holds the list",
    "14.5": READ,
    "15.2": "how one implementation does what 15.1 demands", "19.4": "mail: the same parcels", "16.6": "what it costs",
    "3.1": "what the parts together promise", "6.1": "what a fold is", "6.9": "see chapter 14",
    "5.3": "links, which people type", "8.6": "what it costs", "9.1": "names of tiles", "9.2": "what a hand is",
    "18.2": "names of cards", "20.2": "no game of this distribution lets seats act independently",
}  # fmt: skip


def test_every_section_has_a_case_or_a_reason():
    cited = {case.section for case in (*table.CASES, *player.CASES, *peer.GUEST_CASES, *peer.HOST_CASES)}
    named = {".".join(section.split(".")[:2]) for section in sections() if "." in section}
    covered = {".".join(section.split(".")[:2]) for section in cited}
    left = sorted(
        named - covered - {section for section in named if section in WITHOUT or section.split(".")[0] in WITHOUT}
    )
    assert left == []


def test_no_reason_is_given_for_what_has_a_case():
    assert set(WITHOUT) <= sections()
