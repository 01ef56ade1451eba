"""The terms are shown before a player sits down, and a player with stricter requirements declines
silently.
"""

import asyncio
from dataclasses import replace
from random import Random

import pytest

from bots.dominoes import greedy_bot
from player.client import events
from player.client.environment import Environment
from player.client.reconnect import client_for
from player.client.reconnect import visit as see
from player.client.requirements import NO_REQUIREMENTS, Requirements, Unacceptable, secrecy_of
from player.client.seat import Seat
from player.client.table_client import Plan
from player.presenter import narration
from player.presenter.terms_text import terms_lines, trust_lines
from player.ui.terminal.plain_screen import PlainScreen
from protocol.audit.verdict import Verdict
from protocol.codes import Code
from protocol.dealing import TABLE, Fault
from protocol.games.registry import BUILT_IN
from protocol.i18n import english, english_text
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from protocol.match.terms import Terms, decode_terms, encode_terms, make_terms, terms_hash
from protocol.options import Selection
from protocol.view.phrase import phrase
from protocol.view.text import phrase_renderer
from tests.support.errors import raises_text
from tests.support.fake_table import FakeTable, listening
from tests.support.guest_games.offline_match import GUESTS
from tests.support.play import play
from tests.support.tables import until

ME = Identity(b"m" * 32)
SAY = phrase_renderer(english, ())
CLOCK = Allowance().options()


def dominoes(dealing: str, seats: int, **options: int | str) -> Terms:
    chosen = Selection(dealing, tuple(sorted(options.items())))
    return make_terms(Selection("block-dominoes"), chosen, CLOCK, seats)


def threshold(seats: int, quorum: int | None = None) -> Terms:
    more = {} if quorum is None else {"quorum": quorum}
    return dominoes("verified", seats, leavers="threshold", **more)


BY_MAIL = make_terms(Selection("five-card-draw"), Selection("commutative"), (), 2)


@pytest.mark.parametrize(
    ("terms", "readers", "hand", "leaving"),
    [
        (dominoes("layered", 2), 1, "If the host and the other player cheat together", "void"),
        (
            dominoes("layered", 4),
            2,
            "If the host and your neighbours cheat together",
            "void",
        ),
        (dominoes("verified", 4), None, "Nobody else can see your hand", "void"),
        (threshold(4, 2), 2, "If 2 of the other players cheat together", "the others play on"),
        (
            threshold(4),
            3,
            "If 3 of the 3 other players cheat together, they can see your hand. Once somebody has left",
            "the others",
        ),
        (threshold(3), 2, "If 2 of the other players cheat together", "the others play on"),
        (threshold(2), None, "Nobody else can see your hand", "the other one wins"),
        (BY_MAIL, 1, "a cheat is named", "void"),
    ],
)
def test_terms_say_who_can_know_a_hand(terms, readers, hand, leaving):
    secrecy = secrecy_of(terms)
    assert secrecy.colluders == readers
    assert hand in SAY(secrecy.hand) and leaving in SAY(secrecy.leaving)


def test_terms_say_who_could_read_own_deck_ahead():
    def peel(*shared):
        return make_terms(Selection("peel"), Selection("verified", shared), CLOCK, 4, GUESTS)

    (deck, leaving) = trust_lines(peel(), SAY, GUESTS)
    assert (
        "Nobody else can know in advance what you will draw" in deck
        and "could look ahead in its own player's deck" in deck
    )
    assert "void" in leaving and secrecy_of(peel(), GUESTS).colluders is None
    (deck, _) = trust_lines(peel(("leavers", "threshold"), ("quorum", 2)), SAY, GUESTS)
    assert (
        "If 2 of the other players cheat together, they can know in advance" in deck
        and "could look ahead" in deck
    )
    (hand, _) = trust_lines(threshold(4, 2), SAY, GUESTS)
    assert "ahead" not in hand


def test_terms_list_game_clock_and_trust():
    assert terms_lines(threshold(4, 2), SAY, "main") == [
        "Table main: block-dominoes, leavers threshold, quorum 2, seats: 4, dealt verified.",
        "  Time: 120 s for a move, which each player can extend 3 times; 300 s for a program to answer.",
        "  If 2 of the other players cheat together, they can see your hand.",
        "  If somebody leaves, the others play on.",
    ]
    assert terms_lines(BY_MAIL, SAY)[:2] == [
        "Game: five-card-draw, seats: 2, dealt commutative.",
        "  There is no clock: take all the time you need.",
    ]


