"""Program `fairdeal join` after a kill: which match it resumes, and how to drop one."""

import pytest

from player.cli.join_command import main
from protocol.audit.verdict import Verdict
from tests.support.fake_table import FakeTable, listening
from tests.system.test_join import person, program, verdict_of_log

pytestmark = pytest.mark.process


async def killed(zoe):
    await zoe.until("Your turn:")
    zoe.process.kill()
    await zoe.process.wait()


async def play_on(zoe):
    """Take the first choice at each turn until the end."""
    while "Verdict" not in (heard := await zoe.until("\n")):
        if heard.startswith("  1  "):
            zoe.type("1")
    return await zoe.end()


@pytest.mark.parametrize("command", ["same", "bare"])
async def test_a_person_goes_on_after_a_kill(tmp_path, command):
    table, data = FakeTable(), tmp_path / "data"
    async with listening(table) as link:
        own = ("--name", "Zoe", "--data", data, "--log", tmp_path / "a.fairdeal")
        async with program(link, *own) as zoe:
            await killed(zoe)
        again = (link, *own) if command == "same" else ("--data", data)
        async with program(*again) as zoe:
            heard = await zoe.until("Your turn:")
            await zoe.until("  1  ")
            zoe.type("1")
            assert await play_on(zoe) == 0
    assert "Continuing your unfinished match at table main." in heard
    assert "Zoe (" in heard and ": you." in heard and "Your hand: [" in heard
    assert verdict_of_log(tmp_path) == (Verdict.CLEAN, [])
    assert not list((data / "matches").iterdir())


async def test_a_match_is_dropped_with_forget(tmp_path, capsys):
    async with person(FakeTable(), tmp_path) as zoe:
        await killed(zoe)
    data = tmp_path / "data"
    async with program("--forget", "--data", data) as first:
        assert await first.end() == 0
    assert "The match is dropped" in first.said and "a.fairdeal" in first.said
    assert (tmp_path / "a.fairdeal").exists()
    assert main(["--forget", "--data", str(data)]) == 2
    assert "no unfinished match" in capsys.readouterr().err


async def test_unfinished_match_is_not_resumed_at_another_table(tmp_path):
    """The program mentions its own unfinished match there. With several, it asks for the link."""
    data = tmp_path / "data"
    one, other = FakeTable(seed=1), FakeTable(seed=2)
    async with listening(one) as here, listening(other) as there:
        async with program(here, "--name", "Zoe", "--data", data) as zoe:
            await killed(zoe)
        async with program(there, "--name", "Zoe", "--data", data) as zoe:
            heard = await zoe.until("The match begins")
            await killed(zoe)
        assert (
            f"unfinished match elsewhere. To go on with it: fairdeal join --data {data} {here}"
            in heard
        )
        async with program("--data", data) as zoe:
            assert await zoe.end() == 2
        assert str(here) in zoe.said and str(there) in zoe.said
        async with program(there, "--data", data) as zoe:
            assert "Continuing" in await zoe.until("Your turn:")


async def test_a_damaged_memory_is_named(tmp_path, capsys):
    async with person(FakeTable(), tmp_path) as zoe:
        await killed(zoe)
    (path,) = (tmp_path / "data" / "matches").glob("*.json")
    path.write_text('{"link": "fairdeal://h:1"}')
    assert main(["--data", str(tmp_path / "data"), "--forget"]) == 2
    assert str(path) in capsys.readouterr().err


async def test_stored_files_are_readable_by_owner_only(tmp_path):
    async with person(FakeTable(), tmp_path) as zoe:
        await killed(zoe)
    folder = tmp_path / "data" / "matches"
    assert folder.stat().st_mode & 0o77 == 0
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert len(list(folder.iterdir())) == 2
