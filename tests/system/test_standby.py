"""Two machines as processes: one is killed in the middle of a match, and the other one continues
the match.
"""

import asyncio
import sys

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.match.packed_log import plain_log
from tests.support.tables import until
from tests.system.kill_table import Figures, TableProcess, play_rounds

pytestmark = pytest.mark.process


async def standby(*words: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "fairdeal",
        "standby",
        *words,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def test_standby_promoted_after_table_kill_continues_the_match(tmp_path):
    key, figures, enough = tmp_path / "key", Figures(), asyncio.Event()
    key.write_bytes(b"k" * 32)
    key.chmod(0o600)
    here = ("--data", str(tmp_path / "second" / "table"), "--key", str(key))
    running = await standby("--listen", "127.0.0.1:0", *here)
    assert running.stderr is not None
    port = (await running.stderr.readline()).decode().partition("on port ")[2].partition(",")[0]
    game = ("--game", "draw-dominoes", "--target", "1", "--key", str(key))
    first, second = (
        TableProcess(tmp_path, *game, "--standby", f"127.0.0.1:{port}"),
        TableProcess(tmp_path / "second", *game),
    )
    second.address = first.address  # like a name in the DNS that changes to the other machine
    try:
        await first.start()
        rounds = asyncio.create_task(play_rounds(first, 2, figures, enough))
        enough_played = 3000  # bytes of the log in the middle of the deal
        await until(
            lambda: any(log.stat().st_size > enough_played for log in tmp_path.glob("0-*.fairdeal"))
        )
        await first.kill()
        promotion = await standby("--promote", *here)
        said, _ = await promotion.communicate()
        assert promotion.returncode == 0 and b"Promoted" in said
        assert await running.wait() == 1, "it was made to let go"
        await second.start()
        enough.set()
        await rounds
        assert await second.stop() == 0
    finally:
        await first.kill()
        await second.kill()
    assert (figures.matches, figures.wrong) == (1, [])
    (log,) = (tmp_path / "second" / "table" / "logs").iterdir()
    assert plain_log(log.read_bytes()) == (tmp_path / "0-0.fairdeal").read_bytes()
    assert audit(plain_log(log.read_bytes())).verdict is Verdict.CLEAN
