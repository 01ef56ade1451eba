"""Generated parts of docs/protocol: worked examples calculated from their inputs, and the tables of
codes and limits.

`scripts/run tests.support.docs` writes all of them. Read the diff before you commit it.
"""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from protocol import limits, wire
from protocol.codes import Code, code_phrase
from protocol.crypto.elgamal import Ciphertext, encode_ciphertexts, prove_share, reencrypt, share
from protocol.crypto.envelopes import MatchKey, new_key, seal, seal_to_slot
from protocol.crypto.group import GENERATOR, WIDE, hash_to_point, scalar_from_int, times_base
from protocol.crypto.hashing import derive, digest, encode_fields
from protocol.crypto.oblivious_transfer import DrawContext, transfer
from protocol.crypto.proof_context import ProofPlace, proof_context
from protocol.crypto.shuffle import Witness, generators, prove_shuffle
from protocol.dealing.layered.primitives import hand_commitment, layer, pseudonym, to_bitmap
from protocol.dealing.residue.chunks import body_digest, chunk_digest
from protocol.games.dominoes import tiles
from protocol.games.dominoes.layout import Layout, open_ends
from protocol.games.dominoes.scoring import Scoring
from protocol.i18n import english_text
from protocol.identity.keys import Identity, fingerprint, short_fingerprint
from protocol.identity.roster_words import roster_words
from protocol.match.log import EntryContent, make_entry
from protocol.match.log_file import encode_record
from protocol.messages import table as messages

ROOT = Path(__file__).parents[2]
CHAPTERS = ROOT / "docs" / "protocol"
CODES, LIMITS = CHAPTERS / "11-codes.md", CHAPTERS / "12-limits.md"
LIMIT_FILES = [
    ROOT / "protocol" / "limits" / f"{name}.py"
    for name in (
        "wire",
        "match",
        "manager",
        "cluster",
        "player",
        "games",
        "ledger",
        "search",
        "relay",
        "directory",
    )
]
_EXAMPLE = re.compile(r"```example (\w+)\n(.*?)->\n(.*?)```", re.DOTALL)
_TOKEN = re.compile(r'"[^"]*"|\[.*\]|0x[0-9a-f]*|\d+|\?')

Values = dict[str, list[Any]]


class Fixed(Random):
    """Random source that returns given bytes."""

    def __new__(cls, given: bytes) -> "Fixed":
        return super().__new__(cls)

    def __init__(self, given: bytes) -> None:
        super().__init__(0)
        self.given = given

    def randbytes(self, n: int) -> bytes:
        assert n == len(self.given)
        return self.given


def _key(private: bytes) -> MatchKey:
    return new_key(Fixed(private))


def _entry(v: Values) -> Values:
    ((author, sequence, seen, seen_hash, kind, body),) = v["content"]
    (seed,), (match,), (number,), (previous,) = v["seed"], v["match"], v["number"], v["previous"]
    raw = make_entry(
        Identity(seed), match, EntryContent(author, sequence, (seen, seen_hash), kind, body)
    )
    content = wire.encode(v["content"][0])
    return {
        "content_bytes": [content],
        "entry": [raw],
        "hash": [digest("chain", previous, number, raw)],
    }


def _credential(v: Values) -> Values:
    identity = Identity(v["seed"][0])
    signature = identity.sign(v["label"][0], v["static"][0], v["hash"][0])
    return {"payload": [wire.encode([identity.public, signature])]}


def _fingerprint(v: Values) -> Values:
    public = Identity(v["seed"][0]).public
    return {
        "public": [public],
        "fingerprint": [fingerprint(public)],
        "short": [short_fingerprint(public)],
    }


def _head(v: Values) -> Values:
    return {
        "head": [Identity(v["seed"][0]).sign("head", v["match"][0], v["number"][0], v["hash"][0])]
    }


def _roster(v: Values) -> Values:
    roster = digest("roster", *v["match"], *v["table"], *v["people"], *v["keys"], *v["nonces"])
    return {"digest": [roster], "words": [roster_words(roster)]}


def _envelope(v: Values) -> Values:
    salt = Fixed(v["salt"][0])
    sealed = seal(
        v["key"][0],
        salt,
        v["plaintext"][0],
        v["purpose"][0],
        *v["context"],
        padded_to=v["padded_to"][0],
    )
    return {"envelope": [sealed]}


def _slot(v: Values) -> Values:
    ephemeral, slot = _key(v["ephemeral"][0]), _key(v["slot"][0])
    sealed = seal_to_slot(slot.public, ephemeral, v["plaintext"][0], v["purpose"][0], *v["context"])
    return {
        "ephemeral_public": [ephemeral.public],
        "slot_public": [slot.public],
        "sealed": [sealed],
    }


