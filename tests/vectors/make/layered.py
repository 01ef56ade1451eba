"""Vectors of chapter 8: hashes of layered dealing, oblivious transfer, whole deals and protested
deals.
"""

from typing import Any

from protocol.crypto.group import decode_point, decode_scalar, scalar_from_int, times_base
from protocol.crypto.oblivious_transfer import DrawContext, receive, transfer
from protocol.dealing import TABLE
from protocol.dealing.layered.blame import read_hop
from protocol.dealing.layered.primitives import (
    from_bitmap,
    hand_commitment,
    layer,
    pseudonym,
    to_bitmap,
)
from protocol.dealing.layered.stages import LayeredStage
from protocol.games.operations import Pile
from tests.vectors.make.deals import Played, folded, read_context, refuse_faults, result_of
from tests.vectors.make.forms import Bad, Vector, random_for, second
from tests.vectors.make.sealing import key_of
from tests.vectors.make.sessions import LOW_ORDER


def name_piece(deal: bytes, position: int, key: bytes, piece: int) -> dict[str, Any]:
    """Operation of 8.3: calculate a pseudonym."""
    return {"pseudonym": pseudonym(deal, position, key, piece)}


def put_layer(deal: bytes, seat: int, key: bytes, element: bytes) -> dict[str, Any]:
    """Operation of 8.4: put a layer on an element."""
    result = layer(deal, seat, key, element)
    assert layer(deal, seat, key, result) == element
    return {"result": result}


def read_bitmap(bitmap: bytes, pieces: int) -> dict[str, Any]:
    """Operation of 8.5.1: return the elements of a bitmap, or null for an invalid one."""
    found = from_bitmap(bitmap, pieces)
    assert found is None or to_bitmap(found, pieces) == bitmap
    return {"elements": None if found is None else sorted(found)}


def commit_hand(
    deal: bytes, seat: int, r1: bytes, r2: bytes, elements: list[int]
) -> dict[str, Any]:
    """Operation of 8.6: commit to a hand."""
    return {"commitment": hand_commitment(deal, seat, r1, r2, tuple(elements))}


def answer_draw(
    y: bytes, query: bytes, messages: list[bytes], deal: bytes, seat: int, draw: int
) -> dict[str, Any]:
    """Operation of 8.11.4: answer a draw, as the table."""
    secret = decode_scalar(y)
    S = times_base(secret)
    return {
        "S": S.encoded,
        "reply": transfer(secret, S, decode_point(query), messages, DrawContext(deal, seat, draw)),
    }


def take_reply(
    x: bytes,
    S: bytes,
    query: bytes,
    choice: int,
    reply: list[bytes],
    deal: bytes,
    seat: int,
    draw: int,
) -> dict[str, Any]:
    """Operation of 8.11.4: open the reply, as the drawer."""
    points = decode_point(S), decode_point(query)
    return {
        "message": receive(decode_scalar(x), *points, choice, reply, DrawContext(deal, seat, draw))
    }


def fold_deal(
    dealing: str, context: dict[str, Any], steps: list[Any], private_keys: list[bytes]
) -> dict[str, Any]:
    """Operation of 8: fold a whole deal, and return the contents of its hops. A fault at the end
    counts as a refusal with its code.
    """
    state, duties = folded(dealing, context, steps)
    if state.result is not None:
        refuse_faults(state.result.faults)
    keys = [key_of(private) for private in private_keys]
    bound = read_context(context)
    hops = [
        read_hop(state, hop, number, bound.pair_key(keys[hop.receiver], hop.sender, hop.receiver))
        for stage in (LayeredStage.SELECT, LayeredStage.PREPARE)
        for number, hop in enumerate(state.route(stage))
    ]
    return {"deal": state.deal_id, "duties": duties, "hops": hops, **result_of(state)}


