"""Coin tosses, which programs perform without their players (docs/protocol, 33)."""

from protocol.codes import Code
from protocol.crypto.hashing import constant_time_equal, digest
from protocol.crypto.joint_randomness import JointRandomness
from protocol.errors import ProtocolViolation, Refused
from protocol.fast_replace import replace
from protocol.games import Action
from protocol.games.scripted.engine.effect_loop import run
from protocol.games.scripted.engine.state import CoinToss, Effect, ScriptContext, ScriptState
from protocol.seats import with_seat


def toss_commitment(state: ScriptState, seat: int, nonce: bytes) -> bytes:
    """Compute the commitment to a seat's contribution to a toss. It is posted before any
    contribution is opened.
    """
    assert state.toss is not None and state.bound is not None
    return digest("toss", state.bound.match_id, state.toss.number, seat, nonce)


def seats_due(table: ScriptContext, state: ScriptState, toss: CoinToss) -> tuple[int, ...]:
    """Seats that have a step due: a commitment or, once all seats have committed, the opening."""
    uncommitted = tuple(seat for seat in table.present(state) if toss.commitments[seat] is None)
    return uncommitted or tuple(seat for seat in table.present(state) if toss.nonces[seat] is None)


def all_committed(table: ScriptContext, state: ScriptState, toss: CoinToss) -> bool:
    """Check whether all seats have committed."""
    return all(toss.commitments[seat] is not None for seat in table.present(state))


def apply_toss(table: ScriptContext, state: ScriptState, seat: int, action: Action) -> ScriptState:
    """Return the state after `toss` or `toss_open`. Raises: Refused;
    ProtocolViolation(BAD_NONCE).
    """
    toss = state.toss
    if toss is None or seat not in seats_due(table, state, toss):
        raise Refused(Code.NOT_YOUR_TURN)
    name, said = action[0], action[1]
    if (name == "toss_open") != all_committed(table, state, toss):
        raise Refused(Code.ILLEGAL_MOVE)
    if name == "toss":
        return replace(
            state, toss=replace(toss, commitments=with_seat(toss.commitments, seat, said))
        )
    if not constant_time_equal(toss_commitment(state, seat, said), toss.commitments[seat] or b""):
        raise ProtocolViolation(Code.BAD_NONCE)
    return replace(state, toss=replace(toss, nonces=with_seat(toss.nonces, seat, said)))


def apply_result(table: ScriptContext, state: ScriptState) -> ScriptState:
    """Compute the result of the toss once all seats have opened, and continue the game with it."""
    toss = state.toss
    if toss is None or seats_due(table, state, toss):
        return state
    assert state.bound is not None
    nonces = [
        nonce
        for seat, nonce in enumerate(toss.nonces)
        if nonce is not None and seat not in state.out
    ]
    value = JointRandomness(
        digest("toss chance", state.bound.match_id, toss.number), nonces
    ).uniform_below(toss.sides)
    return run(
        table, replace(state, toss=None, queue=(Effect(".call", (toss.then, value)), *state.queue))
    )
