"""Decks of owned cards in a match: cards that a program brings or declines, and a card that was
sold before.
"""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random

import pytest

from bots.random_bot import random_bot
from player.cards.collection import Collection
from player.cards.decks.deck_check import check_deck
from player.cards.decks.deck_choice import FolderDecks
from player.cards.decks.deck_editing import add_card, make_deck
from player.cards.decks.loadout import FolderLoadouts, load_proxies
from player.cards.storage.database import FILE
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.named_decks import NamedDeck
from player.cards.storage.rollback_guard import default_marks
from player.cli.direct_arguments import parser as peer_parser
from player.cli.direct_commands import _Program
from player.cli.screen_choice import Screen
from player.cli.table_visits import play_at
from player.client.environment import Environment
from player.client.loadouts import KnownCreator
from player.client.requirements import Unacceptable, check_brought
from player.client.seat import Seat
from player.client.table_client import Plan
from player.direct.saved_match import SavedState, new_saved, read_all_saved, read_saved
from player.mail.config import Config
from player.mail.correspondence import Correspondence
from player.storage.agreement import Agreement
from player.storage.locked_cards import read_locked_cards
from player.storage.recovery_state import MatchFiles, RecoveryState, any_recovery_states
from player.storage.resumable_matches import ResumableMatches
from player.ui.terminal.plain_screen import PlainScreen
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import LocalError
from protocol.games import Action
from protocol.games.decks import ProxyCard
from protocol.games.decks.deck_hand import Loadout
from protocol.games.registry import BUILT_IN
from protocol.games.scripted.rule_file.built_in import built_in_text, rule_digest
from protocol.i18n import english_text
from protocol.identity.keys import Identity, JoinLink, fingerprint, short_fingerprint
from protocol.ledger.record_contents import CardType, Trade
from protocol.ledger.records import LedgerRecord, sign_record
from protocol.ledger.trading.journal import JournalRefusal, Promise
from protocol.ledger.view import evaluate
from protocol.match.clock import Allowance
from protocol.match.seat_view import view_of
from protocol.match.setup import Person
from protocol.match.state import Match
from protocol.match.terms import Terms, make_terms
from protocol.messages.parcel import Invitation, encode_parcel, invite
from protocol.options import Selection
from protocol.view.phrase import Phrase
from protocol.wire import encode
from tests.support.collectors import STATE
from tests.support.errors import raises_text
from tests.support.fake_table import FakeTable, listening
from tests.support.ledger import MAKER, card, free, maker, traded
from tests.support.offline import Offline, make_offline

SEED = 7
KIND = sign_record(
    CardType(
        MAKER.public,
        None,
        0,
        None,
        "Spark",
        "First",
        None,
        (("element", "fire"), ("strength", 3)),
        True,
        "",
    ),
    MAKER,
)
COPIES = [card(serial, KIND) for serial in range(20)]


def _people() -> tuple[Identity, Identity]:
    """Return the people at `make_offline`'s table."""
    rng = Random(SEED)
    rng.randbytes(32)
    return Identity(rng.randbytes(32)), Identity(rng.randbytes(32))


ANN, BOB = _people()
DEALT = [
    traded(MAKER, to, free(evaluate([maker(), KIND, *COPIES]), *copies))
    for to, copies in ((ANN, COPIES[:10]), (BOB, COPIES[10:]))
]
RECORDS = [maker(), KIND, *COPIES, *DEALT]
SALE = traded(ANN, BOB, free(evaluate(RECORDS), COPIES[4]))


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Path]]:
    """Make two data folders with a deck `first` of ten cards each; nothing is sold yet."""
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    for name, who, copies in (("ann", ANN, COPIES[:10]), ("bob", BOB, COPIES[10:])):
        with closing(_store(tmp_path / name, who)) as store:
            store.add(RECORDS)
            store.decks.make(
                NamedDeck("first", "element-duel", True, tuple(one.id for one in copies))
            )
    yield tmp_path / "ann", tmp_path / "bob"


def _store(folder: Path, who: Identity) -> LedgerStore:
    return LedgerStore(folder, who.public, default_marks())


def _learn(folder: Path, who: Identity, *records: LedgerRecord) -> None:
    with closing(_store(folder, who)) as store:
        store.add(records)


