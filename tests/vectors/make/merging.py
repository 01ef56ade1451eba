"""Vectors of chapter 25: the order of a set, closures, files, and all messages of a merge."""

from typing import Any

from protocol.ledger.bundle import MAGIC, read_bundle, write_bundle
from protocol.ledger.merge.image_transfer import ImageTransfer
from protocol.ledger.merge.merge_session import MergeSession
from protocol.ledger.merge.messages import END, START, decode, encode
from protocol.ledger.merge.record_ranges import RecordRanges, short_id
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import image_digest, read_record
from protocol.ledger.view import evaluate
from tests.support.histories import History
from tests.support.merging import everybody
from tests.vectors.make.forms import Bad, Vector

SALT = bytes(range(16))


def order_of_a_set(records: list[bytes]) -> dict[str, Any]:
    """Operation of 25.1: return depth and id of each record, independent of the input order, and
    the ids of orphans.
    """
    held = RecordSet(map(read_record, records))
    return {
        "order": [list(place) for place in held.order()],
        "orphans": sorted(one.id for one in held.orphans),
    }


def closure(records: list[bytes], ids: list[bytes]) -> dict[str, Any]:
    """Operation of 25.1.4: return the closure in order."""
    return {"ids": [one.id for one in RecordSet(map(read_record, records)).closure(ids)]}


def read_file(file: bytes) -> dict[str, Any]:
    """Operation of 25.2: read a file of records."""
    found = read_bundle(file)
    return {"records": found.raws, "images": found.images}


def fingerprint(salt: bytes, ids: list[bytes]) -> dict[str, Any]:
    """Operation of 25.3.2: calculate a fingerprint."""
    marks = {name: short_id(salt, name) for name in ids}
    return {
        "marks": list(marks.values()),
        "fingerprint": RecordRanges([(0, name) for name in sorted(ids)], marks).fingerprint(
            0, len(ids)
        ),
    }


def read_merge_message(encoding: bytes) -> dict[str, Any]:
    """Operation of 25.3, 25.6: read a single message of any kind."""
    name, values = decode(encoding)
    return {"name": name, "fields": values}


def merge(
    salt: bytes, records: list[bytes], sides: list[list[int]], given: list[bytes] | None
) -> dict[str, Any]:
    """Operation of 25.3 to 25.5: run a merge of two sides that have some of the records each, the
    caller first. Return all messages, and the ids that each side gets.

    Both sides give the closure of `given`, or everything, and their alarms. Both trust every
    creator.
    """
    read = [read_record(raw) for raw in records]
    sets = [RecordSet(read[number] for number in side) for side in sides]
    talk = [
        MergeSession(
            held, salt, not number, given, everybody, evaluate([*held, *held.orphans]).alarms
        )
        for number, held in enumerate(sets)
    ]
    turns: list[list[bytes]] = []
    got: list[list[bytes]] = [[], []]
    while not all(side.done for side in talk):
        speaker = len(turns) % 2
        turns.append(talk[speaker].outgoing())
        for message in turns[-1]:
            got[1 - speaker] += [one.id for one in talk[1 - speaker].received(message)]
    return {"turns": turns, "got": got}


def hear(salt: bytes, records: list[bytes], messages: list[bytes]) -> dict[str, Any]:
    """Operation of 25.3, 25.4: return the called side's answers to the messages of some turns."""
    side = MergeSession(RecordSet(map(read_record, records)), salt, False)
    answers = []
    for message in messages:
        side.received(message)
        answers += side.outgoing()
    return {"answers": answers}


def hear_images(asked: list[bytes], messages: list[bytes]) -> dict[str, Any]:
    """Operation of 25.6: return the images in the answers to a question."""
    side = ImageTransfer({}.get, ())
    side.ask(asked)
    question = side.outgoing()
    return {
        "question": question,
        "images": [image for message in messages for image in side.received(message)],
    }


OPERATIONS = {
    "order of a set": order_of_a_set,
    "closure": closure,
    "read cards": read_file,
    "merge fingerprint": fingerprint,
    "read merge message": read_merge_message,
    "merge": merge,
    "hear a merge": hear,
    "hear images": hear_images,
}


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [*_sets(), *_files(), *_merges(), *_hostile(), *_images()]


def _sets() -> list[Vector]:
    history = History(1, cards=3, trades=4)
    history.waive(history.records[-1], history.people[0])
    raws = [record.raw for record in history.records]
    card = history.cards[0].id
    return [
        Vector("25.1", "a set, children first", "order of a set", {"records": raws[::-1]}),
        Vector(
            "25.1", "a trade without its cards", "order of a set", {"records": [raws[0], raws[-2]]}
        ),
        Vector("25.1", "what belongs to a card", "closure", {"records": raws, "ids": [card]}),
        Vector(
            "25.1", "and to a trade", "closure", {"records": raws, "ids": [history.records[-2].id]}
        ),
        Vector("25.3", "no records", "merge fingerprint", {"salt": SALT, "ids": []}),
        Vector(
            "25.3",
            "three",
            "merge fingerprint",
            {"salt": SALT, "ids": [one.id for one in history.cards]},
        ),
    ]


