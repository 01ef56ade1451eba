"""Processor time of folding a stored match again, with and without the outcomes stored with it.

    scripts/refold [--hands N] [--seats N] [--game NAME] [--dealing NAME] [--rounds N]

A match is played in this process. Then it is folded again, as a table does that takes it up: once
with all signatures and proofs, and once from the stored outcomes.
"""

import argparse
import sys
from statistics import median
from time import process_time

from protocol.games.registry import BUILT_IN
from table.match.live_match import LiveMatch
from tests.support.offline import make_offline
from tests.support.outcomes import open_match


def stored_match(game: str, seats: int, hands: int, dealing: str, seed: int) -> LiveMatch:
    """Play a match of so many hands, if the players do not lose all their chips before."""
    names = {option.name for option in BUILT_IN.spec(game).options}
    options: dict[str, int | str] = {"hands": hands} if "hands" in names else {}
    if "stack" in names:
        options["stack"] = 10_000
    offline = make_offline(seats, seed, game, options, dealing=dealing)
    offline.play()
    return offline.live


def seconds(live: LiveMatch, known: bool) -> float:
    """Return the processor time of one fold."""
    kept = open_match(live) if known else open_match(live, ())
    began = process_time()
    again = LiveMatch.claimed(live._identity, kept)
    spent = process_time() - began
    assert again.match == live.match
    return spent


def main() -> int:
    """Measure, and print one line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="texas-holdem")
    parser.add_argument("--dealing", default="verified")
    parser.add_argument("--seats", type=int, default=6)
    parser.add_argument("--hands", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    live = stored_match(chosen.game, chosen.seats, chosen.hands, chosen.dealing, seed=1)
    proven, repeated = (
        median(seconds(live, known) for _ in range(chosen.rounds)) for known in (False, True)
    )
    print(
        f"{chosen.game}, {chosen.seats} seats, {chosen.dealing}: {len(live.entries)} entries, "
        f"{live.match.deal_number} hands; a fold with proofs {1000 * proven:.0f} ms, "
        f"from stored outcomes {1000 * repeated:.0f} ms, 1/{proven / repeated:.1f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