class Brazen(Seat):
    """Program that does not leave when it is caught."""

    def move(self, match: Match, action: Action) -> Post:
        return (
            Post("move", [list(action), []])
            if action[0] == "answer"
            else super().move(match, action)
        )


def _match(ann: Loadout, bob: Loadout, mode: str, first: type[Seat] = Seat) -> Offline:
    found = make_offline(
        2, SEED, "element-duel", {"cards": "owned", "mode": mode}, dealing="seeded"
    )
    found.seats = [first(ANN, 0, Random(0), ann), Seat(BOB, 1, Random(1), bob)]
    found.bots = (random_bot, random_bot)
    found.play()
    return found


def _faults(found: Offline) -> list[tuple[int, Code]]:
    return [(fault.seat, fault.code) for fault in found.live.match.faults]


@pytest.mark.match
@pytest.mark.parametrize("mode", ["open", "closing"])
def test_loadouts_of_owned_cards_are_played_and_nobody_named(
    folders: tuple[Path, Path], mode: str
) -> None:
    ann, bob = (
        FolderLoadouts(folder).load(who.public, "first")
        for folder, who in zip(folders, (ANN, BOB), strict=True)
    )
    found = _match(ann, bob, mode)
    assert found.live.match.over and _faults(found) == [] and found.live.match.game.error is None
    assert len(found.live.match.game.decks.opened) == 20
    shown = [
        card.owned
        for region in view_of(found.live.match).board.regions
        for card in region.pieces
        if card.faces
    ]
    assert shown and {one.creator for one in shown} == {short_fingerprint(MAKER.public)}


def test_creators_have_names_and_marks_of_this_person(folders: tuple[Path, Path]) -> None:
    letters = fingerprint(MAKER.public)
    for mark in (None, True, False):
        with closing(_store(folders[0], ANN)) as store:
            store.mark(MAKER.public, mark)
        assert FolderLoadouts(folders[0]).creators(ANN.public) == {
            letters: KnownCreator("Maker", mark)
        }
    assert FolderLoadouts(folders[1]).creators(BOB.public) == {letters: KnownCreator("Maker", None)}
    assert FolderLoadouts(folders[0] / "none").creators(ANN.public) == {}


@pytest.mark.match
@pytest.mark.parametrize("mode", ["open", "closing"])
def test_loadout_card_sold_before_names_its_seat(folders: tuple[Path, Path], mode: str) -> None:
    ann = FolderLoadouts(folders[0]).load(ANN.public, "first")  # an old copy, or a careless program
    for folder, who in zip(folders, (ANN, BOB), strict=True):
        _learn(folder, who, SALE)
    bob = FolderLoadouts(folders[1]).load(BOB.public, "first")
    for program, code in ((Brazen, Code.NOT_OWNED), (Seat, Code.LEFT)):
        found = _match(ann, bob, mode, program)
        assert _faults(found) == [(0, code)] and found.live.match.winner == 1


@pytest.mark.match
def test_loadout_with_unknown_foreign_sale_names_nobody(
    folders: tuple[Path, Path],
) -> None:
    ann = FolderLoadouts(folders[0]).load(ANN.public, "first")
    _learn(folders[0], ANN, SALE)
    found = _match(ann, FolderLoadouts(folders[1]).load(BOB.public, "first"), "open")
    assert _faults(found) == [] and found.live.match.over


def test_loadout_has_only_cards_of_its_person(
    folders: tuple[Path, Path],
) -> None:
    _learn(folders[0], ANN, SALE)
    with raises_text(LocalError, match="Spark is not yours"):
        FolderLoadouts(folders[0]).load(ANN.public, "first")
    with raises_text(LocalError, match="no deck called second"):
        FolderLoadouts(folders[0]).load(ANN.public, "second")


def _terms(game: str = "element-duel", **options: str) -> Terms:
    dealing = Selection("verified", (("leavers", "threshold"),))
    return make_terms(
        Selection(game, tuple(options.items())), dealing, Allowance().options(), 2, BUILT_IN
    )