def _files() -> list[Vector]:
    history = History(2, cards=1, trades=1)
    file = write_bundle(history.records[:2], [b"<svg/>"])
    record, image = b"\0\0\0\5\x92\0\xc4\1a", b"\0\0\0\5\x92\1\xc4\1a"
    bad = (
        Bad("another magic", {"file": b"F" + MAGIC[1:] + record}, "bad_encoding"),
        Bad("cut short", {"file": MAGIC + record[:-1]}, "bad_encoding"),
        Bad("a byte more", {"file": MAGIC + record + b"\0"}, "bad_encoding"),
        Bad("a frame of nothing", {"file": MAGIC + record + bytes(4)}, "frame_size"),
        Bad("a frame larger than any", {"file": MAGIC + (2**24).to_bytes(4, "big")}, "frame_size"),
        Bad(
            "a part of no kind",
            {"file": MAGIC + record.replace(b"\x92\0", b"\x92\2")},
            "bad_message",
        ),
        Bad("an empty record", {"file": MAGIC + b"\0\0\0\4\x92\0\xc4\0"}, "bad_message"),
        Bad("a record twice", {"file": MAGIC + record + record}, "bad_message"),
        Bad("an image twice", {"file": MAGIC + image + image}, "bad_message"),
        Bad("a record behind an image", {"file": MAGIC + image + record}, "bad_message"),
    )
    return [
        Vector("25.2", "records and an image", "read cards", {"file": file}),
        Vector(
            "25.2", "records are not looked at", "read cards", {"file": MAGIC + record + image}, bad
        ),
        Vector("25.2", "nothing", "read cards", {"file": MAGIC}),
    ]


def _merges() -> list[Vector]:
    history = History(3, cards=32, people=4, trades=4)
    raws = [record.raw for record in history.records]
    every = list(range(len(raws)))
    given = {"salt": SALT, "records": raws, "given": None}
    many = History(6, cards=60, people=4, trades=0)
    most = list(range(len(many.records)))
    split = {"salt": SALT, "records": [record.raw for record in many.records], "given": None}
    few = History(4, cards=2, people=4, trades=2)
    card, numbers = few.cards[1].id, list(range(len(few.records)))
    some = {"salt": SALT, "records": [record.raw for record in few.records]}
    return [
        Vector("25.4", "equal sets", "merge", some | {"sides": [numbers, numbers], "given": None}),
        Vector(
            "25.4",
            "both know more",
            "merge",
            given | {"sides": [every[:-3], [*every[:20], *every[26:]]]},
        ),
        Vector(
            "25.4",
            "so many that ranges are split",
            "merge",
            split | {"sides": [most[:-1], [*most[:30], *most[31:]]]},
        ),
        Vector(
            "25.3",
            "one card is on the table",
            "merge",
            some | {"sides": [numbers, []], "given": [card]},
        ),
        Vector(
            "25.3",
            "an alarm goes to everybody",
            "merge",
            some | {"sides": [numbers, numbers[:1]], "given": []},
        ),
    ]


def _hostile() -> list[Vector]:
    history = History(5, cards=2, trades=1, spends=0)
    whole = [[*START, [[*END, 1, b"f" * 16]]]]
    ranges, turn = encode("ranges", 0, whole), encode("turn")
    answered = hear(SALT, [one.raw for one in history.records], [ranges, turn])["answers"]
    short = decode(answered[0])[1][1][0][-1][:8]
    want, item = encode("want", short), [[*START, *END, short]]

    def instead(fault: str, *messages: bytes, code: str = "bad_message") -> Bad:
        return Bad(fault, {"messages": list(messages)}, code)

    bad = (
        instead("a list that answers nothing", encode("ids", 0, item)),
        instead("a byte more", ranges + b"\0", code="bad_encoding"),
        instead("after the end", turn, turn),
        instead("ranges that overlap", encode("ranges", 0, whole * 2)),
        instead("a range that ends where it begins", encode("ranges", 0, [[*END, whole[0][2]]])),
        instead("a third space", encode("ranges", 2, whole)),
        instead("a record that is not listed", ranges, turn, encode("want", b"8 bytes!")),
        instead("a record twice", ranges, turn, want, want),
        instead(
            "a record that nobody asked for",
            ranges,
            turn,
            encode("records", [history.records[0].raw]),
        ),
        instead("no shorts", encode("want", b"")),
        instead("half a short", encode("want", b"half")),
        instead("a message that there is not", encode("over")),
        instead("a message of nothing", b"\x90"),
    )
    heard = {
        "salt": SALT,
        "records": [one.raw for one in history.records],
        "messages": [ranges, turn, want, turn],
    }
    forms = [
        *answered,
        want,
        encode("records", [b"?"]),
        encode("have", 1, [[3, b"\1", short]]),
        ranges,
        turn,
    ]
    return [
        Vector("25.4", "a list, and one record of it", "hear a merge", heard, bad),
        *(
            Vector(
                "25.3", f"`{decode(message)[0]}` alone", "read merge message", {"encoding": message}
            )
            for message in dict.fromkeys(forms)
        ),
        *(
            Vector(
                "25.6", f"`{name}` alone", "read merge message", {"encoding": encode(name, *values)}
            )
            for name, values in (
                ("images", [[bytes(32)]]),
                ("image", [bytes(32), 6, b"<svg/>"]),
                ("no_image", [bytes(32)]),
            )
        ),
    ]


def _images() -> list[Vector]:
    image = b"<svg/>"
    digest, other = image_digest(image), bytes(32)
    parts = [
        encode("image", digest, 6, image[:4]),
        encode("image", digest, 6, image[4:]),
        encode("no_image", other),
    ]

    def instead(fault: str, *messages: bytes) -> Bad:
        return Bad(fault, {"messages": list(messages)}, "bad_message")

    bad = (
        instead("another one", encode("image", other, 6, image)),
        instead("longer than its size", parts[0], encode("image", digest, 6, image)),
        instead("another content", encode("image", digest, 6, b"<SVG/>")),
        instead("none, after a part", parts[0], encode("no_image", digest)),
        instead("more than was asked for", *parts, parts[0]),
    )
    return [
        Vector(
            "25.6",
            "an image, and none",
            "hear images",
            {"asked": [digest, other], "messages": parts},
            bad,
        )
    ]
