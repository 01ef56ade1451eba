"""Bytes appended after a fault make the page of a log neither long nor slow."""

import json
import re
from base64 import b64decode

import pytest

from player.ui.web.replay.single import single_page
from protocol.audit.verdict import audit, report_data
from protocol.limits import MAX_FRAME
from protocol.match.log_file import count_records
from tests.support.log_files import ENDS, Leaver, clean, played

SMALL = b"\0\0\0\1X"  # a frame that is no record


def log_in(page: str) -> bytes:
    """Return the log inside a page."""
    data = re.search(r'<script type="application/json" id="data">(.+?)</script>', page)[1]
    return b64decode(json.loads(data)["log"])


@pytest.mark.parametrize("end", ENDS)
def test_page_of_padded_fault_is_short_with_same_audit(end: str) -> None:
    whole = played(cheat=Leaver).file()
    padded = whole + ENDS[end] + SMALL * 10**6
    kept = log_in(single_page(padded, "log"))
    assert len(kept) <= len(whole) + 4 + MAX_FRAME and padded.startswith(kept)
    assert report_data(audit(kept)) == report_data(audit(padded))


def test_page_of_undamaged_log_has_whole_log() -> None:
    for data in (clean(), clean() + bytes(1), played(cheat=Leaver).file()):
        assert log_in(single_page(data, "log")) == data


def test_count_of_records_stops_at_small_frames() -> None:
    data = clean()
    assert count_records(data + SMALL * 9) == count_records(data) > 9