@pytest.mark.parametrize(
    ("asked", "terms", "declines"),
    [
        (NO_REQUIREMENTS, dominoes("layered", 2), False),
        (Requirements(only_verified=True), dominoes("layered", 4), True),
        (Requirements(only_verified=True), BY_MAIL, True),
        (Requirements(only_verified=True), threshold(4, 2), False),
        (Requirements(2), threshold(4, 2), False),
        (Requirements(3), threshold(4, 2), True),
        (Requirements(3), threshold(4), False),
        (Requirements(3), dominoes("verified", 3), False),
        (Requirements(2), dominoes("layered", 2), True),
        (Requirements(3), dominoes("layered", 4), True),
        (Requirements(2), BY_MAIL, True),
    ],
)
def test_requirements_are_parsed_from_options(asked, terms, declines):
    assert (asked.unmet(terms) is not None) is declines
    if declines:
        with raises_text(Unacceptable, match="You did not sit down"):
            asked.check(terms)


def test_requirements_reject_unknown_terms():
    assert NO_REQUIREMENTS.unmet(None) is None
    assert Requirements(2).unmet(None) == phrase("require.unknown")


def test_lobby_lists_trusted_parties_even_for_unknown_games():
    strange = threshold(4)._replace(dealing=Selection("by-hand"))
    rows = (
        ("main", threshold(4, 2), (), 0),
        ("odd", strange, (), 0),
        ("low", dominoes("layered", 2), (), 1),
    )
    told = narration.table_lines(events.Listed(rows, BUILT_IN), SAY)
    assert [
        line.strip() for line in told if line.strip().endswith(".") and "Time: " not in line
    ] == [
        "If 2 of the other players cheat together, they can see your hand.",
        "If somebody leaves, the others play on.",
        "If the host and the other player cheat together, they can see your hand.",
        "If somebody leaves, the match is void.",
    ]


# --- at a table ---


async def visit(table, requires=NO_REQUIREMENTS, tell=lambda event: None, plan=None):
    """Return the result of a bot's visit to this table."""
    async with listening(table) as link:
        plan = plan or Plan("Zoe", requires=requires)
        return await play(link, ME, "Zoe", None, rng=Random(3), on_event=tell, plan=plan)


@pytest.mark.parametrize("asked", [Requirements(2), Requirements(only_verified=True)])
async def test_player_with_stricter_requirements_leaves_before_sitting(asked):
    table, told = FakeTable(), []
    outcome = await visit(table, asked, told.append)
    assert outcome.declined and outcome.verdict is Verdict.INCOMPLETE and outcome.faults == ()
    assert "You did not sit down" in english_text(outcome.reason)
    # and no message about the reason
    assert [message.name for message in table.received] == ["hello", "list"]
    assert [type(event) for event in told] == [events.Welcomed, events.Offered]
    assert table.connections[-1].closed.code is None


async def test_unlisted_table_is_declined_by_player_with_requirements():
    table = FakeTable()
    outcome = await visit(table, plan=Plan("Zoe", table_id="elsewhere", requires=Requirements(2)))
    assert outcome.declined and "does not say" in english_text(outcome.reason)
    assert "join" not in [message.name for message in table.received]


class Elsewhere(FakeTable):
    """Table that lists a good table first, and seats people at another."""

    def on_list(self, wire):
        name, _, *row = self.listing()
        wire.say(
            "tables",
            [
                ["good", encode_terms(dominoes("verified", 2)), *row],
                [name, self.listing()[1], *row],
            ],
        )


async def test_player_moved_to_another_table_rechecks_requirements():
    table, told = Elsewhere(), []
    outcome = await visit(table, Requirements(only_verified=True), told.append)
    assert outcome.declined and outcome.faults == ()
    assert [event.table_id for event in told if isinstance(event, events.Offered)] == [
        "good",
        "main",
    ]
    assert not [message for message in table.received if message.name in ("post", "replay")]


class Pretender(FakeTable):
    """Table that shows other terms than it uses."""

    def listing(self):
        name, _, *row = super().listing()
        return [name, encode_terms(dominoes("verified", 2)), *row]


async def test_table_with_terms_other_than_shown_gets_no_signature():
    table = Pretender()
    outcome = await visit(table, Requirements(only_verified=True))
    assert outcome.faults == (Fault(TABLE, 0, Code.WRONG_SETUP),)
    assert not [message for message in table.received if message.name == "post"]


# --- on the screen ---


def test_terms_shown_before_joining_are_not_repeated(capsys):
    match = FakeTable()
    match.client_key = ME.public
    match.begin()
    begun = match.live.match
    for told_before in (True, False):
        screen = PlainScreen({})
        if told_before:
            screen.hear(events.Offered("main", begun.setup.terms))
        screen.hear(events.Started(begun, 0))
        said = capsys.readouterr().out
        assert (
            said.count("If the host and the other player cheat together, they can see your hand.")
            == 1
        )
        assert said.count("Time: ") == 1


# --- chosen by a person with the shown terms ---