def test_unfit_loadout_is_reported_before_joining(
    folders: tuple[Path, Path],
) -> None:
    owned = FolderLoadouts(folders[0]).load(ANN.public, "first")
    check_brought(_terms(cards="owned"), owned)
    check_brought(_terms(), Loadout())
    check_brought(_terms("mau-mau-shared"), Loadout())
    for terms, brings, said in (
        (_terms(cards="owned"), Loadout(), "cards that you own"),
        (_terms(), owned, "cards that its rules bring along"),
        (
            _terms("mau-mau", cards="owned"),
            owned,
            "may not be played by the rules of mau-mau: a deck has 12",
        ),
        (_terms("mau-mau-shared"), owned, "no decks of one's own"),
        (_terms("draw-dominoes"), owned, "no decks of one's own"),
        (_terms(), Loadout((ProxyCard(0),) * 9), "a deck has 10 cards"),
        (_terms(), Loadout((ProxyCard(30),) * 10), "cards that its rules bring along"),
        (_terms(), Loadout(text="RULES = {}"), "rules"),
    ):
        with raises_text(Unacceptable, match=said):
            check_brought(terms, brings)


def test_loadout_without_owned_cards_uses_cards_of_rules(
    folders: tuple[Path, Path],
) -> None:
    with closing(_store(folders[0], ANN)) as store:
        store.decks.make(NamedDeck("proxies", "element-duel", False, (*range(9), 3)))
    assert load_proxies(folders[0], "proxies").cards == tuple(map(ProxyCard, (*range(9), 3)))
    check_brought(_terms(), load_proxies(folders[0], "proxies"))
    with raises_text(LocalError, match="against bots"):
        load_proxies(folders[0], "first")


OWN_RULES = (
    built_in_text("element-duel")
    .replace('"element-duel"', '"small-duel"')
    .replace("7, 3, 3, 10", "7, 3, 3, 4")
)


def test_loadout_for_private_rules_needs_only_that_file(tmp_path: Path):
    """The deck's numbers mean cards of that file: without it, or with another, they mean
    nothing.
    """
    rules = rule_digest(OWN_RULES)
    with closing(LedgerStore(tmp_path, ANN.public, None)) as store:
        collection = Collection(store, ANN.public)
        with pytest.raises(LocalError):
            make_deck(collection, "four", rules, owned=False)
        collection.rules = OWN_RULES
        make_deck(collection, "four", rules, owned=False)
        for number in range(5):
            assert check_deck(store.decks.named("four"), collection).legal == (number == 4)
            if number < 4:
                add_card(collection, "four", str(number))
    terms = _terms("script", rules=rules)
    brings = FolderLoadouts(tmp_path).load(ANN.public, "four", OWN_RULES)
    assert brings.cards == tuple(map(ProxyCard, range(4))) and brings.text == OWN_RULES
    check_brought(terms, brings)
    own = FolderDecks(tmp_path, ANN.public, OWN_RULES)
    assert own.for_match(terms, BUILT_IN) == ("four",) and own.for_match(_terms(), BUILT_IN) == ()
    for text in ("", OWN_RULES + "# another\n"):
        with raises_text(LocalError, match="four"):
            FolderLoadouts(tmp_path).load(ANN.public, "four", text)


def _remembered(folder: Path, brings: Loadout) -> RecoveryState:
    """Remember in this folder a match at a table that has begun and is not over."""
    link = JoinLink.parse(f"fairdeal://127.0.0.1:7500/{fingerprint(MAKER.public)}")
    agreement = Agreement(bytes(32), MAKER.public, "main", 0, Person("Ann", ANN.public), None)
    check = partial(FolderLoadouts(folder).check_free, ANN.public)
    files = MatchFiles(folder, link, ANN.public, check=check)
    memory = files.remember(agreement, bytes(32), brings)
    assert memory is not None
    return memory


def _signs(folder: Path, copy: LedgerRecord) -> None:
    trade = traded(ANN, BOB, free(evaluate(RECORDS), copy))
    assert isinstance(trade.content, Trade)
    with closing(_store(folder, ANN)) as store:
        store.journal.mend()  # recorded contents of the folder
        store.journal.sign_once(Promise(trade.id, trade.content, ANN.public, bytes(64)))


