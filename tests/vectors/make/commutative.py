"""Vectors of chapter 16 and of 6.6.3: commutative deals with everything a game may ask for, and
joint chance.
"""

from typing import Any

from protocol.crypto.group import decode_scalar, scalar_from_int, times_base
from protocol.crypto.joint_randomness import JointRandomness
from protocol.games.operations import EVERYBODY, Pile
from tests.vectors.make.deals import Played, folded, refuse_faults, result_of
from tests.vectors.make.forms import Bad, Vector, random_for, second


def fold_deal(
    dealing: str, context: dict[str, Any], steps: list[Any], secrets: list[bytes]
) -> dict[str, Any]:
    """Operation of 16.3 to 16.5: fold a whole deal. `secrets` are the seats' keys, which decrypt
    every card at the end.
    """
    state, duties = folded(dealing, context, steps)
    if state.result is not None:
        refuse_faults(state.result.faults)
    opened = {}
    for card, point in enumerate(state.deck):
        for key in secrets:
            point = decode_scalar(key).inverse() * point
        opened[str(card)] = point.encoded
    return {
        "deal": state.context.deal_id,
        "duties": duties,
        "holders": {str(card): seat for card, seat in sorted(state.holders.items())},
        "turned_up": list(state.turned_up),
        "opened": opened,
        **result_of(state),
    }


def joint_chance(match: bytes, nonces: list[bytes]) -> dict[str, Any]:
    """Operation of 6.6.3: eight uniform numbers below 1,000, then a uniform order of nine, then a
    coin.
    """
    chance = JointRandomness(match, nonces)
    numbers = [chance.uniform_below(1000) for _ in range(8)]
    return {
        "below 1000": numbers,
        "order of 9": list(chance.permutation(9)),
        "below 2": chance.uniform_below(2),
    }


OPERATIONS = {"fold commutative deal": fold_deal, "joint chance": joint_chance}


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [_two(), _three(), _chance()]


def _given(deal: Played) -> dict[str, Any]:
    secrets = [deal.halves[seat]._key.encoded for seat in deal.context.present]
    return deal.given() | {"secrets": secrets}


def _two() -> Vector:
    deal = Played("commutative", random_for("a commutative deal"), 2, [Pile(8, 2)])
    deal.run()
    deal.draw(1)
    deal.ask("puts away", 0, [[1], []])
    deal.look(1, 0)
    deal.show(0)
    deal.show(1)
    deal.ask("closes")
    text = "two seats, two pieces each of eight, a draw and an exchange"
    return Vector("16.3", text, "fold commutative deal", _given(deal), tuple(_faults(deal)))


def _faults(deal: Played) -> list[Bad]:
    """Return one lie for each kind of entry."""

    def place(kind: str, author: int, *path: object) -> str:
        return "/".join(map(str, ("steps", deal.at(kind, author), 2, *path)))

    def body(kind: str, author: int) -> Any:
        return deal.steps[deal.at(kind, author)][2]

    pack, chosen, taken = body("pack", 1)[0], body("choose", 1)[0], body("unwrap", 1)[0]
    other = times_base(scalar_from_int(5)).encoded
    shown, own = body("reveals", 1), body("reveals", 0)[1][0]
    last = deal.at("open_key", 1)
    lies: list[tuple[str, str, Any, str]] = [
        ("a commitment too short", place("commit", 1, 0), body("commit", 1)[0][:-1], "bad_entry"),
        ("a pack out of turn", f"steps/{deal.at('pack', 0)}/0", 1, "not_now"),
        ("a card doubled", place("pack", 1, 0), pack[:32] + pack[:-32], "bad_list"),
        ("a card left out", place("pack", 1, 0), pack[:-32], "bad_list"),
        ("a card that is no point", place("pack", 1, 0), b"\xff" * 32 + pack[32:], "bad_point"),
        (
            "a card under a second encoding",
            place("pack", 1, 0),
            second(pack[:32]) + pack[32:],
            "bad_point",
        ),
        ("a card that is the identity", place("pack", 1, 0), bytes(32) + pack[32:], "bad_point"),
        ("nothing packed", place("pack", 1, 0), body("pack", 0)[0], "bad_list"),
        ("a card chosen twice", place("choose", 1, 0, 1), chosen[0], "not_in_stock"),
        (
            "a card chosen that there is not",
            place("choose", 1, 0, 0),
            [chosen[0][0], 8],
            "not_in_stock",
        ),
        ("a hand too small", place("choose", 1, 0, 0), chosen[0][:1], "not_in_stock"),
        ("an unwrapped card left out", place("unwrap", 1, 0), taken[:-32], "bad_list"),
        (
            "an unwrapped card that is no point",
            place("unwrap", 1, 0),
            b"\xff" * 32 + taken[32:],
            "bad_point",
        ),
        ("a drawn card that somebody holds", place("looks", 1, 3, 0), own, "not_in_stock"),
        ("a card shown that it does not hold", place("reveals", 1, 1, 0), own, "not_held"),
        ("another piece shown", place("reveals", 1, 0), (shown[0] + 1) % 8, "bad_opening"),
        ("another key opened", f"steps/{last}/2/0", scalar_from_int(7).encoded, "bad_key_opening"),
        ("another salt opened", f"steps/{last}/2/1", bytes(32), "bad_key_opening"),
        ("no key opened", f"steps/{last}/2/0", bytes(32), "bad_key_opening"),
        ("a key that is no scalar", f"steps/{last}/2/0", b"\xff" * 32, "bad_scalar"),
        ("a key of the wrong kind of entry", f"steps/{last}/2", [other], "bad_entry"),
    ]
    return [Bad(fault, {path: value}, code) for fault, path, value, code in lies]


def _three() -> Vector:
    deal = Played("commutative", random_for("a board"), 3, [Pile(12, 2)])
    deal.run()
    deal.look(3, EVERYBODY)
    deal.show(2)
    deal.look(1, EVERYBODY)
    deal.ask("closes")
    bad = (
        Bad(
            "more than the stock has",
            {f"steps/{deal.at('looks', EVERYBODY)}/2/0": 7},
            "not_in_stock",
        ),
    )
    return Vector(
        "16.4", "three seats, and four cards turned up", "fold commutative deal", _given(deal), bad
    )


def _chance() -> Vector:
    rng = random_for("joint chance")
    given = {"match": rng.randbytes(32), "nonces": [rng.randbytes(32) for _ in range(3)]}
    return Vector("6.6", "what three seats' nonces decide", "joint chance", given, ())
