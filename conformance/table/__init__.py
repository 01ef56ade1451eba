"""The cases for tables, in groups by layer."""

from conformance.arena import Site
from conformance.case import all_cases
from conformance.runner import Kit
from conformance.table import (
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
from conformance.table.sanity import SANITY, well
from protocol.identity.keys import JoinLink

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
