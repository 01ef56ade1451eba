"""Creators in the terms of a match, by what a person knows of them, and decks against these terms."""

import argparse
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from bots.random_bot import random_bot
from commandline.terms_flags import accepted_options
from player.cards.decks.card_trust import known_creators, name_creators, trusted_creators
from player.cards.decks.deck_choice import FolderDecks
from player.cards.decks.loadout import FolderLoadouts
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.named_decks import NamedDeck
from player.cards.storage.rollback_guard import default_marks
from player.cli.arguments import requirements_of
from player.client.loadouts import NO_CREATORS, KnownCreator
from player.client.requirements import Requirements, Unacceptable, check_brought
from player.client.seat import Seat
from player.presenter.terms_text import terms_lines
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import LocalError, ProtocolViolation
from protocol.games import Action
from protocol.games.decks import DeckCard, Owned
from protocol.games.decks.accepted_cards import accepted_cards
from protocol.games.decks.accepted_lists import CREATORS, EDITIONS, LIMITS
from protocol.games.decks.deck_hand import Loadout
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import Identity, fingerprint, short_fingerprint
from protocol.ledger.record_contents import CardType, Creator
from protocol.ledger.records import LedgerRecord, sign_record
from protocol.ledger.view import evaluate
from protocol.match.clock import Allowance
from protocol.match.state import Match
from protocol.match.terms import Terms, decode_terms, encode_terms, make_terms
from protocol.options import OptionList, Selection, Value
from tests.support.collectors import STATE
from tests.support.errors import raises_text
from tests.support.ledger import CAROL, DAN, MAKER, card, free, traded
from tests.support.offline import Offline, make_offline
from tests.support.views import saying

SEED = 7
SAY = saying(("Ann", "Bob"))
MODES = ("open", "closing", "hidden")


def _people() -> tuple[Identity, Identity]:
    """Return the people at `make_offline`'s table."""
    rng = Random(SEED)
    rng.randbytes(32)
    return Identity(rng.randbytes(32)), Identity(rng.randbytes(32))


ANN, BOB = _people()


def _creator(by: Identity, name: str) -> LedgerRecord:
    return sign_record(Creator(by.public, 0, None, name, None, "", (), 0), by)


def _kind(by: Identity, name: str, strength: int, edition: str) -> LedgerRecord:
    values = (("element", "fire"), ("strength", strength))
    return sign_record(
        CardType(by.public, None, 0, None, name, edition, None, values, True, ""), by
    )


KINDS = (
    (MAKER, _kind(MAKER, "Spark", 3, "First")),
    (MAKER, _kind(MAKER, "Blaze", 8, "Second")),
    (CAROL, _kind(CAROL, "Ember", 5, "First")),
)
CREATORS_OF = [_creator(MAKER, "The Press"), _creator(CAROL, "The Press")]
# ten copies of each kind for each person; the creators gave all of them away
COPIES = {
    who.public: [
        (by, card(100 * seat + 10 * number + serial, kind, by))
        for number, (by, kind) in enumerate(KINDS)
        for serial in range(10)
    ]
    for seat, who in enumerate((ANN, BOB))
}
ALL = [*CREATORS_OF, *(kind for _, kind in KINDS)]
ALL += [copy for copies in COPIES.values() for _, copy in copies]
DEALT = [
    traded(maker, to, free(evaluate(ALL), *(one for by, one in COPIES[to.public] if by is maker)))
    for to in (ANN, BOB)
    for maker in (MAKER, CAROL)
]
RECORDS = [*ALL, *DEALT]


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Path]]:
    """Make two data folders; each has a deck of ten sparks, and one with an ember among them."""
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    for name, who in (("ann", ANN), ("bob", BOB)):
        with closing(_store(tmp_path / name, who)) as store:
            store.add(RECORDS)
            ids = [copy.id for _, copy in COPIES[who.public]]
            store.decks.make(NamedDeck("sparks", "element-duel", True, tuple(ids[:10])))
            store.decks.make(NamedDeck("mixed", "element-duel", True, (*ids[:9], ids[20])))
    yield tmp_path / "ann", tmp_path / "bob"


def _store(folder: Path, who: Identity) -> LedgerStore:
    return LedgerStore(folder, who.public, default_marks())


def _mark(folder: Path, key: bytes, trusted: bool | None) -> None:
    with closing(_store(folder, ANN)) as store:
        store.mark(key, trusted)


def _terms(options: OptionList = (), mode: str = "closing") -> Terms:
    dealing = Selection("verified", (("leavers", "threshold"),))
    given = (("cards", "owned"), ("mode", mode), *options)
    return make_terms(Selection("element-duel", given), dealing, Allowance().options(), 2, BUILT_IN)


def _only(*creators: Identity) -> OptionList:
    return CREATORS.notation([fingerprint(one.public) for one in creators])


