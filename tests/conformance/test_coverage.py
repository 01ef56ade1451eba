"""Sections of the specification with a case, and the reasons why others have none."""

from conformance.direct import kit as peer
from conformance.player import kit as player
from conformance.table import kit as table
from conformance.trade import kit as trade
from conformance.trade.letters import GROUP as LETTERS
from tests.conformance.specification import sections

COMPUTED = "a computation: vectors hold it, and a wrong one fails every match"
BETWEEN = "between two people's programs that trade: tests hold it"
READ = "for who reads a log afterwards"
WITHOUT = {
    "1": COMPUTED,
    "7.2": COMPUTED,
    "7.3": COMPUTED,
    "13.2": COMPUTED,
    "13.3": COMPUTED,
    "13.4": COMPUTED,
    "13.5": COMPUTED,
    "5.2": COMPUTED,
    "8.1": "what the parts together promise",
    "13.1": "what the parts together promise",
    "10": READ,
    "11": "the list of codes",
    "12": "bounds have cases where they show; a test holds the list",
    "14.5": READ,
    "15.2": "how one implementation does what 15.1 demands",
    "19.4": "mail: the same parcels",
    "16.6": "what it costs",
    "3.1": "what the parts together promise",
    "3.7": "between a table and a relay, which has no part in a match: tests hold it",
    "6.1": "what a fold is",
    "6.9": "see chapter 14",
    "5.3": "links, which people type",
    "8.6": "what it costs",
    "9.1": "names of tiles",
    "9.2": "what a hand is",
    "22": "a game for one: it shows what its log says, and a table does no more for it than for "
    "chapter 21",
    "18.2": "names of cards",
    **dict.fromkeys(("18.10", "18.11", "18.12"), COMPUTED),
    "21": "cases for 20.1 show what differs from games with pieces",
    "23.2": "names of cards, and a deal by 13.10",
    "23.3": "what an entry means: all readers compute it",
    "23.9": "what nobody can check",
    "24": COMPUTED,
    "25.1": COMPUTED,
    "25.2": "files, which programs read by commands of their own",
    "25.5": "bounds that show only after a million records",
    "26.1": "what can be had",
    "26.5": "what a person is shown",
    "26.6": "what is on disk before it leaves: tests kill our program there",
    "28": BETWEEN,
    "27.3": COMPUTED,
    "27.4": "what the parts together promise",
    "27.5": COMPUTED,
    "27.7": "what a person takes",
    "37": "between a table, a directory and its visitors, who play no match there: tests hold it",
    "31.3": "what a letter gives away",
    **{f"32.{n}": COMPUTED for n in range(2, 6)},
    "33.8": "33.3 and 33.4 as steps, with the cases of those",
    "33.9": "what a person is shown",
    "34.6": "nothing that a program does",
    **{f"36.{n}": COMPUTED for n in range(2, 9)},
    "36.1": "what the parts together promise",
    "36.9": "what it costs",
    "35.4": COMPUTED,
    "35.6": "who leaves is named for that alone: tests hold what becomes of its numbers",
    "35.7": "what it costs",
    **dict.fromkeys(
        ("36.12", "36.13", "36.14", "36.15"),
        "takes libraries for large numbers, which a kit may lack: tests hold it",
    ),
    "30.3": "each side chooses for itself, and the match is the same",
    "30.4": "takes a program with a person's leave",
    "30.6": "a network's hints, which only a person follows",
    "38.1": COMPUTED,
    "38.3": "what a player keeps from visit to visit: vectors, and tests of ours, hold it",
    "38.4": "what a person is asked",
}


def test_every_section_has_a_case_or_a_reason():
    cited = {
        case.section
        for case in (
            *table.CASES,
            *table.WEB_CASES,
            *player.CASES,
            *peer.GUEST_CASES,
            *peer.HOST_CASES,
            *trade.SESSION_CASES,
            *LETTERS.cases,
        )
    }
    named = {".".join(section.split(".")[:2]) for section in sections() if "." in section}
    covered = {".".join(section.split(".")[:2]) for section in cited}
    left = sorted(
        named
        - covered
        - {section for section in named if section in WITHOUT or section.split(".")[0] in WITHOUT}
    )
    assert left == []


def test_reasons_are_for_existing_sections_only():
    assert set(WITHOUT) <= sections()