def judge_deal(dealing: str, context: dict[str, Any], steps: list[Any]) -> dict[str, Any]:
    """Operation of 8.12, 8.13: return the faults at the end of a deal. The table is 255; entries
    are steps, counted from 1.
    """
    state, _ = folded(dealing, context, steps)
    return result_of(state)


OPERATIONS = {
    "pseudonym": name_piece,
    "layer": put_layer,
    "read bitmap": read_bitmap,
    "commit to hand": commit_hand,
    "answer draw": answer_draw,
    "take reply": take_reply,
    "fold layered deal": fold_deal,
    "judge layered deal": judge_deal,
}


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [*_hashes(), *_transfers(), *_deals(), *_protested_deals()]


def _hashes() -> list[Vector]:
    rng = random_for("layered hashes")
    deal, key, element, r1, r2 = (rng.randbytes(32) for _ in range(5))
    named = {"deal": deal, "position": 3, "key": key, "piece": 27}
    hand = {"deal": deal, "seat": 2, "r1": r1, "r2": r2, "elements": [0, 3, 9]}
    return [
        Vector("8.3", "a pseudonym", "pseudonym", named),
        Vector(
            "8.4",
            "a layer put on, and taken off",
            "layer",
            {"deal": deal, "seat": 1, "key": key, "element": element},
        ),
        Vector("8.5", "four of 28", "read bitmap", {"bitmap": b"\x09\x02\0\x08", "pieces": 28}),
        Vector("8.5", "none of 9", "read bitmap", {"bitmap": b"\0\0", "pieces": 9}),
        Vector(
            "8.5",
            "a bit beyond 28: no set",
            "read bitmap",
            {"bitmap": b"\x09\x02\0\x18", "pieces": 28},
        ),
        Vector("8.5", "a byte too many: no set", "read bitmap", {"bitmap": bytes(5), "pieces": 28}),
        Vector("8.6", "a hand of three", "commit to hand", hand),
        Vector("8.6", "a hand of none", "commit to hand", hand | {"elements": []}),
    ]


def _transfers() -> list[Vector]:
    rng = random_for("transfers")
    y, x = (scalar_from_int(int.from_bytes(rng.randbytes(32), "big")) for _ in range(2))
    S, choice = times_base(y), scalar_from_int(2)
    R = choice * S + times_base(x)
    bound = {"deal": rng.randbytes(32), "seat": 1, "draw": 4}
    asked = {
        "y": y.encoded,
        "query": R.encoded,
        "messages": [rng.randbytes(34) for _ in range(4)],
        **bound,
    }
    reply = answer_draw(**asked)["reply"]
    given = {
        "x": x.encoded,
        "S": S.encoded,
        "query": R.encoded,
        "choice": 2,
        "reply": reply,
        **bound,
    }
    bad = (
        Bad("another choice", {"choice": 1}, "bad_transfer"),
        Bad("a choice beyond the last", {"choice": 4}, "bad_transfer"),
        Bad("another draw", {"draw": 5}, "bad_transfer"),
        Bad("another seat", {"seat": 0}, "bad_transfer"),
        Bad("another deal", {"deal": bytes(32)}, "bad_transfer"),
        Bad("two slots exchanged", {"reply/2": reply[1]}, "bad_transfer"),
        Bad("a slot left out", {"reply": reply[:3]}, "bad_transfer"),
        Bad("S is the identity", {"S": bytes(32)}, "bad_point"),
    )
    refused = (
        Bad("a query that is the identity", {"query": bytes(32)}, "bad_point"),
        Bad(
            "a query that is the identity under a second encoding",
            {"query": second(bytes(32))},
            "bad_point",
        ),
        Bad("a query that is no point", {"query": b"\xff" * 32}, "bad_point"),
        Bad("y is the group's order", {"y": ORDER}, "bad_scalar"),
    )
    return [
        Vector("8.11", "the table answers", "answer draw", asked, refused),
        Vector("8.11", "the drawer opens its slot", "take reply", given, bad),
    ]


ORDER = (2**252 + 27742317777372353535851937790883648493).to_bytes(32, "little")


