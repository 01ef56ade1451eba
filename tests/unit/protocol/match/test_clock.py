"""The clock of a match: no early entries, and a declared outcome at every stage for a seat that
never returns.
"""

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Fault, Post
from protocol.errors import Refused
from protocol.games.dominoes.state import DominoesPhase
from protocol.limits import MAX_CLOCK_SECONDS, MAX_EXTENSIONS, MAX_LAPSES, MAX_LEVEL
from protocol.match.clock import Allowance, ClockDue, new_clock, parse_clock, record_clock_entry
from protocol.match.clock import next_clock_entry as due_of
from protocol.match.log import decode_entry
from protocol.match.setup import parse_setup
from protocol.match.state import Match, MatchStage
from protocol.match.terms import make_terms, terms_hash
from protocol.options import BadOptions, Selection
from tests.support.guest_games.offline_match import GUESTS
from tests.support.match_states import steps
from tests.support.offline import Offline, make_offline

SHARED = {"leavers": "threshold"}


def silent(match: Offline, place: int, when) -> Offline:
    """Play until `when` holds of the fold and this seat has a duty; from then on it is silent."""
    live = match.live
    while not (when(live.match) and live.match.next_clock_entry(place)):
        assert sum(match.step(seat) for seat in match.seats), "that never happened"
        assert not live.match.over, "that never happened"
    match.seats = [seat for seat in match.seats if seat.number != place]
    return match


def kinds(match: Offline) -> list[str]:
    return [decode_entry(record.entry).kind for record in match.live.records]


def check(match: Offline) -> Match:
    """Check that everybody and the audit agree; return the final state."""
    report = audit(match.file())
    for reader in match.readers:
        match.catch_up(reader)
        assert reader.faults == report.faults == match.live.match.faults
    assert match.live.match.over
    return match.live.match


# --- option list ---


def test_allowance_option_has_three_ordered_numbers() -> None:
    assert parse_clock(Allowance(2, 30, 40).options()) == Allowance(2, 30, 40)
    assert Allowance(2, 30, 40).options() == (("extensions", 2), ("step", 30), ("turn", 40))


def test_nonzero_level_is_a_fourth_number() -> None:
    levelled = (("extensions", 2), ("level", MAX_LEVEL), ("step", 30), ("turn", 40))
    assert Allowance(2, 30, 40, MAX_LEVEL).options() == levelled
    assert parse_clock(levelled) == Allowance(2, 30, 40, MAX_LEVEL)


def test_level_option_exists_only_for_simultaneous_games() -> None:
    clock = Allowance(level=100).options()
    with pytest.raises(BadOptions):
        make_terms(Selection("nim"), Selection("none"), clock, 2)
    terms = make_terms(Selection("grab"), Selection("none"), clock, 2, GUESTS)
    assert terms.clock == clock
    # a seat sits down for this clock
    assert terms_hash(terms) != terms_hash(terms._replace(clock=Allowance().options()))


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        (),
        (("extensions", 2), ("step", 30)),
        (("step", 30), ("extensions", 2), ("turn", 40)),
        (("extensions", 2), ("step", 30), ("turn", 40), ("warning", 5)),
        (("extensions", 2), ("step", 30), ("turn", "40")),
        (("extensions", 2), ("level", 0), ("step", 30), ("turn", 40)),
        (("extensions", 2), ("level", MAX_LEVEL + 1), ("step", 30), ("turn", 40)),
        (("extensions", 2), ("step", 30), ("turn", 40), ("level", 100)),
        (("extensions", 2), ("extensions", 2), ("step", 30), ("turn", 40)),
        (("extensions", MAX_EXTENSIONS + 1), ("step", 30), ("turn", 40)),
        (("extensions", -1), ("step", 30), ("turn", 40)),
        (("extensions", 2), ("step", 0), ("turn", 40)),
        (("extensions", 2), ("step", 30), ("turn", 0)),
        (("extensions", 2), ("step", MAX_CLOCK_SECONDS + 1), ("turn", 40)),
        (("extensions", 2), ("step", 30), ("turn", MAX_CLOCK_SECONDS + 1)),
    ],
)
def test_invalid_clock_options_are_refused(options) -> None:
    with pytest.raises(Refused):
        parse_clock(options)
    body = steps()[0].match.setup.body()
    assert parse_setup(body).allowance == Allowance()
    body[4][3] = [list(option) for option in options]
    with pytest.raises(Refused) as refusal:
        parse_setup(body)
    assert refusal.value.code is Code.BAD_SETUP


def test_largest_clock_options_are_accepted() -> None:
    largest = Allowance(MAX_EXTENSIONS, MAX_CLOCK_SECONDS, MAX_CLOCK_SECONDS)
    assert parse_clock(largest.options()) == largest


# --- what is due when ---


