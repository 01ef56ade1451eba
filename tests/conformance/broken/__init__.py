"""Tables with one defect each, with the cases of the kit that must find it.

`scripts/run tests.conformance.broken DEFECT` runs our own table with that defect, or without one
for `none`.
"""

from tests.conformance.broken import (
    games,
    lobbies,
    matches,
    open_games,
    proofs,
    restarts,
    scripts,
    sessions,
    tickets,
)
from tests.conformance.broken.defect import Defect

DEFECTS: dict[str, Defect] = {
    each.name: each
    for group in (
        sessions,
        tickets,
        lobbies,
        matches,
        proofs,
        games,
        open_games,
        scripts,
        restarts,
    )
    for each in group.DEFECTS.all
}