def test_loadout_card_in_running_match_cannot_be_given_away(
    folders: tuple[Path, Path],
) -> None:
    memory = _remembered(folders[0], FolderLoadouts(folders[0]).load(ANN.public, "first"))
    assert (
        read_locked_cards(folders[0]) == {one.id for one in COPIES[:10]}
        and read_locked_cards(folders[1]) == set()
    )
    with pytest.raises(JournalRefusal) as refused:
        _signs(folders[0], COPIES[4])
    assert refused.value.phrase.key == "wrong.trade.playing"
    memory.forget()
    _signs(folders[0], COPIES[4])


@pytest.mark.parametrize("away", [_signs, lambda folder, copy: _learn(folder, ANN, SALE)])
def test_loadout_omits_card_given_away_while_waiting(
    folders: tuple[Path, Path], away: Callable[[Path, LedgerRecord], object]
) -> None:
    """Nobody is named for it: the program leaves the match before any entry of ours is in its
    log.
    """
    brings = FolderLoadouts(folders[0]).load(ANN.public, "first")
    away(folders[0], COPIES[4])
    with raises_text(LocalError, match="Spark") as raised:
        _remembered(folders[0], brings)
    assert raised.value.phrase.key == "wrong.deck.card.since"
    assert not any_recovery_states(folders[0]) and not read_locked_cards(folders[0])


@pytest.mark.parametrize("state", [SavedState.INVITED, SavedState.OPEN])
def test_saved_match_is_restored_if_card_was_traded(
    folders: tuple[Path, Path], state: SavedState
) -> None:
    brings = FolderLoadouts(folders[0]).load(ANN.public, "first")
    invitation = invite(BOB, "Bob", _terms()._replace(clock=()), bytes(32), 0)
    saved = new_saved(
        folders[0], invitation, Person("Ann", ANN.public), "bob@example.org", "", state
    )
    if state is SavedState.INVITED:
        saved.save()
    before = read_saved(folders[0], invitation.nonce)
    _signs(folders[0], COPIES[4])
    with raises_text(LocalError, match="Spark"):
        saved.opened(saved.person, Random(1), brings, FolderLoadouts(folders[0]))
    assert read_saved(folders[0], invitation.nonce) == before and not read_locked_cards(folders[0])
    saved.opened(saved.person, Random(1), Loadout((ProxyCard(4),)))


async def test_play_at_refuses_card_traded_after_the_choice(folders: tuple[Path, Path]) -> None:
    loadouts = FolderLoadouts(folders[0])
    brings = loadouts.load(ANN.public, "first")
    _signs(folders[0], COPIES[4])
    screen = PlainScreen({})
    environment = Environment(
        ANN, Random(3), Seat, random_bot, screen.hear, brings=brings, loadouts=loadouts
    )
    table = FakeTable(game="element-duel", options={"cards": "owned"}, dealing="verified")
    async with asyncio.timeout(60), listening(table) as link:
        with pytest.raises(LocalError) as refused:
            await play_at(link, environment, Plan("Ann"), folders[0], screen)
    assert _since(refused.value.phrase) and not any_recovery_states(folders[0])


def _since(reason: Phrase) -> bool:
    """Distinguish a refusal for a traded card from a refusal of all owned cards."""
    return reason.key == "wrong.deck.card.since"


def _invitation() -> Invitation:
    return invite(BOB, "Bob", _terms(cards="owned")._replace(clock=()), bytes(32), 0)


def test_invitation_with_card_traded_after_the_choice_is_refused(
    folders: tuple[Path, Path],
) -> None:
    link = JoinLink("127.0.0.1", 7501, fingerprint(BOB.public), direct=True)
    args = peer_parser("join", BUILT_IN).parse_args(
        [str(link), "--name", "Ann", "--deck", "first", "--data", str(folders[0])]
    )
    screen = Screen(PlainScreen({}), random_bot)
    loadouts = FolderLoadouts(folders[0])
    program = _Program(args, ANN, Random(1), screen, loadouts=loadouts)
    client = program.client(None)
    client.attach(lambda _: None, BOB.public)
    _signs(folders[0], COPIES[4])
    with pytest.raises(LocalError) as refused:
        client.received(encode_parcel(_invitation()))
    assert _since(refused.value.phrase) and client.playing is None
    assert read_saved(folders[0], bytes(32)) is None


