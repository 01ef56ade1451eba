"""Vectors of sections 13.6 to 13.10: whole verified deals, one with a seat that leaves, one of own
decks.
"""

from typing import Any

from protocol.crypto.envelopes import seal
from protocol.crypto.group import decode_scalar, random_scalar, scalar_from_int, times_base
from protocol.games.operations import EVERYBODY, Pile
from tests.vectors.make.deals import Played, folded, refuse_faults, result_of
from tests.vectors.make.forms import Bad, Vector, random_for, second


def fold_deal(
    dealing: str, context: dict[str, Any], steps: list[Any], secrets: list[bytes]
) -> dict[str, Any]:
    """Operation of 13.6: fold a whole deal. `secrets` are the seats' secret keys, which decrypt
    every card at the end.
    """
    state, duties = folded(dealing, context, steps)
    if state.result is not None:
        refuse_faults(state.result.faults)
    keys = [decode_scalar(raw) for raw in secrets]
    faces = {}
    for card, e in enumerate(state.deck):
        point = e.C2
        for x in keys:
            point = point - x * e.C1
        faces[str(card)] = point.encoded
    return {
        "deal": state.context.deal_id,
        "duties": duties,
        "joint_key": state.key.encoded if state.key else None,
        "holders": {str(card): seat for card, seat in sorted(state.holders.items())},
        "shown": {str(card): piece for card, piece in sorted(state.shown.items())},
        "opened": faces,
        **result_of(state),
    }


OPERATIONS = {"fold verified deal": fold_deal}


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [_two(), _reshuffled(), _with_board(), _with_leaver(), _own_decks()]


def _given(deal: Played) -> dict[str, Any]:
    secrets = [deal.halves[seat]._x.encoded for seat in deal.context.present]
    return deal.given() | {"secrets": secrets}


def _two() -> Vector:
    deal = Played("verified", random_for("a verified deal"), 2, [Pile(6, 2)])
    deal.run()
    deal.draw(1)
    deal.show(0)
    deal.show(1)
    deal.ask("closes")
    return Vector(
        "13.7",
        "two seats, two pieces each of six, a draw",
        "fold verified deal",
        _given(deal),
        tuple(_faults(deal)),
    )


def _faults(deal: Played) -> list[Bad]:
    """Return one lie for each kind of entry."""

    def place(kind: str, author: int, *path: object) -> str:
        return "/".join(map(str, ("steps", deal.at(kind, author), 2, *path)))

    def body(kind: str, author: int) -> Any:
        return deal.steps[deal.at(kind, author)][2]

    key, cards, given, shown = (
        body("key", 1),
        body("shuffle", 1),
        body("shares", 0),
        body("reveals", 1),
    )
    other = times_base(scalar_from_int(5)).encoded
    last = deal.at("key", 1)
    lies: list[tuple[str, str, Any, str]] = [
        ("a key that is the identity", place("key", 1, 0), bytes(32), "bad_point"),
        ("a key that is no point", place("key", 1, 0), b"\xff" * 32, "bad_point"),
        ("a key under a second encoding", place("key", 1, 0), second(key[0]), "bad_point"),
        ("another seat's key and proof", f"steps/{last}/2", body("key", 0), "bad_proof"),
        ("a proof of another key", place("key", 1, 1), body("key", 0)[1], "bad_proof"),
        ("shared keys where none are asked for", place("key", 1, 2), [key[0]], "bad_key_share"),
        ("a shuffle out of turn", f"steps/{deal.at('shuffle', 0)}/0", 1, "not_now"),
        ("a deck of five", place("shuffle", 1, 0), cards[0][:-64], "bad_point"),
        (
            "a card that is no point",
            place("shuffle", 1, 0),
            b"\xff" * 32 + cards[0][32:],
            "bad_point",
        ),
        (
            "a card under a second encoding",
            place("shuffle", 1, 0),
            second(cards[0][:32]) + cards[0][32:],
            "bad_point",
        ),
        ("another deck", place("shuffle", 1, 0), body("shuffle", 0)[0], "bad_proof"),
        (
            "the proof of the shuffle before",
            place("shuffle", 1, 1),
            body("shuffle", 0)[1],
            "bad_proof",
        ),
        ("a share too few", place("shares", 0, 0), given[0][:-32], "bad_proof"),
        (
            "a share that is the identity",
            place("shares", 0, 0),
            bytes(32) + given[0][32:],
            "bad_point",
        ),
        (
            "a share under a second encoding",
            place("shares", 0, 0),
            second(given[0][:32]) + given[0][32:],
            "bad_point",
        ),
        ("another share", place("shares", 0, 0), other + given[0][32:], "bad_proof"),
        ("shares exchanged", place("shares", 0, 0), given[0][32:] + given[0][:32], "bad_proof"),
        ("proofs exchanged", place("shares", 0, 1), given[1][64:] + given[1][:64], "bad_proof"),
        ("a draw with something to say", place("looks", 1, 3), [1], "bad_entry"),
        ("another piece shown", place("reveals", 1, 0), (shown[0] + 1) % 6, "bad_opening"),
        ("a card that it does not hold", place("reveals", 1, 1, 0), 0, "not_held"),
        ("another share of the card shown", place("reveals", 1, 1, 1), other, "bad_proof"),
        (
            "a hand shown but for a card",
            place("show", 0, 0),
            body("show", 0)[0][:-32] + other,
            "bad_proof",
        ),
        ("a proof of nothing", place("reveals", 1, 1, 2), bytes(64), "bad_proof"),
    ]
    return [Bad(fault, {path: value}, code) for fault, path, value, code in lies]


