"""Two programs at a table whose terms say which cards count: with decks that fit, and without."""

import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.named_decks import NamedDeck
from player.cards.storage.rollback_guard import default_marks
from player.storage.identity_file import load_identity
from protocol.ledger.record_contents import CardType
from protocol.ledger.records import sign_record
from protocol.ledger.view import evaluate
from tests.support.collectors import STATE
from tests.support.ledger import CAROL, MAKER, card, free, maker, traded

pytestmark = [pytest.mark.process, pytest.mark.match]

ROOT = Path(__file__).parents[2]
SECONDS = 240


def kind(by, name, strength):
    values = (("element", "fire"), ("strength", strength))
    return sign_record(
        CardType(by.public, None, 0, None, name, "First", None, values, True, ""), by
    )


KINDS = ((MAKER, kind(MAKER, "Spark", 3)), (CAROL, kind(CAROL, "Ember", 5)))


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Make two collectors: each has a deck of ten sparks, and one of ten embers. Both creators are
    called the same; Ann trusts that of the sparks.
    """
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    people = {name: load_identity(tmp_path / name, None, Random(name)) for name in ("ann", "bob")}
    records = [maker(), maker(by=CAROL), *(made for _, made in KINDS)]
    decks = {}
    for number, name in enumerate(people):
        for by, made in KINDS:
            copies = [card(100 * number + serial, made, by) for serial in range(10)]
            decks[name, made.content.name] = tuple(copy.id for copy in copies)
            records += copies
            records.append(traded(by, people[name], free(evaluate(records), *copies)))
    for name, identity in people.items():
        store = LedgerStore(tmp_path / name, identity.public, default_marks())
        store.add(records)
        for (who, deck), cards in decks.items():
            if who == name:
                store.decks.make(NamedDeck(deck.lower(), "element-duel", True, cards))
        store.mark(MAKER.public, True)
        store.close()
    return tmp_path


def start(*words):
    return subprocess.Popen(
        [sys.executable, "-um", "fairdeal", *map(str, words)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def read_until(program, pattern):
    said = ""
    for line in program.stdout:
        said += line
        if found := re.search(pattern, said):
            return found
    raise AssertionError(said)


def sits_down(link, folder, name, deck, *words):
    """Start the program of a person with a deck."""
    return start(
        *("join", link, "--name", name.title(), "--deck", deck, "--bot", "foresight"),
        *("--data", folder / name, *words),
    )


def test_fitting_decks_play_and_others_are_told_before_they_sit_down(folders):
    conditions = ("--cards", "trusted", "--cards", "strength<=4")
    host = start(
        *("host", "--listen", "127.0.0.1:0", "--data", folders / "table", "--allow-create", "any")
    )
    programs = [host]
    try:
        link = read_until(host, r"(fairdeal://\S+)")[1]
        opened = (
            "--create",
            "--game",
            "element-duel",
            "--deal",
            "seeded",
            "--option",
            "mode=open",
            *conditions,
        )
        refused = sits_down(link, folders, "ann", "ember", *opened)
        programs.append(refused)
        told = refused.communicate(timeout=SECONDS)[0]
        assert refused.returncode and "Ember is by the creator" in told, told
        programs.append(ann := sits_down(link, folders, "ann", "spark", *opened))
        look = ("join", link, "--list", "--data", folders / "bob")
        opening = r"(table-\d+): element-duel.*Ann"
        while not (found := re.search(opening, start(*look).communicate(timeout=SECONDS)[0])):
            assert ann.poll() is None
        programs.append(ember := sits_down(link, folders, "bob", "ember", "--table", found[1]))
        told = ember.communicate(timeout=SECONDS)[0]
        assert ember.returncode and "Ember is by the creator" in told, told
        assert "Maker (you trust this creator)" in told and "strength<=4" in told
        programs.append(bob := sits_down(link, folders, "bob", "spark", "--table", found[1]))
        for program in (bob, ann):
            told = program.communicate(timeout=SECONDS)[0]
            assert program.returncode == 0, told
        assert "no cheating found" in told and "deck of Bob: Spark" in told
    finally:
        for program in programs:
            program.kill()
            program.communicate()
