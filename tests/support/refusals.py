"""Refusals signed by a table, for tests."""

from protocol.codes import Code
from protocol.match.refusal import Refusal, unsigned_refusal
from table.match.live_match import LiveMatch
from table.signer import requests


def refused(
    live: LiveMatch, raw: bytes, code: Code, seen: tuple[int, bytes] | None = None
) -> Refusal:
    """Sign that these bytes cannot stand after the head with this number and hash. Without a head,
    the present log counts.
    """
    said = unsigned_refusal(raw, live.log.newest_head if seen is None else seen, code)
    return said._replace(signature=live.signer.ask(requests.refusal(live.log.match_id, said)))