def _reshuffled() -> Vector:
    deal = Played("verified", random_for("a reshuffle"), 2, [Pile(4, 1)])
    deal.run()
    deal.ask("puts away", 0, [[0], []])
    deal.ask("shuffles", body=[0, []])
    deal.draw(0)
    deal.ask("closes")
    text = "a card that was put away and two of the stock are shuffled anew, and one is drawn"
    proof = f"steps/{deal.at('shuffle', 1, 1)}/2/1"
    bad = Bad(
        "the proof of the first shuffle",
        {proof: deal.steps[deal.at("shuffle", 1)][2][1]},
        "bad_proof",
    )
    return Vector("13.8", text, "fold verified deal", _given(deal), (bad,))


def _with_board() -> Vector:
    deal = Played("verified", random_for("a board and an exchange"), 2, [Pile(9, 2)])
    deal.run()
    deal.look(3, EVERYBODY)
    deal.ask("puts away", 1, [[0], []])
    deal.look(1, 1)
    deal.show(0)
    deal.ask("closes", body=[1])
    exchange = deal.at("puts away")
    bad = (
        Bad(
            "more turned up than the stock has",
            {f"steps/{deal.at('looks', EVERYBODY)}/2/0": 6},
            "not_in_stock",
        ),
        Bad("a slot that there is not", {f"steps/{exchange}/2/0": [2]}, "not_held"),
        Bad("an exchange with something to say", {f"steps/{exchange}/2/1": [1]}, "bad_entry"),
    )
    text = "three cards turned up, one exchanged; only one seat shows its hand at the end"
    return Vector("13.8", text, "fold verified deal", _given(deal), bad)