def test_letter_with_card_traded_after_the_choice_is_refused(folders: tuple[Path, Path]) -> None:
    loadouts = FolderLoadouts(folders[0])
    brings = loadouts.load(ANN.public, "first")
    config = Config("ann@example.org")
    ann = Correspondence(
        folders[0], ANN, Random(1), config, random_bot, brings=brings, loadouts=loadouts
    )
    _signs(folders[0], COPIES[4])
    with pytest.raises(LocalError) as refused:
        ann.invite("Ann", _invitation().terms, "bob@example.org", "ann@example.org")
    assert _since(refused.value.phrase) and not read_all_saved(folders[0])
    saved = new_saved(
        folders[0],
        _invitation(),
        Person("?", ANN.public),
        "bob@example.org",
        "",
        SavedState.INVITED,
    )
    saved.save()
    with pytest.raises(LocalError) as refused:
        ann.accept(saved, "Ann", "ann@example.org", None)
    assert _since(refused.value.phrase)
    assert [(one.state, one.seed) for one in read_all_saved(folders[0])] == [
        (SavedState.INVITED, b"")
    ]


@pytest.mark.parametrize("text", ["no json", '{"brings": "ff"}'])
def test_damaged_match_keeps_all_cards_and_names_the_file(
    folders: tuple[Path, Path], text: str
) -> None:
    path = folders[0] / "matches" / f"{'0' * 64}.json"
    path.parent.mkdir()
    path.write_text(text)
    unfinished = ResumableMatches(folders[0], ANN)
    for asks in (lambda: _signs(folders[0], COPIES[4]), lambda: unfinished.forget(None)):
        with raises_text(LocalError, match="move it away") as said:
            asks()
        assert str(path) in english_text(said.value.phrase)
    path.unlink()
    _signs(folders[0], COPIES[4])


def test_match_of_edition_3_keeps_its_cards(folders: tuple[Path, Path]) -> None:
    """Its file has the last trade of each card alone."""
    memory = _remembered(folders[0], FolderLoadouts(folders[0]).load(ANN.public, "first"))
    path = next((folders[0] / "matches").glob("*.json"))
    kept = json.loads(path.read_text())
    cards = [[one.raw, [KIND.raw], DEALT[0].raw] for one in COPIES[:3]]
    kept["brings"] = encode([cards, ""]).hex()
    path.write_text(json.dumps(kept))
    assert read_locked_cards(folders[0]) == {one.id for one in COPIES[:3]}
    _signs(folders[0], COPIES[4])
    memory.forget()


def test_loadout_of_rule_cards_blocks_no_trade(folders: tuple[Path, Path]) -> None:
    _remembered(folders[0], Loadout((ProxyCard(4),)))
    _signs(folders[0], COPIES[4])


def _damage(folder: Path) -> None:
    """Change one byte of a record where the database does not notice it."""
    with closing(sqlite3.connect(folder / FILE)) as file:
        file.execute("UPDATE records SET raw = ? WHERE number = 3", (b"\xc1",))
        file.commit()


@pytest.mark.match
@pytest.mark.parametrize(
    "damage", [_damage, lambda folder: (folder / FILE).write_bytes(b"no database" * 500)]
)
def test_damaged_card_file_in_match_is_reported_and_copy_used(
    folders: tuple[Path, Path], damage: Callable[[Path], object]
) -> None:
    found = make_offline(
        2, SEED, "element-duel", {"cards": "owned", "mode": "open"}, dealing="seeded"
    )
    ann, bob = (
        FolderLoadouts(folder).load(who.public, "first")
        for folder, who in zip(folders, (ANN, BOB), strict=True)
    )
    found.seats = [Seat(ANN, 0, Random(0), ann), Seat(BOB, 1, Random(1), bob)]
    found.bots = (random_bot, random_bot)
    good = (folders[0] / FILE).read_bytes()
    damage(folders[0])
    with pytest.raises(LocalError) as said:
        found.play()
    assert said.value.phrase.key == "wrong.cards.file" and not found.live.match.faults
    (folders[0] / FILE).write_bytes(good)
    for more in ("-wal", "-shm"):
        (folders[0] / f"{FILE}{more}").unlink(missing_ok=True)
    found.play()
    assert found.live.match.over and _faults(found) == [] and found.live.match.game.error is None
