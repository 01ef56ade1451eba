"""Rules of Mau-Mau as card players know them."""

import pytest

from protocol.games.scripted.rule_file.built_in import built_in_text, rule_digest, text_of_digest
from tests.support.scripts import ClearTable, script

EIGHT = 8
EARLIER = "ebeosn6o7kzrlepksvlo4hvedn4vexk5u5em3yxk"  # digest of edition 1


def rank(action: tuple) -> int:
    """Return the rank of the card that an action plays; 0 for any other action."""
    return (action[4] - 1) % 8 + 7 if action[0] == "play" else 0


def turns_after_eights(name: str, seats: int, seed: int) -> list[tuple[int, int]]:
    """Play a match; return for each eight that was no last card its seat, and the next one's."""
    table = ClearTable(script(name, seats), seed)
    found = []
    laid = None
    while (want := table.onward()) is not None:
        (seat,) = want.seats
        if laid is not None:
            found.append((laid, seat))
        choices = table.choices(seat)
        eights = [one for one in choices if rank(one) == EIGHT]
        action = table.rng.choice(eights or list(choices))
        laid = seat if eights else None  # with the last card the match is over
        table.post(seat, action)
    return found


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_an_eight_skips_the_next_seat(seats):
    """With three or four players an eight makes the next one sit out; of two, the same seat plays
    again.

    Source: the rules of Mau-Mau by LITE Games
    (https://litegames.freshdesk.com/en/support/solutions/articles/60000701375): the turn of the
    player after an eight is skipped, and the player after that one continues; skips do not add up.
    """
    found = [one for seed in range(6) for one in turns_after_eights("mau-mau-shared", seats, seed)]
    assert len(found) > 3
    assert all(after == (seat + 2) % seats for seat, after in found)


def test_text_of_the_first_edition_still_judges_its_matches():
    assert rule_digest(built_in_text("mau-mau-shared-1")) == EARLIER
    text = text_of_digest(EARLIER)
    assert text == built_in_text("mau-mau-shared-1") != built_in_text("mau-mau-shared")
    found = turns_after_eights("mau-mau-shared-1", 3, 1)
    assert found and all(after == seat for seat, after in found)
