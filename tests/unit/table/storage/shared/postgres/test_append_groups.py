"""Appends that share a statement: each stands or fails by itself, and none waits for ever."""

import asyncio

import pytest

from protocol.limits import MAX_GROUP_APPENDS, MAX_GROUP_BYTES
from table.storage.shared.backend import Conflict, Unanswered
from table.storage.shared.postgres.append_groups import AppendGroups


class Database:
    """Answers statements one at a time, when it is let."""

    def __init__(self, **newest):
        self.newest = newest
        self.asked = []
        self.go = asyncio.Semaphore(0)
        self.error = None  # for the statements

    async def execute(self, statement, given):
        self.asked.append(given["subjects"])
        await self.go.acquire()
        if self.error is not None:
            raise self.error
        rows = []
        for subject, after in zip(given["subjects"], given["afters"], strict=True):
            if self.newest.get(subject) == after:
                self.newest[subject] = after + 1
                rows.append((subject, after + 1))
        return rows


def appends(groups, *wanted):
    return [asyncio.create_task(groups.append(subject, after, b"x")) for subject, after in wanted]


async def turns():
    for _ in range(5):
        await asyncio.sleep(0)


async def test_appends_that_wait_share_the_next_statement():
    database = Database(a=1, b=1, c=1)
    groups = AppendGroups(database.execute)
    first = appends(groups, ("a", 1))
    await turns()
    rest = appends(groups, ("b", 1), ("c", 7), ("a", 2))
    await turns()
    assert database.asked == [["a"]]
    database.go.release()
    assert await first[0] == 2
    database.go.release()
    found = await asyncio.gather(*rest, return_exceptions=True)
    assert [found[0], type(found[1]), found[2]] == [2, Conflict, 3]
    assert database.asked[1:] == [["b", "c", "a"]]


async def test_two_appends_to_one_subject_follow_each_other():
    database = Database(a=1)
    groups = AppendGroups(database.execute)
    both = appends(groups, ("a", 1), ("a", 2))
    database.go.release()
    database.go.release()
    assert await asyncio.gather(*both) == [2, 3]
    assert database.asked == [["a"], ["a"]]


@pytest.mark.parametrize("error", [Unanswered(), RuntimeError()], ids=repr)
async def test_failed_statement_fails_all_its_appends_and_no_later_one(error):
    database = Database(a=1, b=1)
    groups = AppendGroups(database.execute)
    database.error = error
    lost = appends(groups, ("a", 1), ("b", 1))
    database.go.release()
    async with asyncio.timeout(10):
        found = await asyncio.gather(*lost, return_exceptions=True)
    assert found == [error, error]
    database.error = None
    database.go.release()
    assert await groups.append("a", 1, b"x") == 2


async def test_caller_that_gives_up_spoils_nothing_for_others():
    database = Database(a=1, b=1, c=1)
    groups = AppendGroups(database.execute)
    one, two = appends(groups, ("a", 1), ("b", 1))
    await turns()
    three, four = appends(groups, ("a", 2), ("c", 1))
    await turns()
    one.cancel()
    three.cancel()
    await turns()
    database.go.release()
    database.go.release()
    assert await two == 2 and await four == 2
    assert database.asked == [["a", "b"], ["c"]]
    with pytest.raises(asyncio.CancelledError):
        await one


async def test_groups_are_bounded_in_number_and_bytes():
    names = [f"s{number}" for number in range(2 * MAX_GROUP_APPENDS)]
    database = Database(**dict.fromkeys(names, 1))
    groups = AppendGroups(database.execute)
    many = appends(groups, *((name, 1) for name in names))
    for _ in range(10):
        database.go.release()
    assert await asyncio.gather(*many) == [2] * len(names)
    assert [len(group) for group in database.asked] == [MAX_GROUP_APPENDS] * 2
    database.asked.clear()
    large = [
        asyncio.create_task(groups.append(name, 2, bytes(MAX_GROUP_BYTES * 2 // 3)))
        for name in names[:2]
    ]
    assert await asyncio.gather(*large) == [3, 3]
    assert [len(group) for group in database.asked] == [1, 1]