def _three() -> Played:
    """Deal to three seats with two of eight pieces each. Two draw, three show, and the deal is
    closed.
    """
    deal = Played(
        "layered", random_for("a layered deal"), 3, [Pile(8, 2)], {"take": 100, "swap": 0}
    )
    deal.run()
    deal.draw(1)
    deal.show(0)
    deal.draw(2)
    drawn = set(deal.halves[2].hand)
    deal.show(2, len(drawn) - 1)
    deal.show(1)
    deal.ask("closes")
    return deal


def _deals() -> list[Vector]:
    deal = _three()
    given = deal.given() | {"private_keys": [key.private for key in deal.keys]}
    return [
        Vector(
            "8.2",
            "three seats, two pieces each of eight, two draws",
            "fold layered deal",
            given,
            _faults(deal),
        )
    ]


def _faults(deal: Played) -> tuple[Bad, ...]:
    """Make one lie in each kind of entry."""

    def place(kind: str, author: int | None, *path: object) -> str:
        return "/".join(map(str, ("steps", deal.at(kind, author), 2, *path)))

    def body(kind: str, author: int | None = None) -> Any:
        return deal.steps[deal.at(kind, author)][2]

    swap = [1, 0, *range(2, 8)]
    names, layered, slots = body("pseudonyms")[0], body("layer", 1)[0], body("slots")[0]
    stock = body("stock")[0]
    less = to_bitmap(frozenset(sorted(from_bitmap(stock, 8) or ())[1:]), 8)
    other_key = bytes(range(32))
    opened, table = body("open_seat", 1), body("open_table")
    showing = body("reveals", 0)
    turn = f"steps/{deal.at('layer', 2)}/0"
    lies: list[tuple[str, str, Any, str]] = [
        ("seven pseudonyms", place("pseudonyms", None, 0), names[:7], "bad_list"),
        ("a pseudonym twice", place("pseudonyms", None, 0, 1), names[0], "bad_list"),
        ("S is the identity", place("pseudonyms", None, 1), bytes(32), "bad_point"),
        (
            "S is the identity under a second encoding",
            place("pseudonyms", None, 1),
            second(bytes(32)),
            "bad_point",
        ),
        ("S is no point", place("pseudonyms", None, 1), b"\xff" * 32, "bad_point"),
        ("a pseudonym of 31 bytes", place("pseudonyms", None, 0, 0), bytes(31), "bad_entry"),
        ("a layer out of turn", turn, 1, "not_now"),
        ("a list with an element twice", place("layer", 1, 0, 1), layered[0], "bad_list"),
        ("a list of seven", place("layer", 1, 0), layered[:7], "bad_list"),
        ("a hop that is a byte too long", place("hop", 0, 0), body("hop", 0)[0] + b"\0", "bad_hop"),
        ("a stock of one less", place("stock", 0, 0), less, "bad_stock"),
        ("a stock of two bytes", place("stock", 0, 0), stock + b"\0", "bad_entry"),
        ("a commitment of 31 bytes", place("commit", 2, 1), bytes(31), "bad_entry"),
        ("a layer key that leads nowhere", place("strip", 1, 0, 0), other_key, "bad_layer_key"),
        ("a layer key too few", place("strip", 1, 0), body("strip", 1)[0][1:], "bad_list"),
        (
            "an array that is a byte too long",
            place("slot_hop", 0, 0),
            body("slot_hop", 0)[0] + b"\0",
            "bad_hop",
        ),
        ("two slots alike", place("slots", 0, 0, 1), slots[0], "bad_slots"),
        ("an empty slot", place("slots", 0, 0, 0), bytes(32), "bad_slots"),
        ("a slot of low order", place("slots", 0, 0, 0), LOW_ORDER, "bad_slots"),
        (
            "a piece too few assigned",
            place("assign", None, 1),
            body("assign")[1][1:],
            "bad_assignment",
        ),
        ("a sealed piece of 49 bytes", place("assign", None, 1, 0), bytes(49), "bad_entry"),
        ("an element drawn that was dealt", place("looks", 1, 3, 0), _dealt(deal), "not_in_stock"),
        ("an element drawn twice", place("looks", 2, 3, 0), body("looks", 1)[3][0], "not_in_stock"),
        ("no key for the drawer", place("draw_key", 0, 0), b"", "bad_entry"),
        ("a query that is the identity", place("draw_query", 1, 0), bytes(32), "bad_draw_query"),
        (
            "a reply with a slot too few",
            place("draw_reply", None, 0),
            body("draw_reply")[0][1:],
            "bad_transfer",
        ),
        ("another piece shown", place("reveals", 0, 0), (showing[0] + 1) % 8, "bad_opening"),
        ("shown with another key", place("reveals", 0, 1, 1), other_key, "bad_opening"),
        ("a dealt piece with layer keys", place("reveals", 0, 1, 2), [other_key] * 3, "bad_entry"),
        (
            "layer keys that make no permutation",
            place("open_seat", 1, 0, 0),
            other_key,
            "bad_layer_key",
        ),
        ("another R2", place("open_seat", 1, 2), other_key, "bad_hand_opening"),
        ("another hand", place("open_seat", 1, 1), [], "bad_hand_opening"),
        ("another slot's key", place("open_seat", 1, 3, 0), other_key, "hand_not_held"),
        ("another choice", place("open_seat", 1, 4, 0, 0), (opened[4][0][0] + 1) % 2, "peeked"),
        ("no choice", place("open_seat", 1, 4), [], "peeked"),
        (
            "two pseudonyms opened as each other",
            place("open_table", None, 0),
            [table[0][i] for i in swap],
            "bad_pseudonym",
        ),
        ("another y", place("open_table", None, 1), other_key[:31] + b"\0", "bad_transfer"),
        ("another ephemeral key", place("open_table", None, 2), other_key, "bad_assignment"),
    ]
    return tuple(Bad(fault, {path: value}, code) for fault, path, value, code in lies)


