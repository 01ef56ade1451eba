"""Chapter 28.4 lists the messages of a sale as the code has them."""

import re

from protocol.ledger.runs.messages import OF_BUYER, OF_CREATOR
from tests.support.docs import CHAPTERS


def test_chapter_lists_sale_messages_and_senders():
    text = (CHAPTERS / "28-runs.md").read_text("utf-8").partition("## 28.4")[2]
    listed = re.findall(r"^\| (buyer|creator|both) \| `(\w+)` \|", text, re.MULTILINE)
    assert {name for who, name in listed if who in ("buyer", "both")} == set(OF_BUYER)
    assert {name for who, name in listed if who in ("creator", "both")} == set(OF_CREATOR)
    assert len(listed) == len(set(listed))
