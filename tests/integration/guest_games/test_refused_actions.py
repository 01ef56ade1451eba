"""Table that refuses an action that it had to log, in a game where seats act independently. Its own
signature proves it.
"""

from protocol.audit.refusal_audit import TABLE_FAULTS, RefusalFinding, judge_refusal
from protocol.codes import Code
from protocol.dealing import TABLE, Post
from protocol.match.refusal import SavedRefusal, encode_saved_refusal
from tests.support.guest_games.offline_match import GUESTS, guest_match, until_playing, written
from tests.support.offline import Offline
from tests.support.refusals import refused


def judged(match: Offline, raw: bytes, code: Code) -> RefusalFinding:
    """Judge a refusal that the table signs now, by the log at the end."""
    word = encode_saved_refusal(SavedRefusal(raw, refused(match.live, raw, code)))
    match.play()
    return judge_refusal(match.file(), word, GUESTS)


def racing() -> tuple[Offline, bytes, bytes]:
    """Make a match in which two seats take the same thing at the same moment."""
    match = guest_match("grab", 2)
    until_playing(match)
    return match, written(match, 0, ("take", 0)), written(match, 1, ("take", 0))


def test_refusal_of_right_lay_convicts_table():
    match, first, _ = racing()
    assert judged(match, first, Code.ILLEGAL_MOVE) is RefusalFinding.FALSE
    assert TABLE_FAULTS[RefusalFinding.FALSE] is Code.TABLE_REFUSED


def test_refusal_of_overtaken_lay_convicts_table():
    """Such refusals would hide how often the table makes one seat late."""
    match, first, second = racing()
    match.live.offer(first, 0)
    assert judged(match, second, Code.ILLEGAL_MOVE) is RefusalFinding.FALSE


def test_late_action_is_logged_once_and_repeat_rightly_refused():
    match, first, second = racing()
    match.live.offer(first, 0)
    match.live.offer(second, 1)
    assert match.live.match.late_counts == (0, 1)
    assert judged(match, second, Code.WRONG_SEQUENCE) is RefusalFinding.RIGHT


def test_action_illegal_in_seen_state_is_rightly_refused():
    match, first, second = racing()
    match.live.offer(first, 0)
    reader = match.readers[1]
    match.catch_up(reader)
    wrong = match.seats[1].entry(reader.log, Post("move", [["take", 0], []]))
    assert wrong != second and judged(match, wrong, Code.ILLEGAL_MOVE) is RefusalFinding.RIGHT


def test_table_acting_without_seats_is_never_late():
    match, first, _ = racing()
    match.live.offer(first, 0)
    state = match.live.match
    assert state.simultaneous is not None and not state.is_overtaken(
        TABLE, ("take", 0), state.next_number
    )