class Brazen(Seat):
    """Program that does not leave when it is caught."""

    def move(self, match: Match, action: Action) -> Post:
        try:
            return super().move(match, action)
        except ProtocolViolation:
            return Post("move", [list(action), []])


def _match(ann: Loadout, bob: Loadout, options: OptionList, mode: str) -> Offline:
    given: dict[str, Value] = {"cards": "owned", "mode": mode, **dict(options)}
    found = make_offline(2, SEED, "element-duel", given, dealing="seeded")
    found.seats = [Brazen(ANN, 0, Random(0), ann), Seat(BOB, 1, Random(1), bob)]
    found.bots = (random_bot, random_bot)
    found.play()
    return found


def _loads(folders: tuple[Path, Path], ann: str, bob: str) -> tuple[Loadout, Loadout]:
    return (
        FolderLoadouts(folders[0]).load(ANN.public, ann),
        FolderLoadouts(folders[1]).load(BOB.public, bob),
    )


@pytest.mark.match
@pytest.mark.parametrize("mode", MODES)
def test_card_outside_the_terms_names_its_seat_as_it_shows(
    folders: tuple[Path, Path], mode: str
) -> None:
    ann, bob = _loads(folders, "mixed", "sparks")
    found = _match(ann, bob, _only(MAKER), mode)
    faults = [(fault.seat, fault.code) for fault in found.live.match.faults]
    assert found.live.match.over
    assert faults == [(0, Code.NOT_ACCEPTED)] and found.live.match.winner == 1


@pytest.mark.match
@pytest.mark.parametrize("mode", MODES)
def test_fitting_decks_name_nobody(folders: tuple[Path, Path], mode: str) -> None:
    ann, bob = _loads(folders, "sparks", "sparks")
    options = (*_only(MAKER), ("edition-01", "First"), ("limit-01", "strength<=3"))
    found = _match(ann, bob, options, mode)
    assert found.live.match.over and found.live.match.faults == ()


@pytest.mark.match
@pytest.mark.parametrize("mode", MODES)
def test_program_with_unfit_deck_does_not_sit_down(folders: tuple[Path, Path], mode: str) -> None:
    mixed, sparks = (
        FolderLoadouts(folders[0]).load(ANN.public, "mixed"),
        _loads(folders, "sparks", "sparks"),
    )
    check_brought(_terms(_only(MAKER), mode), sparks[0])
    check_brought(_terms(mode=mode), mixed)
    with raises_text(Unacceptable, match="Ember is by the creator") as caught:
        check_brought(_terms(_only(MAKER), mode), mixed)
    assert short_fingerprint(CAROL.public) in str(dict(caught.value.phrase.args))


def test_chooser_says_which_deck_does_not_fit(folders: tuple[Path, Path]) -> None:
    decks = FolderDecks(folders[0], ANN.public)
    for options, wrong in (
        (_only(MAKER), "deck.misfit.creator"),
        ((("edition-01", "Second"),), "deck.misfit.edition"),
        ((("limit-01", "strength<=4"),), "deck.misfit.limit"),
    ):
        found = decks.wrong("mixed", _terms(options), BUILT_IN)
        assert found is not None and found.key == wrong
    assert decks.wrong("mixed", _terms(_only(MAKER, CAROL)), BUILT_IN) is None


def test_honest_deck_that_fits_is_never_named(folders: tuple[Path, Path]) -> None:
    """Random terms and decks: what the check before the match accepts, each opening is accepted by.
    The terms go through their encoding.
    """
    with closing(_store(folders[0], ANN)) as store:
        ids = [copy.id for _, copy in COPIES[ANN.public]]
        store.decks.make(NamedDeck("all", "element-duel", True, tuple(ids)))
    cards = FolderLoadouts(folders[0]).load(ANN.public, "all").cards
    rng = Random(1)
    fitting = 0
    for _ in range(300):
        options = _random_options(rng)
        terms = _terms(options)
        deck: tuple[DeckCard, ...] = tuple(rng.sample(cards, 10))
        try:
            check_brought(terms, Loadout(deck))
        except Unacceptable as refused:
            assert refused.phrase.key.startswith("deck.misfit.")
            continue
        fitting += 1
        read = decode_terms(encode_terms(terms))
        judge = accepted_cards(dict(read.game.options))
        assert all(isinstance(one, Owned) and judge.objection(one) is None for one in deck)
    assert 20 < fitting < 280


def _random_options(rng: Random) -> OptionList:
    creators = [fingerprint(one.public) for one in (MAKER, CAROL, DAN) if rng.random() < 0.6]
    editions = [name for name in ("First", "Second", "Third") if rng.random() < 0.5]
    limits = [f"strength<={rng.randrange(4, 9)}"] if rng.random() < 0.4 else []
    limits += [f"{rng.choice(('strength', 'cost'))}>={rng.randrange(1, 4)}"] * (rng.random() < 0.4)
    texts = ((CREATORS, creators), (EDITIONS, editions), (LIMITS, limits))
    return tuple(one for option, found in texts for one in option.notation(found))