def test_turn_is_warned_extended_and_lapses() -> None:
    clock, allowance = new_clock(2), Allowance(extensions=1, step=300, turn=60)

    def due(since: int = 7) -> ClockDue:
        return due_of(clock, allowance, 0, since, on_turn=True)

    assert due() == ("warning", 50_000)
    clock = record_clock_entry(clock, "warning", 0, 7, 50_010)
    assert due() == ("extension", 60_010)  # ten seconds after the warning, which came late
    clock = record_clock_entry(clock, "extension", 0, 7, 60_020)
    assert due() == ("warning", 110_000)
    clock = record_clock_entry(clock, "warning", 0, 7, 110_000)
    assert due() == ("lapse", 120_000)
    # the next turn begins, and there is no extension left for it
    assert due(8) == ("warning", 50_000)
    clock = record_clock_entry(clock, "warning", 0, 8, 50_000)
    assert due(8) == ("lapse", 60_000)
    assert due_of(clock, allowance, 1, 8, on_turn=True) == ("warning", 50_000)
    assert due_of(clock, allowance, 1, 8, on_turn=False) == ("warning", 290_000)


def test_step_warns_and_lapses_independently_of_turn_budget() -> None:
    clock, allowance = new_clock(2), Allowance(extensions=5, step=3, turn=60)
    # half of a short time
    assert due_of(clock, allowance, 1, 2, on_turn=False) == ("warning", 1_500)
    clock = record_clock_entry(clock, "warning", 1, 2, 90_000)
    # a late warning still gives notice
    assert due_of(clock, allowance, 1, 2, on_turn=False) == ("lapse", 91_500)


@pytest.mark.match
def test_new_duty_is_timed_from_its_entry() -> None:
    """Otherwise a seat would pay for the time of others: each new duty is timed from its own
    entry.
    """
    for dealing in ("layered", "verified"):
        match = make_offline(3, 2, "draw-dominoes", {"hand": 3}, dealing=dealing)
        before = match.live.match
        while not match.live.match.over:
            for seat in match.seats:
                number = match.live.match.next_number
                before = match.live.match
                match.step(seat)
                after = match.live.match
                if after.next_number > number:
                    new = set(after.duties()) - set(before.duties())
                    begun = [after.duty_since(duty.author) for duty in new if duty.author < 3]
                    assert all(since >= number for since in begun), (dealing, number, new)


@pytest.mark.parametrize("kind", ["warning", "lapse"])
def test_refused_clock_entry_changes_nothing(kind) -> None:
    match = make_offline(2, 1)
    due = match.live.match.next_clock_entry(0)
    assert due is not None
    wrong = Post(kind, [0, due.after - 1])
    before = match.live.match, match.live.log.next_number
    with pytest.raises(Refused) as refusal:
        match.live.post_clock(wrong)
    assert refusal.value.code is (Code.TOO_EARLY if kind == "warning" else Code.NOT_NOW)
    assert (match.live.match, match.live.log.next_number) == before


@pytest.mark.slow
def test_warning_does_not_affect_answer_in_transit() -> None:
    """An entry in transit when the warning was logged stands."""
    match = make_offline(2, 3)
    while match.live.match.stage is not MatchStage.PLAYING:
        assert sum(match.step(seat) for seat in match.seats)
    (duty,) = match.live.match.duties()
    seat, reader = match.seats[duty.author], match.readers[duty.author]
    match.catch_up(reader)
    assert seat.respond(reader.match) is None  # it has its hand now
    (action, *_) = seat.choices(reader.match)
    raw = seat.entry(reader.log, seat.move(reader.match, action))
    due = match.live.match.next_clock_entry(duty.author)
    assert due is not None
    match.live.post_clock(Post(due.kind, [duty.author, due.after]))
    match.live.offer(raw, duty.author)
    match.play()
    assert check(match).faults == ()


# --- a player never returns: a declared outcome, in the log ---


def dealing(stage: str):
    return lambda match: match.stage is MatchStage.DEALING and match.deal.stage == stage


def stages(name: str, seats: int = 3) -> list[str]:
    """Return every stage of a deal in the order of an honest match."""
    match, seen = make_offline(seats, 1, "draw-dominoes", {"hand": 3}, dealing=name), []
    while not match.live.match.over:
        for seat in match.seats:
            match.step(seat)
            now = match.live.match
            if (
                now.stage is MatchStage.DEALING
                and now.deal.stage not in seen
                and any(d.author < 9 for d in now.duties())
            ):
                seen.append(now.deal.stage)
    return seen


@pytest.mark.match
@pytest.mark.parametrize("name", ["layered", "verified"])
def test_absent_seat_in_step_is_named_and_match_void(name) -> None:
    others = [MatchStage.SEATING, MatchStage.ROSTER, MatchStage.RECEIPTS]
    for stage in [*others, *stages(name)]:
        when = (
            dealing(stage)
            if stage not in others
            else lambda match, stage=stage: match.stage is stage
        )
        match = make_offline(3, 1, "draw-dominoes", {"hand": 3}, dealing=name)
        place = _owing(match, when)
        silent(match, place, when)
        match.play()
        match.wait_out(place)
        end = check(match)
        assert end.faults == (Fault(place, end.next_number - 1, Code.LAPSED),), stage
        assert kinds(match)[-2:] == ["warning", "lapse"]
        assert (end.winner is None) is (stage is not MatchStage.RECEIPTS)


