"""The question for a table's key history, to honest tables and others."""

import asyncio
from dataclasses import replace
from random import Random

import pytest

from player.client.connection import connect
from player.client.key_question import ask_history
from protocol.identity.key_history import KeyHistory, commit, encode_history
from protocol.identity.keys import Identity, JoinLink
from tests.support.fake_table import FakeTable, listening
from tests.support.ports import closed_port

NEXT, OTHER = Identity(b"n" * 32), Identity(b"o" * 32)


class Showing(FakeTable):
    """A table that shows these bytes as its key history."""

    shown = b""
    asked_by = None

    def on_hello(self, wire, version, name):
        self.asked_by = name, self.client_key
        if self.shown:
            wire.say("keys", self.shown)
        super().on_hello(wire, version, name)


async def answer(table, seed=5, **changes):
    async with asyncio.timeout(60), listening(table) as link:
        return await ask_history(replace(link, **changes), Random(seed), connect)


async def test_history_is_answered_to_a_visitor_without_name_key_and_secret():
    table = Showing()
    history = commit(KeyHistory(table.identity.public), table.identity, NEXT.public)
    table.shown = encode_history(history)
    # the link names another table, and has its secret
    assert await answer(table, fingerprint="a" * 40, invite=bytes(20)) == history
    assert table.asked_by[0] == "somebody"
    first = table.asked_by[1]
    await answer(table, seed=6)
    assert table.asked_by[1] != first  # a key for each question


@pytest.mark.parametrize(
    "shown",
    [b"", b"x", encode_history(commit(KeyHistory(OTHER.public), OTHER, NEXT.public))],
    ids=["none", "garbage", "of another key"],
)
async def test_table_without_a_history_of_its_key_answers_none(shown):
    table = Showing()
    table.shown = shown
    assert await answer(table) is None


async def test_absent_table_answers_none():
    nobody = JoinLink("127.0.0.1", closed_port(), "a" * 40)
    assert await ask_history(nobody, Random(5), connect) is None
