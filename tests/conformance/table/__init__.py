"""The cases for tables, in groups by layer."""

from protocol.identity import JoinLink
from tests.conformance.arena import Site
from tests.conformance.case import all_cases
from tests.conformance.runner import Kit
from tests.conformance.table import (
    bounds,
    clocks,
    encoding,
    entries,
    game,
    handshakes,
    layered,
    lobby,
    reading,
    records,
    stream,
    verified,
)
from tests.conformance.table.sanity import SANITY, well

GROUPS = [
    each.GROUP
    for each in (
        stream,
        encoding,
        handshakes,
        records,
        lobby,
        entries,
        game,
        layered,
        verified,
        reading,
        clocks,
        bounds,
    )
]
CASES = all_cases(GROUPS)


def make_table_kit(link: JoinLink) -> Kit:
    """All cases, for the table at this link."""
    return Kit(Site(link).arena, SANITY, CASES, well)
