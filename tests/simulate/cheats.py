"""Cheats who sit down in a simulated world: those of `tests.cheats` whom the fold names, whatever the line does."""

from protocol.limits import MAX_CLOCK_SECONDS
from protocol.match.clock import Allowance
from protocol.match.terms import Terms, make_terms
from protocol.options import Chosen
from tests.cheats import conduct, draws, hands, layers, play, selection, slots, verified
from tests.cheats.base import Cheat, When

NAMED = (When.AT_ONCE, When.PROTEST, When.CLOSE, When.ANY)
_ALL = [
    *(
        ("layered", cheat)
        for module in (selection, layers, hands, slots, draws, play, conduct)
        for cheat in module.CHEATS
    ),
    *(("verified", cheat) for cheat in verified.CHEATS),
]
CHEATS: dict[str, type[Cheat]] = {
    f"{dealing}.{cheat.__name__}": cheat
    for dealing, cheat in _ALL
    if cheat.when in NAMED and not hasattr(cheat, "friends")
}


def terms_of(name: str) -> Terms:
    """Terms of a match in which this cheat has its occasion."""
    cheat = CHEATS[name]
    short: dict[str, int | str] = {"target": 1} if cheat.game.endswith("dominoes") else {}
    options = tuple((short | cheat.options).items())
    clock = Allowance(0, MAX_CLOCK_SECONDS, MAX_CLOCK_SECONDS).options()
    dealing = name.partition(".")[0]
    return make_terms(
        Chosen(cheat.game, options), Chosen(dealing, tuple(cheat.dealing_options.items())), clock, cheat.seats
    )
