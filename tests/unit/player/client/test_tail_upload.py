"""A player without a log file gives newest entries back to a table that has lost the end of the
log.
"""

import pytest

from player.client.tail_upload import give_back
from protocol.limits import MAX_TAIL_KEPT
from tests.support.direct import Direct
from tests.support.fake_table import FakeTable

pytestmark = pytest.mark.match

LOST = 3  # entries


class Stops(FakeTable):
    """Table that hangs up when its log has `entries` entries."""

    def __init__(self, entries: int) -> None:
        super().__init__()
        self.entries = entries

    def on_post(self, wire, match_id, raw):
        if self.live.log.next_number < self.entries:
            super().on_post(wire, match_id, raw)


def test_player_without_log_file_gives_only_newest_entries(tmp_path):
    """Crossed with a full disk, or a bot without a folder: a store loses its newest entries."""
    run = Direct(Stops(MAX_TAIL_KEPT + 20), tmp_path).run()
    playing, records = run.client.playing, run.table.live.records
    number = playing.number
    assert number > MAX_TAIL_KEPT + LOST
    playing.store.close()
    playing.store = None
    for first in (number - LOST, number - MAX_TAIL_KEPT):
        playing.rejoin(first)
        assert [record for tail in give_back(playing, first) for record in tail.records] == records[
            first:number
        ]
    playing.rejoin(number - MAX_TAIL_KEPT - 1)
    assert not list(give_back(playing, number - MAX_TAIL_KEPT - 1))
