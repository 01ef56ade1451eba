"""Vectors of chapter 35: contributions and draws from seeds, and a whole deal."""

from typing import Any

from protocol.dealing.seeded.deck import (
    SeededDeck,
    draw_stream,
    give_number,
    order_stream,
    seed_commitment,
)
from protocol.games.operations import EVERYBODY, Pile
from tests.vectors.make.deals import Played, folded, refuse_faults, result_of
from tests.vectors.make.forms import Bad, Vector, random_for


def numbers(deal: bytes, seat: int, seed: bytes, salt: bytes, draws: list[int]) -> dict[str, Any]:
    """Operation of 35.2: return the commitment, and the contributions to draws."""
    return {
        "commitment": seed_commitment(deal, seat, seed, salt),
        "gives": [give_number(deal, seat, seed, draw) for draw in draws],
    }


def drawn(
    deal: bytes, seat: int, seed: bytes, cards: int, steps: list[list[Any]]
) -> dict[str, Any]:
    """Operation of 35.4: return the piece of each card at the end, or nil."""
    deck = SeededDeck(range(cards))
    for kind, *values in steps:
        match kind:
            case "hide":
                deck.hide(values[0])
            case "reorder":
                deck.reorder(values[0], order_stream(deal, seat, seed, values[1]))
            case "draw":
                card, draw, epoch, gives = values
                deck.draw(card, draw_stream(deal, seat, seed, (draw, epoch), gives))
    return {"pieces": [deck.piece(card) for card in range(cards)]}


def fold_deal(dealing: str, context: dict[str, Any], steps: list[Any]) -> dict[str, Any]:
    """Operation of 35.3 to 35.5: fold a whole deal."""
    state, duties = folded(dealing, context, steps)
    if state.result is not None:
        refuse_faults(state.result.faults)
    faces = {str(card): piece for card, piece in sorted(state.public_faces.items())}
    return {"deal": state.context.deal_id, "duties": duties, "faces": faces, **result_of(state)}


OPERATIONS = {"seeded numbers": numbers, "seeded draws": drawn, "fold seeded deal": fold_deal}


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [_numbers(), _draws(), _deal()]


def _numbers() -> Vector:
    rng = random_for("seeded numbers")
    given = {
        "deal": rng.randbytes(32),
        "seat": 1,
        "seed": rng.randbytes(32),
        "salt": rng.randbytes(32),
    }
    return Vector(
        "35.2",
        "a commitment, and numbers for three draws",
        "seeded numbers",
        given | {"draws": [0, 1, 9]},
    )


def _draws() -> Vector:
    """Make draws from hidden cards: all, some, with others unseen, the rest of a heap, and in the
    owner's own order.
    """
    rng = random_for("seeded draws")
    gives = [rng.randbytes(32), rng.randbytes(32)]
    steps: list[list[Any]] = [
        *(
            ["hide", [0, 1, 2, 3, 4, 5]],
            ["draw", 5, 0, 1, gives],
            ["hide", [1, 2]],
            ["draw", 1, 3, 2, gives],
        ),
        *(
            ["hide", [5, 2, 3]],
            ["draw", 2, 4, 3, gives[:1]],
            ["draw", 0, 5, 3, []],
            ["hide", [0, 3, 4, 5]],
        ),
        *(
            ["draw", 3, 6, 4, gives],
            ["draw", 4, 7, 4, gives],
            ["reorder", [1, 2, 3, 4], 4],
            ["draw", 5, 8, 5, gives],
        ),
    ]
    given = {
        "deal": rng.randbytes(32),
        "seat": 0,
        "seed": rng.randbytes(32),
        "cards": 6,
        "steps": steps,
    }
    return Vector("35.4", "six cards, hidden again and again", "seeded draws", given)


def _deal() -> Vector:
    deal = Played(
        "seeded",
        random_for("a seeded deal"),
        2,
        [Pile(4, owner=seat, loose=True) for seat in (0, 1)],
    )
    deal.run()
    for body in (
        ("hides cards", [[0, 1, 2, 3], None, []]),
        ("hides cards", [[4, 5, 6, 7], None, []]),
    ):
        deal.take(EVERYBODY, *body)
    deal.ask("looks at", EVERYBODY, [[0, 1], [0], []])
    deal.ask("reveals cards", EVERYBODY, [[4], []])
    card, piece = 1, deal.halves[0].visible_cards[1]
    deal.ask("opens card", 0, [card, piece, [1]])
    deal.ask("closes")
    given = deal.given()
    return Vector(
        "35.3", "two seats, four cards each", "fold seeded deal", given, tuple(_lies(deal))
    )


def _lies(deal: Played) -> list[Bad]:
    """Make one lie in each kind of entry, and impossible requests."""

    def place(kind: str, author: int, *path: object) -> str:
        return "/".join(map(str, ("steps", deal.at(kind, author), 2, *path)))

    opened, shown = deal.halves[0].visible_cards[1], deal.state.public_faces[4]
    other = min({0, 1, 2, 3} - {opened})
    lies: list[tuple[str, str, Any, str]] = [
        ("a commitment too short", place("commit", 1, 0), bytes(31), "bad_entry"),
        ("a number that is not the seed's", place("give", 1, 0), bytes(32), "bad_give"),
        ("two pieces for one card", place("show", 1, 0), [shown, shown], "bad_list"),
        ("another's piece", place("show", 1, 0), [0], "bad_opening"),
        ("another piece", place("show", 1, 0), [min({4, 5, 6, 7} - {shown})], "bad_opening"),
        ("another piece opened", place("opens card", 0, 1), other, "bad_opening"),
        ("a card opened that was not drawn", place("opens card", 0, 0), 2, "not_held"),
        ("a card opened as it was before it was hidden", place("opens card", 0, 2, 0), 0, "stale"),
        ("cards of two hidden together", place("hides cards", EVERYBODY, 0), [0, 4], "not_now"),
        ("another's card looked at", place("looks at", EVERYBODY, 1), [1], "not_now"),
        ("another seed", place("open_seed", 0, 0), bytes(32), "bad_seed"),
        ("another salt", place("open_seed", 1, 1), bytes(32), "bad_seed"),
    ]
    return [Bad(fault, {path: value}, code) for fault, path, value, code in lies]
