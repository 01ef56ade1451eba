"""Vectors of chapter 28: packs under a signed root, opened runs, coins, terms, the chosen pack,
messages.
"""

from functools import cache
from typing import Any

from protocol.identity.keys import Identity
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import CardType, Instance, PrintRun
from protocol.ledger.records import content_id, read_record, sign_record
from protocol.ledger.runs.messages import OF_BUYER, OF_CREATOR, decode_message, encode_message
from protocol.ledger.runs.run_opening import check_run_opening, read_opening, write_opening
from protocol.ledger.runs.sale_terms import (
    Receipt,
    SaleTerms,
    accept_terms,
    bitmap,
    check_accepted,
    check_coin,
    check_terms,
    chosen_pack,
    commit_coin,
    contradict,
    read_receipt,
    sign_terms,
)
from protocol.ledger.runs.sealed_run import (
    Pack,
    RunPlan,
    SealedRun,
    build_run,
    check_pack,
    pack_leaf,
)
from protocol.ledger.runs.seller import issue
from tests.vectors.make.forms import Bad, Vector, random_for

MAKER, BUYER = Identity(b"\3" * 32), Identity(b"\4" * 32)


def run_of(record: bytes) -> PrintRun:
    """Return the run of a record."""
    content = read_record(record).content
    assert isinstance(content, PrintRun)
    return content


def leaf_of(run: bytes, number: int, salt: bytes, cards: list[bytes]) -> dict[str, Any]:
    """Operation of 28.1.4: calculate the leaf of a pack."""
    return {"leaf": pack_leaf(run_of(run), Pack(number, salt, tuple(cards)))}


def take_pack(
    run: bytes, number: int, salt: bytes, cards: list[bytes], path: list[bytes]
) -> dict[str, Any]:
    """Operation of 28.1: check the opening of a pack."""
    check_pack(run_of(run), Pack(number, salt, tuple(cards)), path)
    return {"fits": True}


def take_opening(run: bytes, opening: bytes, cards: list[bytes]) -> dict[str, Any]:
    """Operation of 28.3: check an opened run from its file and the records of its cards."""
    _, packs = read_opening(opening)
    records = [read_record(raw) for raw in cards]
    contents = {
        record.id: record.content for record in records if isinstance(record.content, Instance)
    }
    check_run_opening(run_of(run), packs, contents)
    return {"packs": len(packs)}


def commit(run: bytes, key: bytes, nonce: bytes) -> dict[str, Any]:
    """Operation of 28.2: commit to a coin. `run` is the id of the record."""
    return {"commitment": commit_coin(run, key, nonce)}


def take_terms(run: bytes, receipt: bytes, accepted: bytes) -> dict[str, Any]:
    """Operation of 28.2.1: check a receipt and the buyer's signature."""
    terms = read_receipt(receipt).terms
    check_terms(terms, run_of(run))
    check_accepted(terms, accepted)
    return {
        "id": terms.id,
        "number": terms.number,
        "unsold": terms.packs(),
        "paid": [list(one) for one in terms.paid],
    }


def choose(receipt: bytes, creators: bytes, buyers: bytes) -> dict[str, Any]:
    """Operation of 28.2.3: return the pack that both opened coins choose."""
    terms = read_receipt(receipt).terms
    check_coin(terms.creators_coin, terms.run, terms.creator, creators)
    check_coin(terms.buyers_coin, terms.run, terms.buyer, buyers)
    return {"pack": chosen_pack(terms, creators, buyers)}


def trade_of(receipt: bytes, number: int, salt: bytes, cards: list[bytes]) -> dict[str, Any]:
    """Operation of 28.2.5: make the trade of a sale."""
    trade = issue(read_receipt(receipt).terms, Pack(number, salt, tuple(cards)))
    return {"content": content_bytes(trade), "id": content_id(trade)}


def compare(one: bytes, other: bytes) -> dict[str, Any]:
    """Operation of 28.3: compare two receipts."""
    return {"lie": contradict(read_receipt(one).terms, read_receipt(other).terms)}