@pytest.mark.parametrize("spectate", (False, True))
async def test_player_declines_table_with_changed_terms(spectate):
    table = FakeTable()
    seen = decode_terms(table.listing()[1])._replace(seats=3)
    outcome = await visit(table, plan=Plan("Zoe", table_id="main", agreed=seen, spectate=spectate))
    assert outcome.declined and outcome.faults == () and outcome.reason == phrase("lobby.changed")
    assert [message.name for message in table.received] == ["hello", "list"]


async def test_vanished_table_is_reported_and_no_other_joined():
    table = FakeTable()
    seen = decode_terms(table.listing()[1])
    outcome = await visit(table, plan=Plan("Zoe", table_id="table-7", agreed=seen))
    assert outcome.declined and "This table is gone" in SAY(outcome.reason)
    assert [message.name for message in table.received] == ["hello", "list", "find"]


@pytest.mark.slow
async def test_player_joins_table_with_shown_terms():
    table = FakeTable()
    plan = Plan("Zoe", table_id="main", agreed=decode_terms(table.listing()[1]))
    async with listening(table) as link:
        assert (
            await play(link, ME, "Zoe", greedy_bot, rng=Random(3), plan=plan)
        ).verdict is Verdict.CLEAN


async def test_lobby_browser_lists_tables_as_often_as_asked():
    table, told = FakeTable(), []

    async with listening(table) as link:
        client = client_for(
            Plan("Zoe", browse=True), Environment(ME, Random(3), Seat, None, told.append), None
        )
        looking = asyncio.create_task(see(client, link, link.fingerprint))
        for times in (1, 2):
            await until(lambda times=times: len(told) == times + 1)
            client.look()
        await until(lambda: len(told) == 4)
        client.give_up(None)
        assert (await looking).reason is None
    assert [type(event) for event in told] == [events.Welcomed, *[events.Listed] * 3]
    assert [message.name for message in table.received] == ["hello", *["find"] * 3]


async def test_lobby_browser_is_not_put_into_match():
    class Snatching(FakeTable):
        def on_find(self, wire, *values):
            super().on_find(wire, *values)
            self.on_join(wire, None)

    table = Snatching()
    async with listening(table) as link:
        outcome = await play(
            link, ME, "Zoe", None, rng=Random(3), plan=Plan("Zoe", browse=True), keep_trying=0
        )
    assert outcome.faults == () and outcome.reader is None
    assert {wire.closed.code for wire in table.connections} == {Code.BAD_MESSAGE}


class Anew(FakeTable):
    """Table that was recreated between its listing and the request, with another clock."""

    turns = (77,)  # seconds of a turn, different for each request

    def __init__(self) -> None:
        super().__init__()
        self.clocks, self.now = list(self.turns), None

    def plain_setup(self):
        setup = super().plain_setup()
        clock = tuple(
            (name, self.now if name == "turn" and self.now else value)
            for name, value in setup.terms.clock
        )
        return replace(setup, terms=setup.terms._replace(clock=clock))

    def on_join(self, wire, table_id):
        if self.clocks:
            self.now = self.clocks.pop(0)
        if table_id[1] != terms_hash(self.plain_setup().terms):
            wire.say("error", "other_terms")
        else:
            super().on_join(wire, table_id)


@pytest.mark.slow
async def test_restarted_table_with_other_terms_is_asked_and_not_accused():
    table, heard = Anew(), []
    async with listening(table) as link:
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(3), on_event=heard.append)
    assert outcome.verdict is Verdict.CLEAN and outcome.faults == ()
    offered = [
        dict(event.terms.clock)["turn"] for event in heard if isinstance(event, events.Offered)
    ]
    assert offered == [Allowance().turn, 77], "what is new is told before one sits down"


async def test_table_with_ever_changing_terms_is_given_up():
    class Restless(Anew):
        turns = tuple(range(50, 90))

    table = Restless()
    async with listening(table) as link:
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(3))
    assert outcome.faults == () and outcome.reader is None
    assert [message.name for message in table.received].count("join") == 2


@pytest.mark.slow
async def test_own_table_replaced_by_another_is_declined():
    """The table's data folder is gone, and another person has created a table with that number."""

    class Amnesiac(FakeTable):
        def on_create(self, wire, *terms):
            self.now_listed = "t1"
            wire.say("created", "t1")

        def on_join(self, wire, table_id):
            wire.transport.write(wire.session.close(Code.CLOSING))

        def listing(self):
            row = super().listing()
            return [getattr(self, "now_listed", row[0]), *row[1:]]

    table = Amnesiac()
    plan = Plan("Zoe", create=dominoes("layered", 2))
    async with asyncio.timeout(120), listening(table) as link:
        outcome = await play(link, ME, "Zoe", greedy_bot, rng=Random(3), plan=plan)
    assert outcome.declined and outcome.faults == ()
