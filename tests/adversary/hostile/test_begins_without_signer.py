"""Repeated joins while the signer is away do not multiply the table's work."""

from protocol.limits import SIGNER_RETRY_SECONDS
from table.lobby.matches import Matches
from table.manager.server import TableServer
from table.signer.signer import SignerGone
from tests.adversary.hostile.test_tables_of_strangers import created
from tests.support.tables import close_all, config, guest, until

TIMES = 20


class Away:
    """Match that cannot begin; it counts the attempts."""

    attempts = 0

    def __init__(self, *values):
        type(self).attempts += 1
        raise SignerGone("wrong.signer.gone", path="x")


async def test_seat_taken_again_without_signer_has_one_timer(tmp_path):
    class Waiting(Matches):
        match_type = type("Counted", (Away,), {})

    counted = Waiting.match_type
    async with TableServer(config(tmp_path), matches=Waiting) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        place = await created(ann)
        await ann.join(place)
        for _ in range(TIMES):
            await bob.join(place)
            await bob.send("leave")
            await bob.expect("left")
        await bob.join(place)
        begun, due = table.manager.time(), counted.attempts + 3
        await until(lambda: counted.attempts >= due)
        assert table.manager.time() - begun > SIGNER_RETRY_SECONDS
        await close_all(ann, bob)