def _with_leaver() -> Vector:
    """Make a deal in which seat 0 gives seat 2 a wrong share of its key, is accused and answers.
    Seat 1 leaves, and the others stand in for it.
    """
    options = {"leavers": "threshold", "quorum": 2}
    rng = random_for("a leaver")
    deal = Played("verified", rng, 3, [Pile(6, 1)], options)

    def share_wrongly(step: list[Any]) -> list[Any]:
        author, kind, body = step
        if kind == "key" and author == 0:
            pair = deal.context.pair_key(deal.keys[0], 0, 2)
            wrong = seal(
                pair,
                rng,
                random_scalar(rng).encoded,
                "key share",
                deal.context.deal_id,
                padded_to=32,
            )
            body = [*body[:3], [body[3][0], wrong]]
        return [author, kind, body]

    deal.tamper = share_wrongly
    deal.run()
    deal.ask("leaves", author=1)
    deal.draw(2)
    deal.ask("closes")
    answered, stands_in = deal.at("answer", 0), deal.at("stand_in", 2)
    parts, proofs = deal.steps[stands_in][2]
    own = deal.steps[deal.at("stand_in", 0)][2]
    bad = (
        Bad("an answer that does not fit", {f"steps/{answered}/2/0/0": bytes(32)}, "bad_key_share"),
        Bad(
            "an accusation of oneself", {f"steps/{deal.at('confirm', 2)}/2/0": [0, 2]}, "bad_entry"
        ),
        Bad(
            "an accusation out of order",
            {f"steps/{deal.at('confirm', 2)}/2/0": [1, 0]},
            "bad_entry",
        ),
        Bad("a commitment left out", {f"steps/{deal.at('key', 1)}/2/2": []}, "bad_key_share"),
        Bad(
            "a commitment that is the identity",
            {f"steps/{deal.at('key', 1)}/2/2/0": bytes(32)},
            "bad_point",
        ),
        Bad("a part of a card that is another seat's", {f"steps/{stands_in}/2": own}, "bad_proof"),
        Bad("a part that is the identity", {f"steps/{stands_in}/2/0": bytes(32)}, "bad_point"),
        Bad("parts of two cards", {f"steps/{stands_in}/2": [parts * 2, proofs * 2]}, "bad_proof"),
        Bad("no part at all", {f"steps/{stands_in}/2": [b"", b""]}, "bad_entry"),
    )
    text = "shared keys: a wrong share is answered; a seat leaves, and the others stand in for it"
    return Vector("13.9", text, "fold verified deal", _given(deal), bad)


def _swapped(body: list[bytes]) -> list[bytes]:
    """Exchange two shares with each other, and two proofs."""
    return [raw[len(raw) // 2 :] + raw[: len(raw) // 2] for raw in body]


def _own_decks() -> Vector:
    deal = Played(
        "verified",
        random_for("own decks"),
        2,
        [Pile(4, owner=seat, face_up_places=(2, 0)) for seat in range(2)],
    )
    deal.run()
    deal.turn(1, 1, 1)
    deal.ask("shuffles", body=[1, []])
    deal.turn(1, 1, 3, 1)
    deal.turn(0, 0, 1)
    deal.ask("closes")
    first, again, other = (deal.at("turns", 1), deal.at("turns", 1, 1), deal.at("turns", 0))
    up, part, old = (
        deal.steps[deal.at("turn_up", 0)][2],
        deal.steps[again][2][2],
        deal.steps[first][2][2],
    )
    places, shares, proofs = part
    point = times_base(scalar_from_int(5)).encoded
    bad = (
        Bad(
            "the head turned up in another order",
            {f"steps/{deal.at('turn_up', 0)}/2": _swapped(up)},
            "bad_proof",
        ),
        Bad(
            "half of the head",
            {f"steps/{deal.at('turn_up', 0)}/2": [up[0][:32], up[1][:64]]},
            "bad_proof",
        ),
        Bad(
            "another seat's head",
            {f"steps/{deal.at('turn_up', 0)}/2": deal.steps[deal.at("turn_up", 1)][2]},
            "bad_proof",
        ),
        Bad("another share of a place", {f"steps/{again}/2/2/1": point + shares[32:]}, "bad_proof"),
        Bad(
            "a share that is the identity",
            {f"steps/{again}/2/2/1": bytes(32) + shares[32:]},
            "bad_point",
        ),
        Bad("a proof too few", {f"steps/{again}/2/2/2": proofs[:-64]}, "bad_proof"),
        Bad(
            "what opened a place of the deck before",
            {f"steps/{again}/2": [1, [1], old]},
            "bad_proof",
        ),
        Bad("a part for other places", {f"steps/{again}/2/2/0": places[::-1]}, "stale"),
        Bad("no part", {f"steps/{again}/2/2": []}, "bad_entry"),
        Bad("a place that lies open", {f"steps/{again}/2": [1, [0], [[0], *old[1:]]]}, "not_held"),
        Bad(
            "a place that there is not", {f"steps/{again}/2": [1, [4], [[4], *old[1:]]]}, "not_held"
        ),
        Bad("the deck of another", {f"steps/{other}/2/0": 1}, "not_held"),
    )
    text = (
        "two own decks with two places turned up; one is dealt anew; three more places are turned "
        "up"
    )
    return Vector("13.10", text, "fold verified deal", _given(deal), bad)