def _dealt(deal: Played) -> int:
    """Return an element that is in a hand."""
    return int(deal.state.taken[0])


def _protested_deals() -> list[Vector]:
    """Make deals with protests: the table tells a wrong piece; a seat takes two; a seat protests
    without a reason.
    """
    lied = Played(
        "layered", random_for("a wrong assignment"), 2, [Pile(5, 1)], {"take": 100, "swap": 0}
    )

    def tell_wrong(step: list[Any]) -> list[Any]:
        author, kind, body = step
        if kind == "assign":
            body = [body[0], [body[1][0][:-1] + bytes([body[1][0][-1] ^ 1]), *body[1][1:]]]
        return [author, kind, body]

    lied.tamper = tell_wrong
    lied.run()
    for_nothing = Played(
        "layered", random_for("a false protest"), 2, [Pile(5, 1)], {"take": 100, "swap": 0}
    )
    for_nothing.run()
    for_nothing.ask("protest", author=1)
    spoilt = Played(
        "layered", random_for("a spoilt hop"), 2, [Pile(5, 1)], {"take": 100, "swap": 0}
    )

    def spoil(step: list[Any]) -> list[Any]:
        author, kind, body = step
        return (
            [author, kind, [body[0][:-1] + bytes([body[0][-1] ^ 1])]]
            if kind == "hop"
            else [author, kind, body]
        )

    spoilt.tamper = spoil
    spoilt.run()
    cases = (
        ("8.9", "a piece wrongly sealed", lied, TABLE),
        ("8.13", "a hop that does not open", spoilt, 0),
        ("8.13", "a protest for nothing", for_nothing, 1),
    )
    made = []
    for section, text, deal, named in cases:
        assert [fault.seat for fault in deal.state.result.faults] == [named], text
        made.append(
            Vector(
                section,
                f"{text}: protest, opening, and who is named",
                "judge layered deal",
                deal.given(),
            )
        )
    return made
