"""A table's word that an entry is not in its log, as a test has it signed."""

from protocol.codes import Code
from protocol.match.refusal import Refusal, unsigned_refusal
from table.match.live_match import LiveMatch
from table.signer import requests


def refused(
    live: LiveMatch, raw: bytes, code: Code, seen: tuple[int, bytes] | None = None
) -> Refusal:
    """That these bytes cannot stand behind the head of this number and hash; None: as the log is
    now.
    """
    said = unsigned_refusal(raw, live.log.newest_head if seen is None else seen, code)
    return said._replace(signature=live.signer.ask(requests.refusal(live.log.match_id, said)))
