"""Some minutes of simulated worlds, from fixed seeds; `scripts/simulate` runs any number."""

import os
import subprocess
import sys

import pytest

from protocol.limits import MAX_SEATS
from protocol.match.terms import make_terms
from protocol.options import OptionList, Selection
from tests.properties.simulate.__main__ import GAMES, PATIENT, long_terms, terms
from tests.properties.simulate.cheats import CHEATS, terms_of
from tests.properties.simulate.weather import WEATHERS
from tests.properties.simulate.world import Spec, Tally, run_world
from tests.support.memo import memoised_fold

pytestmark = pytest.mark.match


def spec(
    seed: int, dealing: str, seats: int, faults: str, matches: int = 3, impatient: bool = False
) -> Spec:
    game = GAMES[seed % len(GAMES)]
    return Spec(
        seed, terms(game, dealing, seats, impatient), WEATHERS[faults], matches, impatient=impatient
    )


@pytest.mark.parametrize(
    ("seed", "dealing", "seats", "faults"),
    [
        (1, "layered", 2, "none"),
        (2, "verified", 3, "none"),
        (3, "layered", 4, "link"),
        (4, "layered", 2, "crashes"),
        (13, "verified", 2, "crashes"),
        (6, "layered", 3, "disk"),
        (7, "layered", 3, "all"),
        (8, "verified", 3, "all"),
        (9, "threshold", 4, "all"),
    ],
)
def test_every_promise_holds_in_faulty_worlds(
    seed: int, dealing: str, seats: int, faults: str
) -> None:
    tally = run_world(spec(seed, dealing, seats, faults))
    assert tally.matches == 4
    assert bool(tally.happened) is (faults != "none")


def test_match_of_table_dying_at_its_end_gets_file() -> None:
    """All have seen the end; the clock of a step is a month. This is the first world of
    `scripts/simulate`.
    """
    tally = run_world(
        Spec(1, terms("block-dominoes", "layered", 2, False, "fives"), WEATHERS["all"], 4)
    )
    assert tally.matches == 5 and tally.happened["table died"]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("seed", "dealing", "options"),
    [(1, "commutative", ()), (2, "verified", (("leavers", "threshold"),))],
)
def test_every_promise_holds_among_ten(seed: int, dealing: str, options: OptionList) -> None:
    """Ten at hold'em, the most that a table has, with all faults of programs, disks and lines."""
    made = make_terms(
        Selection("texas-holdem", (("hands", 1), ("stack", 20))),
        Selection(dealing, options),
        PATIENT.options(),
        MAX_SEATS,
    )
    with memoised_fold():
        tally = run_world(Spec(seed, made, WEATHERS["all"], 1))
    assert tally.matches == 2 and tally.entries > 200
    assert tally.happened["player died"] and tally.happened["drop"]


@pytest.mark.parametrize(("game", "faults"), [("nim", "crashes"), ("connect-four", "all")])
def test_every_promise_holds_in_games_without_deals(game: str, faults: str) -> None:
    tally = run_world(Spec(11, terms(game, "none", 2, False), WEATHERS[faults], 3))
    assert tally.matches == 4 and tally.happened


@pytest.mark.parametrize(
    ("seed", "game", "dealing", "seats", "faults"),
    [
        (1, "scuffle", "none", 4, "none"),
        (2, "scuffle", "none", 3, "link"),
        (3, "scuffle", "none", 4, "all"),
        (4, "shed evenly", "verified", 2, "all"),
    ],
)
def test_every_promise_holds_in_simultaneous_play(
    seed: int, game: str, dealing: str, seats: int, faults: str
) -> None:
    """A late author is named by nobody, whatever the faults, and all readers of the log count the
    same.
    """
    tally = run_world(Spec(seed, terms(game, dealing, seats, False), WEATHERS[faults], 3))
    assert tally.matches == 4 and tally.happened["too late"] > 0


def test_ligretto_round_is_clean_in_faulty_worlds() -> None:
    """The first of the 200 rounds that `scripts/simulate --game ligretto --share` plays."""
    with memoised_fold():
        tally = run_world(Spec(1, terms("ligretto", "threshold", 3, False), WEATHERS["all"], 1))
    assert tally.matches == 2 and not tally.happened["seat lapsed"]


@pytest.mark.parametrize(
    ("game", "dealing", "seats"),
    [
        ("element-duel", "threshold", 2),
        ("element-duel", "seeded", 2),
        ("mau-mau", "seeded", 2),
        ("mau-mau-shared", "threshold", 3),
    ],
)
def test_every_promise_holds_in_games_by_rule_files(game: str, dealing: str, seats: int) -> None:
    """Programs that post text, decks, openings and coins may die between any two of them."""
    with memoised_fold():
        tally = run_world(Spec(1, terms(game, dealing, seats, False), WEATHERS["all"], 1))
    assert tally.matches == 2 and tally.happened and not tally.happened["seat lapsed"]