def read_sale(buyers: bool, payload: bytes) -> dict[str, Any]:
    """Operation of 28.4: read a payload of a sale."""
    name, values = decode_message(OF_BUYER if buyers else OF_CREATOR, payload)
    return {"name": name, "fields": values}


OPERATIONS = {
    "leaf of a pack": leaf_of,
    "take pack": take_pack,
    "take opened run": take_opening,
    "commit to a sale's coin": commit,
    "take terms of a sale": take_terms,
    "choose a pack": choose,
    "trade of a sale": trade_of,
    "compare receipts": compare,
    "read sale payload": read_sale,
}


@cache
def _sealed() -> SealedRun:
    types = [
        sign_record(
            CardType(MAKER.public, None, 0, None, name, "First", None, (), True, ""), MAKER
        ).id
        for name in ("Oak", "Ash")
    ]
    return build_run(
        MAKER,
        RunPlan("First", 0, dict(zip(types, (4, 6), strict=True)), 2),
        random_for("a sealed run"),
    )


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [*_packs(), *_opened(), *_sales(), *_payloads()]


def _packs() -> list[Vector]:
    sealed = _sealed()
    pack, other = sealed.packs[3], sealed.packs[1]
    opening = {
        "run": sealed.record.raw,
        "number": 3,
        "salt": pack.salt,
        "cards": list(pack.instances),
    }
    given = opening | {"path": list(sealed.path(3))}
    swapped = {"salt": other.salt, "cards": list(other.instances)}
    changes: dict[str, tuple[dict[str, Any], str]] = {
        "another pack in its place": (swapped, "bad_sealed_pack"),
        "another number": ({"number": 2}, "bad_sealed_pack"),
        "a number beyond the run": ({"number": 5}, "bad_sealed_pack"),
        "another salt": ({"salt": bytes(32)}, "bad_sealed_pack"),
        "cards that do not ascend": ({"cards": list(pack.instances[::-1])}, "bad_sealed_pack"),
        "a card too few": ({"cards": list(pack.instances[:1])}, "bad_sealed_pack"),
        "a proof that is too short": ({"path": given["path"][:-1]}, "bad_merkle_proof"),
        "another proof": ({"path/0": bytes(32)}, "bad_sealed_pack"),
    }
    return [
        Vector("28.1", "a leaf", "leaf of a pack", opening),
        Vector(
            "28.1",
            "a pack of a run",
            "take pack",
            given,
            tuple(Bad(text, change, code) for text, (change, code) in changes.items()),
        ),
    ]


def _opened() -> list[Vector]:
    sealed = _sealed()
    cards = [card.raw for card in sealed.cards.values()]
    opening = write_opening(sealed.record.id, sealed.packs)
    given = {"run": sealed.record.raw, "opening": opening, "cards": cards}
    types = dict(sealed.run.copies)
    (first, few), (second, most) = types.items()
    lie = PrintRun(
        MAKER.public,
        "First",
        0,
        ((first, most), (second, few)),
        sealed.run.instances,
        sealed.run.packs,
        2,
    )
    fewer = write_opening(sealed.record.id, sealed.packs[:4])
    order = write_opening(sealed.record.id, sealed.packs[::-1])
    bad = (
        Bad("other copies were signed", {"run": sign_record(lie, MAKER).raw}, "bad_run"),
        Bad("a card's record is missing", {"cards": cards[1:]}, "bad_run"),
        Bad("a pack is missing", {"opening": fewer}, "bad_sealed_pack"),
        Bad("packs in another order", {"opening": order}, "bad_sealed_pack"),
        Bad("no opening", {"opening": b"\xc0"}, "bad_run"),
    )
    return [Vector("28.3", "an opened run", "take opened run", given, bad)]