def test_words_name_creators_that_the_person_knows(folders: tuple[Path, Path]) -> None:
    ann = folders[0]
    maker, carol = fingerprint(MAKER.public), fingerprint(CAROL.public)
    assert name_creators(["strength<=9", "any"], ann) == ["strength<=9", "any"]
    with raises_text(LocalError, match="trust no creator"):
        name_creators(["trusted"], ann)
    # a partner of a trade who makes no cards is no creator
    _mark(ann, DAN.public, trusted=True)
    with raises_text(LocalError, match="trust no creator"):
        name_creators(["trusted"], ann)
    _mark(ann, MAKER.public, trusted=True)
    _mark(ann, CAROL.public, trusted=False)
    assert name_creators(["trusted"], ann) == [f"creator:{maker}"]
    assert name_creators([f"creator:{carol}"], ann) == [f"creator:{carol}"]
    assert name_creators([f"creator:{carol[:8]}"], ann) == [f"creator:{carol}"]
    # two creators have this name
    with raises_text(LocalError, match="The Press"):
        name_creators(["creator:The Press"], ann)
    with raises_text(LocalError, match="Nemo"):
        name_creators(["creator:Nemo"], ann)
    assert name_creators([f"creator:{carol}"], ann / "none") == [f"creator:{carol}"]


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["any"], ()),
        ([f"creator:{'a' * 40}", f"creator:{'a' * 40}"], (("creator-01", "a" * 40),)),
        (
            ["strength <= 9", "edition:Old set"],
            (("edition-01", "Old set"), ("limit-01", "strength<=9")),
        ),
    ],
)
def test_words_become_options(words: list[str], options: OptionList) -> None:
    assert accepted_options(words) == options


@pytest.mark.parametrize(
    "words",
    [["any", "strength<=9"], ["trusted"], ["creator:Ann"], ["strength"], ["edition:"], ["x"]],
)
def test_words_that_say_nothing_are_refused(words: list[str]) -> None:
    with pytest.raises(LocalError):
        accepted_options(words)


def test_limits_that_are_too_many_are_refused() -> None:
    with raises_text(LocalError, match="up to 4"):
        accepted_options([f"v{number}<=1" for number in range(5)])


def test_terms_say_whom_the_reader_knows_and_trusts(folders: tuple[Path, Path]) -> None:
    _mark(folders[0], MAKER.public, trusted=True)
    known = known_creators(folders[0], CAROL.public)
    assert known[fingerprint(MAKER.public)] == KnownCreator("The Press", True)
    options = (*_only(MAKER, CAROL, DAN), ("limit-01", "strength<=9"))
    text = "\n".join(terms_lines(_terms(options), SAY, creators=known))
    assert "The Press (you trust this creator)" in text
    assert f"{short_fingerprint(DAN.public)} (you do not know this creator)" in text
    assert ", you" in text or " you," in text
    assert "strength<=9" in text and "creator-01" not in text
    assert "you trust" not in "\n".join(terms_lines(_terms(options), SAY, creators=NO_CREATORS))
    # a list of tables asks nobody what they know, so it says nothing of it
    plain = "\n".join(terms_lines(_terms(options), SAY))
    assert short_fingerprint(MAKER.public) in plain and "know this creator" not in plain


@pytest.mark.parametrize(
    ("trusted", "options", "missing"),
    [
        (None, (), None),
        ((), (), "require.creators.any"),
        ((MAKER,), _only(MAKER), None),
        ((MAKER,), _only(MAKER, CAROL), "require.creators"),
        ((MAKER, CAROL, DAN), _only(MAKER, CAROL), None),
    ],
)
def test_person_may_play_only_against_trusted_creators(
    trusted: tuple[Identity, ...] | None, options: OptionList, missing: str | None
) -> None:
    keys = None if trusted is None else frozenset(fingerprint(one.public) for one in trusted)
    found = Requirements(creators=keys).unmet(_terms(options))
    assert (found.key if found else None) == missing


def test_choice_of_opponents_concerns_owned_cards_alone() -> None:
    dealing = Selection("verified", (("leavers", "threshold"),))
    terms = make_terms(Selection("element-duel"), dealing, Allowance().options(), 2, BUILT_IN)
    assert Requirements(creators=frozenset()).unmet(terms) is None


def test_choice_of_opponents_is_read_from_the_folder(folders: tuple[Path, Path]) -> None:
    args = argparse.Namespace(
        min_quorum=0, only_verified=False, breakable_keys=False, bot=None, data=folders[0]
    )
    assert trusted_creators(folders[0]) is None and requirements_of(args).creators is None
    _mark(folders[0], MAKER.public, trusted=True)
    with closing(_store(folders[0], ANN)) as store:
        store.opponents = "trusted"
    assert requirements_of(args).creators == {fingerprint(MAKER.public)}
    args.data = folders[0] / "none"
    assert requirements_of(args).creators is None