def _transfer(v: Values) -> Values:
    y, x, choice = (scalar_from_int(v[name][0]) for name in ("y", "x", "choice"))
    S = times_base(y)
    R = choice * S + times_base(x)
    reply = transfer(y, S, R, v["messages"], DrawContext(v["deal"][0], v["seat"][0], v["draw"][0]))
    return {"S": [S.encoded], "R": [R.encoded], "reply": reply}


def _point(v: Values) -> Values:
    uniform = derive(b"", *v["label"], *v["fields"], length=WIDE)
    return {"uniform": [uniform], "point": [hash_to_point(*v["label"], *v["fields"]).encoded]}


def _card(x: int, r: int, piece: int) -> Ciphertext:
    """Encrypt a piece under the key x·G with randomness r."""
    masked = times_base(scalar_from_int(r))
    return Ciphertext(masked, hash_to_point("piece", piece) + scalar_from_int(x) * masked)


def _share(v: Values) -> Values:
    x, card = scalar_from_int(*v["x"]), _card(*v["x"], *v["r"], *v["piece"])
    X, D = times_base(x), share(x, card)
    place = ProofPlace(*v["deal"], *v["seat"], *v["identity"], "share", *v["card"])
    context = proof_context(
        place, "equality of discrete logarithms", [GENERATOR, X, card.C1, D, card.C2]
    )
    proof = prove_share(x, X, card, D, place, Fixed(*v["random"]))
    points = {"X": [X.encoded], "C1": [card.C1.encoded], "C2": [card.C2.encoded], "D": [D.encoded]}
    return points | {"context": [context], "proof": [proof]}


def _shuffle(v: Values) -> Values:
    X = times_base(scalar_from_int(*v["x"]))
    before = [_card(*v["x"], r, piece) for r, piece in zip(v["r"], v["pieces"], strict=True)]
    r_prime = tuple(map(scalar_from_int, v["r_prime"]))
    after = [reencrypt(before[j], r_prime[j], X) for j in v["psi"]]
    place = ProofPlace(*v["deal"], *v["seat"], *v["identity"], "shuffle", *v["position"])
    gens, cards = (
        generators(len(before)),
        [point for card in (*before, *after) for point in (card.C1, card.C2)],
    )
    context = proof_context(place, "shuffle", [GENERATOR, gens.h, *gens.h_i, X, *cards])
    proof = prove_shuffle(
        before, after, Witness(tuple(v["psi"]), r_prime), X, place, Fixed(*v["random"])
    )
    decks = {"before": [encode_ciphertexts(before)], "after": [encode_ciphertexts(after)]}
    return decks | {"context": [context], "proof": [proof]}


def _tiles(v: Values) -> Values:
    numbers = v["tiles"]
    return {
        "pieces": [
            tiles.index(high, low) for high, low in zip(numbers[::2], numbers[1::2], strict=True)
        ]
    }


def _fives(v: Values, *, spins: bool = False) -> Values:
    numbers, made, layout = v["plays"], [], Layout(spins=spins, counts=True)
    for high, low, end in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
        layout = layout.lay((high, low), end)
        made.append(layout)
    return {
        "counts": [layout.end_sum for layout in made],
        "points": list(map(Scoring(0, fives=True).points_of, made)),
    }


def _ends(v: Values) -> Values:
    numbers, ends, places, layout = v["plays"], [], [], Layout(spins=True, counts=True)
    for high, low, end in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
        layout = layout.lay((high, low), end)
        high, low = v["tile"]
        ends.append(" ".join(str(end.number) for end in layout.ends or ()))
        places.append(" ".join(map(str, open_ends((high, low), layout.ends))))
    return {"ends": ends, "places": places}


def _spinner(v: Values) -> Values:
    return _fives(v, spins=True)


def _value(v: Values) -> Values:
    (value,) = v["value"]
    return {"encoding": [wire.encode(value)], "frame": [wire.encode_frame(wire.encode(value))]}


EXAMPLES: dict[str, Callable[[Values], Values]] = {
    "digest": lambda v: {
        "frame": [encode_fields(*v["label"], *v["fields"])],
        "digest": [digest(*v["label"], *v["fields"])],
    },
    "derive": lambda v: {"key": [derive(*v["secret"], *v["label"], *v["fields"])]},
    "chunks": lambda v: {"digest": [body_digest([chunk_digest(chunk) for chunk in v["chunks"]])]},
    "value": _value,
    "credential": _credential,
    "fingerprint": _fingerprint,
    "entry": _entry,
    "head": _head,
    "roster": _roster,
    "envelope": _envelope,
    "slot": _slot,
    "pseudonym": lambda v: {
        "pseudonym": [pseudonym(*v["deal"], *v["position"], *v["key"], *v["piece"])]
    },
    "layer": lambda v: {"result": [layer(*v["deal"], *v["seat"], *v["key"], *v["element"])]},
    "bitmap": lambda v: {"bitmap": [to_bitmap(frozenset(v["elements"]), *v["pieces"])]},
    "hand": lambda v: {
        "commitment": [
            hand_commitment(*v["deal"], *v["seat"], *v["r1"], *v["r2"], tuple(v["elements"]))
        ]
    },
    "transfer": _transfer,
    "point": _point,
    "share": _share,
    "shuffle": _shuffle,
    "tiles": _tiles,
    "fives": _fives,
    "spinner": _spinner,
    "ends": _ends,
    "record": lambda v: {"frame": [encode_record(*v["entry"], *v["head"])]},
}


