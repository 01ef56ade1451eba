"""A trade with somebody who was met in a table's lobby: through a pipe of that table, which cannot
read it.
"""

import asyncio
from argparse import Namespace

from player.cards.collection import Collection
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.rollback_guard import default_marks
from player.cli.cards.card_program import Program
from player.cli.cards.trade_command import Session
from player.cli.lobby_command import LineSwitch, LobbyPlace
from player.client.environment import Environment
from player.lobby.meeting import LobbyPresence
from player.lobby.pipe_connection import through_table
from player.lobby.roster import Guest
from player.multipath.dialer import Call, Route
from player.multipath.line_set import LineKind
from player.storage import contacts
from player.storage.known_tables import KnownTables
from protocol.errors import LocalError
from protocol.i18n.language_choice import own_language
from protocol.messages.lobby import TRADE
from protocol.view.text import phrase_renderer


async def trade_from_lobby(
    place: LobbyPlace,
    environment: Environment,
    presence: LobbyPresence,
    guest: Guest,
    switch: LineSwitch,
) -> int:
    """Trade, on the screen that the lobby had; the exit code. Raises: LocalError, RemoteError as
    `through_table`.
    """
    identity = environment.identity
    rng = environment.rng
    store = LedgerStore(place.data, identity.public, default_marks())
    try:
        if store.journal.is_outdated():
            raise LocalError("wrong.trade.old")
        args = Namespace(
            yes=False,
            give=[],
            want=[],
            name=presence.name,
            bot=None,
            data=place.data,
            lines=False,
            through=None,
            keep_trying=None,
        )
        known = contacts.read_contacts(place.data)
        say = phrase_renderer(own_language(), ())
        # a thread reads the records: the lobby's line stands meanwhile
        collection = await asyncio.to_thread(Collection, store, identity.public)
        program = Program(args, collection, identity, known, say, rng)
        session = Session(program, (), calling=True, lines=switch.lines)
        switch.handler = session.talker
        expected = KnownTables(place.data).expected(place.link)
        whom = (guest.key, TRADE)
        link = place.link
        name = presence.name
        call: Call = lambda heard: through_table(link, environment, name, whom, heard, expected)  # noqa: E731
        return await session.over(Route(str(link), LineKind.RELAY, call))
    finally:
        store.close()
