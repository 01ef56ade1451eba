"""A table of several hosts: players follow its redirects while they stay at this table."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from random import Random

import pytest

from bots.dominoes import greedy_bot
from player.client import events
from protocol.audit.verdict import Verdict
from protocol.codes import Code
from protocol.identity.keys import Identity
from protocol.limits import MAX_HOPS
from tests.support.fake_table import FakeTable, listening
from tests.support.play import play

pytestmark = pytest.mark.match
ME = Identity(b"m" * 32)


class Hosts(FakeTable):
    """One table on several ports, one of which has the match; the others, or earlier ones, redirect
    clients.
    """

    def __init__(self, **options):
        super().__init__(**options)
        self.owner = None
        self.sends = iter(())  # addresses of redirects before the owner's
        self.asked = []  # ports that were asked for a seat
        # number of entries at which the match is released, once, and the new port
        self.moves_at = None
        self.dies_at = None  # the same for the death of its host, and its manner

    def sent(self, wire, place):
        port = wire.transport.get_extra_info("sockname")[1]
        self.asked.append(port)
        to = next(self.sends, None if self.owner in (None, port) else f"127.0.0.1:{self.owner}")
        if to is not None:
            wire.say("moved", to, place)
        return to is not None

    def on_join(self, wire, table_id):
        if not self.sent(wire, "main"):
            super().on_join(wire, table_id)

    def on_resume(self, wire, match_id, holds, met):
        if not self.sent(wire, match_id):
            super().on_resume(wire, match_id, holds, met)

    def on_post(self, wire, match_id, raw):
        if self.moves_at is not None and len(self.live.records) >= self.moves_at[0]:
            self.owner, self.moves_at = self.moves_at[1], None
            wire.say("moved", f"127.0.0.1:{self.owner}", match_id)
            wire.transport.write(wire.session.close(Code.CLOSING))
            wire.transport.close()
            return
        if self.dies_at is not None and len(self.live.records) >= self.dies_at[0]:
            self.owner = None  # every host has it
            self.task, self.dies_at = self.dies_at[1](), None
            return
        super().on_post(wire, match_id, raw)


async def played(table, link, told=None, seed=1):
    told = [] if told is None else told
    outcome = await play(
        link, ME, "Zoe", greedy_bot, rng=Random(seed), on_event=told.append, keep_trying=20.0
    )
    assert outcome.verdict is Verdict.CLEAN
    return [event.phrase.key for event in told if isinstance(event, events.Notice)]


async def two(stack, table):
    first = await stack.enter_async_context(listening(table))
    second = await stack.enter_async_context(listening(table))
    return first, second


async def test_seat_is_requested_at_the_owning_host():
    table = Hosts()
    async with AsyncExitStack() as stack:
        first, second = await two(stack, table)
        table.owner = second.port
        notices = await played(table, first)
        assert table.asked == [first.port, second.port]
    assert notices.count("notice.moved") == 1 and "notice.table_lost" not in notices


async def test_released_match_continues_at_named_host():
    table = Hosts()
    async with AsyncExitStack() as stack:
        first, second = await two(stack, table)
        table.owner, table.moves_at = first.port, (9, second.port)
        notices = await played(table, first)
        assert table.asked == [first.port, second.port]
    assert notices == ["notice.moved", "notice.table_back"]


async def test_redirect_to_other_table_is_refused_and_link_retried():
    table, other = Hosts(), FakeTable(seed=2)
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(listening(table))
        wrong = await stack.enter_async_context(listening(other))
        table.owner, table.sends = first.port, iter([f"127.0.0.1:{wrong.port}"])
        await played(table, first)
        assert len(other.connections) == 1 and other.received == []
        assert table.asked == [first.port, first.port]


async def test_redirect_to_foreign_address_is_not_followed():
    table, other = Hosts(), FakeTable(seed=2)
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(listening(table))
        foreign = await stack.enter_async_context(listening(other))
        table.owner, table.sends = first.port, iter([f"localhost:{foreign.port}"])
        notices = await played(table, first)
        assert other.connections == []
    assert notices.count("notice.moved.not") == 1


async def test_redirect_after_five_hops_returns_to_the_link():
    table = Hosts()
    async with AsyncExitStack() as stack:
        first, second = await two(stack, table)
        table.owner, table.sends = first.port, iter((MAX_HOPS + 1) * [f"127.0.0.1:{second.port}"])
        notices = await played(table, first)
        assert table.asked == [first.port, *MAX_HOPS * [second.port], first.port]
    assert notices.count("notice.moved") == 1 and notices.count("notice.moved.not") == 1


@pytest.mark.parametrize("seed", range(4))
async def test_redirect_skips_a_dead_host(seed):
    table = Hosts()
    async with AsyncExitStack() as stack:
        second = await stack.enter_async_context(listening(table))
        async with listening(FakeTable()) as first:
            """Its port is free again afterwards."""
        table.owner = second.port
        await played(
            table,
            replace(second, port=first.port, other_hosts=(("127.0.0.1", second.port),)),
            seed=seed,
        )
        assert table.asked == [second.port]


async def test_redirect_host_named_in_welcome_is_used_after_death():
    table = Hosts()
    async with AsyncExitStack() as stack, AsyncExitStack() as dying:
        first = await dying.enter_async_context(listening(table))
        second = await stack.enter_async_context(listening(table))
        table.owner, table.addresses = first.port, [f"127.0.0.1:{second.port}", "example.org:7500"]
        table.dies_at = 9, lambda: asyncio.create_task(dying.aclose())
        notices = await played(table, first)
        assert table.asked == [first.port, second.port]
    assert notices == ["notice.table_lost", "notice.table_back"]


class Forgetful(Hosts):
    """Hosts that lose all matches when a line breaks, as after restoring an old disk; or both
    hosts.
    """

    everywhere = False
    knows = 0  # port of the host that still has it

    def on_resume(self, wire, match_id, holds, met):
        port = wire.transport.get_extra_info("sockname")[1]
        self.asked.append(port)
        if port == self.knows and not self.everywhere:
            super(Hosts, self).on_resume(wire, match_id, holds, met)
        else:
            wire.say("error", "wrong_match")

    def on_post(self, wire, match_id, raw):
        if not self.knows and len(self.live.records) >= 9:
            self.knows = wire.transport.get_extra_info("sockname")[1]
            wire.transport.abort()
        else:
            super().on_post(wire, match_id, raw)


async def forgotten(table):
    """Return the outcome, the hosts that were asked for the match, and the messages."""
    told = []
    async with AsyncExitStack() as stack:
        first, second = await two(stack, table)
        link = replace(first, other_hosts=(("127.0.0.1", second.port),))
        outcome = await play(
            link, ME, "Zoe", greedy_bot, rng=Random(4), on_event=told.append, keep_trying=20.0
        )
    notices = [event.phrase.key for event in told if isinstance(event, events.Notice)]
    return outcome, [port == table.knows for port in table.asked[1:]], notices


async def test_redirect_asks_other_hosts_for_forgotten_match():
    outcome, asked, notices = await forgotten(Forgetful())
    assert outcome.verdict is Verdict.CLEAN and not asked[0] and asked[-1]
    assert notices == ["notice.table_lost", "notice.match_unknown", "notice.table_back"]


async def test_match_forgotten_by_all_hosts_is_given_up():
    table = Forgetful()
    table.everywhere = True
    outcome, asked, notices = await forgotten(table)
    assert outcome.verdict is Verdict.INCOMPLETE and outcome.reason.key == "stop.table.gone"
    assert set(asked) == {False, True} and notices == ["notice.table_lost", "notice.match_unknown"]