def _owing(match: Offline, when) -> int:
    """Play until `when` holds; return a seat with a duty then."""
    while not when(match.live.match):
        for seat in match.seats:
            match.step(seat)
            if when(match.live.match):
                break
    return next(
        duty.author
        for duty in match.live.match.duties()
        if duty.author < match.live.match.setup.seats
    )


@pytest.mark.match
def test_absent_seat_with_shared_keys_is_replaced_in_steps() -> None:
    for stage in stages("verified"):
        match = make_offline(3, 2, "draw-dominoes", {"target": 20}, SHARED, dealing="verified")
        when = dealing(stage)
        place = _owing(match, when)
        silent(match, place, when)
        match.play()
        match.wait_out(place)
        end = check(match)
        assert [(fault.seat, fault.code) for fault in end.faults] == [(place, Code.LAPSED)], stage
        assert end.winner in {0, 1, 2} - {place}


@pytest.mark.match
@pytest.mark.parametrize("name", ["layered", "verified"])
def test_absent_seat_on_turn_is_skipped_then_leaves(name) -> None:
    match = make_offline(3, 4, "block-dominoes", {"hand": 7}, dealing=name)
    place = _owing(
        match, lambda now: now.stage is MatchStage.PLAYING and now.game.phase is DominoesPhase.PLAY
    )
    silent(match, place, lambda now: True)
    match.wait_out(place)
    end = check(match)
    assert kinds(match).count("lapse") == MAX_LAPSES
    assert kinds(match).count("extension") == Allowance().extensions
    assert end.faults == (Fault(place, end.next_number - 1, Code.LAPSED),)


@pytest.mark.match
def test_absent_seat_with_shared_keys_leaves_and_others_continue() -> None:
    match = make_offline(3, 4, "block-dominoes", {"target": 20}, SHARED, dealing="verified")
    place = _owing(
        match, lambda now: now.stage is MatchStage.PLAYING and now.game.phase is DominoesPhase.PLAY
    )
    silent(match, place, lambda now: True)
    match.wait_out(place)
    match.play()
    end = check(match)
    assert [(fault.seat, fault.code) for fault in end.faults] == [(place, Code.LAPSED)]
    assert end.winner in {0, 1, 2} - {place}


@pytest.mark.match
@pytest.mark.parametrize("phase", [DominoesPhase.CALL, DominoesPhase.LEAD, DominoesPhase.PLAY])
@pytest.mark.parametrize("game", ["block-dominoes", "draw-dominoes"])
def test_returning_seat_after_lapsed_turn_plays_on_unnamed(phase, game) -> None:
    match = make_offline(3, 4, game, {"target": 100})
    place = _owing(match, lambda now: now.stage is MatchStage.PLAYING and now.game.phase is phase)
    for _ in range(MAX_LAPSES - 1):
        while (
            match.live.match.next_clock_entry(place) is None
            or match.live.match.stage is not MatchStage.PLAYING
        ):
            assert any(
                match.step(seat) for seat in match.seats if seat.number != place
            ) or match.step(match.seats[place])
        match.lapse(place)
    assert not match.live.match.over
    match.play()
    end = check(match)
    assert audit(match.file()).verdict is Verdict.CLEAN
    assert end.winner is not None


@pytest.mark.match
def test_move_resets_count_of_lapsed_turns() -> None:
    match = make_offline(2, 4, "block-dominoes", {"target": 100})
    _owing(
        match, lambda now: now.stage is MatchStage.PLAYING and now.game.phase is DominoesPhase.PLAY
    )
    lapsed = 0
    while lapsed < 2 * MAX_LAPSES and not match.live.match.over:
        now = match.live.match
        if (
            now.next_clock_entry(0)
            and now.stage is MatchStage.PLAYING
            and now.clock.lapses_in_row[0] + 1 < MAX_LAPSES
        ):
            match.lapse(0)
            lapsed += 1
        else:
            assert sum(match.step(seat) for seat in match.seats)
    match.play()
    assert lapsed == 2 * MAX_LAPSES
    assert check(match).faults == ()


@pytest.mark.slow
def test_extension_bank_covers_the_whole_match() -> None:
    match = make_offline(2, 4, "block-dominoes", {"target": 100})
    place = _owing(match, lambda now: now.stage is MatchStage.PLAYING)
    first = match.lapse(place)
    while (
        match.live.match.next_clock_entry(place) is None
        or match.live.match.stage is not MatchStage.PLAYING
    ):
        assert sum(match.step(seat) for seat in match.seats)
    assert first == ["warning", "extension"] * Allowance().extensions + ["warning", "lapse"]
    assert match.lapse(place) == ["warning", "lapse"]


def test_clock_resumes_from_log() -> None:
    """A reader that folds the log only now has the same clock as a reader that followed it."""
    match = make_offline(2, 4)
    place = _owing(match, lambda now: now.stage is MatchStage.PLAYING)
    due = match.live.match.next_clock_entry(place)
    assert due is not None
    match.live.post_clock(Post(due.kind, [place, due.after]))
    match.catch_up(match.readers[0])
    assert match.readers[0].match.clock == match.live.match.clock
    assert match.readers[0].match.next_clock_entry(place) == match.live.match.next_clock_entry(
        place
    )