def examples(text: str) -> list[tuple[str, Values, str]]:
    """Return the examples of a chapter: name, inputs, and the written outputs."""
    return [(name, _values(inputs), outputs) for name, inputs, outputs in _EXAMPLE.findall(text)]


def _values(lines: str) -> Values:
    pairs = (line.split(" = ", 1) for line in lines.splitlines())
    return {name: [_parse(token) for token in _TOKEN.findall(value)] for name, value in pairs}


def _parse(token: str) -> Any:
    literal = re.sub(r"0x([0-9a-f]*)", lambda found: repr(bytes.fromhex(found[1])), token)
    return ast.literal_eval(literal)


def outputs_of(name: str, inputs: Values) -> str:
    """Calculate the output lines of an example."""
    lines = (
        f"{key} = {' '.join(map(_text, values))}\n"
        for key, values in EXAMPLES[name](inputs).items()
    )
    return "".join(lines)


def _text(value: Any) -> str:
    if type(value) is bytes:
        return f"0x{value.hex()}"
    return f'"{value}"' if type(value) is str else str(value)


def with_outputs(text: str) -> str:
    """Return a chapter with newly calculated outputs of all examples."""

    def renew(found: re.Match[str]) -> str:
        name, inputs, _ = found.groups()
        return f"```example {name}\n{inputs}->\n{outputs_of(name, _values(inputs))}```"

    return _EXAMPLE.sub(renew, text)


def codes_chapter() -> str:
    """Generate chapter 11 from `protocol.codes`."""
    lines = [
        "# 11 Codes",
        "",
        "Codes are text. The sentence is what a person reads; it may be worded otherwise.",
    ]
    source = (ROOT / "protocol" / "codes.py").read_text().split("\n\n\ndef ")[0]
    section = 0
    for heading, code in re.findall(r"^    # (.+)$|^    [A-Z_]+ = \"(.+)\"", source, re.MULTILINE):
        if heading:
            section += 1
            lines += [
                "",
                f"## 11.{section} {_capital(heading)}",
                "",
                "| code | meaning |",
                "| --- | --- |",
            ]
        else:
            lines.append(f"| `{code}` | {english_text(code_phrase(Code(code)))} |")
    return "\n".join(lines) + "\n"


def limits_chapter() -> str:
    """Generate chapter 12 from `protocol.limits` and its comments."""
    lines = [
        "# 12 Limits",
        "",
        "What an entry, a message or a log file can exceed binds all implementations. Limits "
        "of identity files and",
        "of the table manager are those of this one.",
    ]
    section = 0
    for block in (block for room in LIMIT_FILES for block in _statements(room.read_text())):
        if found := re.fullmatch(r"# --- (.+) ---", block):
            section += 1
            heads = ["| limit | value | unit and reason |", "| --- | --- | --- |"]
            lines += ["", f"## 12.{section} {_capital(found[1])}", "", *heads]
        elif names := re.match(r"[A-Z_, ]+(?= = )", block):
            reason = " ".join(re.findall(r"# (.+)", block))
            for name in names[0].split(", "):
                lines.append(f"| `{name}` | {_number(getattr(limits, name))} | {reason} |")
    return "\n".join(lines) + "\n"


def _statements(source: str) -> Iterator[str]:
    """Yield the title of each section, and each statement with the comments above and in it."""
    comments: list[str] = []
    for line in source.splitlines():
        if re.fullmatch(r"# --- .+ ---", line):
            comments = []
            yield line
        elif line.startswith("#"):
            comments.append(line)
        elif re.match(r"[A-Z]", line):
            yield "\n".join([line, *comments])
            comments = []
        else:
            comments = []


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _number(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def messages_by_sender() -> dict[str, set[str]]:
    """Return the names of all messages of each side."""
    return {
        sender.value: {name for name, row in messages.MESSAGES.items() if row.sender is sender}
        for sender in messages.Sender
    }


def main() -> None:
    """Write all generated parts."""
    for chapter in CHAPTERS.glob("*.md"):
        chapter.write_text(with_outputs(chapter.read_text()))
    CODES.write_text(codes_chapter())
    LIMITS.write_text(limits_chapter())


if __name__ == "__main__":
    main()