def _terms(number: int, packs: tuple[int, ...], paid: int = 1) -> Receipt:
    rng, sealed = random_for("terms of a sale"), _sealed()
    run_id = sealed.record.id
    coins = [commit_coin(run_id, identity.public, rng.randbytes(32)) for identity in (MAKER, BUYER)]
    cards = sorted(rng.randbytes(32) for _ in range(paid))
    listed = tuple((card, 1, rng.randbytes(32), None) for card in cards)
    return sign_terms(
        MAKER,
        SaleTerms(
            *(MAKER.public, BUYER.public, run_id, number, bitmap(packs, 5)),
            *(*coins, listed, (b"w" * 32,)),
        ),
    )


def _sales() -> list[Vector]:
    rng, sealed, receipt = random_for("terms of a sale"), _sealed(), _terms(7, (0, 1, 3))
    nonces = [rng.randbytes(32) for _ in range(2)]
    raw, pack = receipt.raw(), sealed.packs[3]
    given = {
        "run": sealed.record.raw,
        "receipt": raw,
        "accepted": accept_terms(BUYER, receipt.terms),
    }
    forged = raw[:-1] + bytes([raw[-1] ^ 1])
    bad = (
        Bad("a bit of the signature", {"receipt": forged}, "bad_signature"),
        Bad(
            "accepted by somebody else",
            {"accepted": accept_terms(MAKER, receipt.terms)},
            "bad_signature",
        ),
        Bad("nothing is unsold", {"receipt": _terms(7, ()).raw()}, "bad_terms"),
        Bad("a pack that the run has not", {"receipt": _terms(7, (5,)).raw()}, "bad_terms"),
        Bad("no receipt", {"receipt": b"\x90"}, "bad_terms"),
    )
    coins = {"receipt": raw, "creators": nonces[0], "buyers": nonces[1]}
    swapped = (
        Bad("the creator's bytes are others", {"creators": bytes(32)}, "bad_nonce"),
        Bad("the buyer's bytes are others", {"buyers": nonces[0]}, "bad_nonce"),
    )
    return [
        Vector(
            "28.2",
            "a commitment",
            "commit to a sale's coin",
            {"run": sealed.record.id, "key": BUYER.public, "nonce": nonces[1]},
        ),
        Vector("28.2", "terms", "take terms of a sale", given, bad),
        Vector("28.2", "both coins are open", "choose a pack", coins, swapped),
        Vector(
            "28.2",
            "the trade that issues the pack, and pays",
            "trade of a sale",
            {"receipt": raw, "number": 3, "salt": pack.salt, "cards": list(pack.instances)},
        ),
        Vector(
            "28.3",
            "sold before, unsold later",
            "compare receipts",
            {"one": _terms(7, (0, 1)).raw(), "other": _terms(9, (0, 1, 3)).raw()},
        ),
        Vector(
            "28.3",
            "a sale that came to nothing",
            "compare receipts",
            {"one": raw, "other": _terms(9, (0, 1, 3)).raw()},
        ),
        Vector(
            "28.3",
            "one number twice",
            "compare receipts",
            {"one": raw, "other": _terms(7, (0, 1)).raw()},
        ),
    ]


def _payloads() -> list[Vector]:
    run_id = _sealed().record.id
    buy = encode_message(
        OF_BUYER, "buy", run_id, bytes(32), [[bytes(32), 2, run_id, None]], [b"w" * 32]
    )
    shelf = encode_message(OF_CREATOR, "shelf", [[run_id, 3, 1]])
    bad = (
        Bad("of the other side", {"buyers": False}, "bad_message"),
        Bad("a field more", {"payload": b"\x92\xa6browse\xc0"}, "bad_message"),
        Bad("no name", {"payload": b"\x91\xc0"}, "bad_message"),
        Bad("no list", {"payload": b"\xc0"}, "bad_message"),
        Bad("a byte more", {"payload": buy + b"\xc0"}, "bad_encoding"),
    )
    return [
        Vector(
            "28.4",
            "a buyer wants a pack",
            "read sale payload",
            {"buyers": True, "payload": buy},
            bad,
        ),
        Vector("28.4", "what is on sale", "read sale payload", {"buyers": False, "payload": shelf}),
    ]