def test_rule_file_leaver_alone_is_named_in_every_world() -> None:
    name = "verified.LeavesMauMau"
    with memoised_fold():
        tally = run_world(Spec(3, terms_of(name), WEATHERS["link"], 1, name))
    assert tally.happened["cheat named"] == 1


@pytest.mark.parametrize("faults", ["none", "all"])
def test_simultaneous_false_lapse_is_doubted_and_names_nobody(
    faults: str,
) -> None:
    tally = run_world(Spec(5, terms("scuffle", "none", 4, False), WEATHERS[faults], 4, lying=True))
    assert tally.matches == 5
    assert tally.happened["table doubted"] and not tally.happened["seat lapsed"]


def test_simultaneous_seat_kept_away_lapses_and_others_continue() -> None:
    tally = run_world(
        Spec(6, terms("scuffle", "none", 4, True), WEATHERS["all"], 6, impatient=True)
    )
    assert tally.matches == 7 and tally.happened["too late"] > 0


@pytest.mark.parametrize(("seed", "dealing"), [(1, "layered"), (3, "threshold")])
def test_seat_kept_away_too_long_lapses_and_all_agree(seed: int, dealing: str) -> None:
    tally = run_world(spec(seed, dealing, 3, "all", 6, impatient=True))
    assert tally.matches == 7
    assert tally.happened["seat lapsed"]


@pytest.mark.parametrize(
    "name", ["layered.FalsePass", "layered.LayerCorrupt", "verified.CopiesCard"]
)
def test_cheat_is_named_alike_at_every_seat_on_bad_lines(name: str) -> None:
    tally = run_world(Spec(1, terms_of(name), WEATHERS["link"], 3, name))
    assert tally.happened["cheat named"]


@pytest.mark.parametrize(("faults", "seed"), [("none", 4), ("all", 6)])
def test_table_false_timeout_is_doubted_and_opens_no_hand(faults: str, seed: int) -> None:
    """A seat that is present and has posted a while ago doubts the lapse; the match goes on, and
    only the lapsed seat is named.
    """
    tally = run_world(
        Spec(
            seed,
            terms("draw-dominoes", "threshold", 4, False, "partners-fives"),
            WEATHERS[faults],
            4,
            lying=True,
        )
    )
    assert tally.matches == 5
    assert tally.happened["seat lapsed"] and tally.happened["table doubted"]


@pytest.mark.parametrize(("seed", "seats"), [(6, 2), (8, 3)])
def test_standstills_and_dying_workers_warn_nobody(seed: int, seats: int) -> None:
    """The clock is shorter than the longest standstill of table or worker."""
    with memoised_fold():
        tally = run_world(Spec(seed, long_terms(25, seats), WEATHERS["still"], 2, workers=2))
    assert tally.matches == 3 and tally.happened["worker died"]
    assert tally.happened["table stood still"] and not tally.happened["seat lapsed"]


def test_every_promise_holds_with_workers_in_faulty_worlds() -> None:
    with memoised_fold():
        tally = run_world(
            Spec(3, terms("block-dominoes", "layered", 3, False), WEATHERS["workers"], 3, workers=2)
        )
    assert tally.matches == 4 and tally.happened["table died"] and tally.happened["worker died"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_match_of_two_hundred_hands_ends_clean() -> None:
    with memoised_fold():
        tally = run_world(Spec(2, long_terms(200), WEATHERS["long"], 1, workers=2))
    assert tally.matches == 2 and tally.entries > 6000 and tally.happened["worker hung"]


def test_simulation_cheats_each_have_a_fitting_match() -> None:
    assert all(terms_of(name).seats == cheat.seats for name, cheat in CHEATS.items())


def test_short_clock_lapses_no_seat_without_faults() -> None:
    assert not run_world(spec(1, "layered", 3, "none", impatient=True)).happened


@pytest.mark.process
def test_world_repeats_for_same_seed_in_any_process() -> None:
    first = run_world(spec(11, "layered", 2, "all", 4))
    assert _in_a_process(11, "1") == _in_words(first)
    assert (
        run_world(spec(12, "layered", 2, "none", 1)).trace
        != run_world(spec(13, "layered", 2, "none", 1)).trace
    )


def _in_a_process(seed: int, hash_seed: str) -> str:
    kind = ["--dealing", "layered", "--seats", "2", "--game", GAMES[seed % 2], "--rules", "points"]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.properties.simulate",
            "--seed",
            str(seed),
            "--matches",
            "1",
            *kind,
            "--quiet",
        ],
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return next(line for line in done.stdout.splitlines() if line.startswith("trace"))


def _in_words(tally: Tally) -> str:
    total = Tally()
    total.add(tally)
    return f"trace: {total.trace.hex()[:16]}"
