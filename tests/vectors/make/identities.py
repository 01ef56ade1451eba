"""Vectors of chapter 5: keys, signatures, fingerprints, links, names; and this implementation's
identity file.
"""

from hashlib import sha512
from typing import Any

from protocol.crypto.hashing import encode_fields
from protocol.identity.keyfile import Cost, new_keyfile, open_keyfile, parse_keyfile
from protocol.identity.keys import (
    Identity,
    JoinLink,
    check_key,
    fingerprint,
    short_fingerprint,
    verify,
)
from protocol.identity.names import check_name
from protocol.limits import MIN_KEYFILE_MEMORY
from tests.vectors.make.forms import Bad, Vector, random_for


def make_key(seed: bytes) -> dict[str, Any]:
    """Operation of 5.1: return the public key of a seed."""
    return {"public": Identity(seed).public}


def take_key(public: bytes) -> dict[str, Any]:
    """Operation of 5.1, 5.2: check a key from outside, and return its fingerprints."""
    check_key(public)
    return {"fingerprint": fingerprint(public), "short": short_fingerprint(public)}


def sign(seed: bytes, label: str, fields: list[Any]) -> dict[str, Any]:
    """Operation of 1.4: sign."""
    return {"signature": Identity(seed).sign(label, *fields)}


def check_signature(
    public: bytes, signature: bytes, label: str, fields: list[Any]
) -> dict[str, Any]:
    """Operation of 1.4, 5.1.3: check a signature."""
    verify(public, signature, label, *fields)
    return {"holds": True}


def read_link(text: str) -> dict[str, Any]:
    """Operation of 5.3: read a join link."""
    link = JoinLink.parse(text)
    where = {
        "host": link.host,
        "port": link.port,
        "fingerprint": link.fingerprint,
        "direct": link.direct,
    }
    door = {"web": link.web_scheme, "path": link.path} if link.web_scheme else {}
    more = {"more": [list(place) for place in link.other_hosts]} if link.other_hosts else {}
    page = {"page": link.page} if link.page else {}
    return where | {"invite": link.invite} | door | more | page


def take_name(name: str) -> dict[str, Any]:
    """Operation of 5.4.1: check a name."""
    check_name(name)
    return {"fit": True}


def open_key_file(file: str, passphrase: bytes | None) -> dict[str, Any]:
    """Open a key file, which has this implementation's own format, and return the identity."""
    return {"public": open_keyfile(parse_keyfile(file.encode()), passphrase).public}


OPERATIONS = {
    "make key": make_key,
    "take key": take_key,
    "sign": sign,
    "check signature": check_signature,
    "read link": read_link,
    "take name": take_name,
    "open key file": open_key_file,
}

ORDER = 2**252 + 27742317777372353535851937790883648493
WEAK_KEYS = {
    "the identity point": "01" + 31 * "00",
    "a point of order 2": "ec" + 30 * "ff" + "7f",
    "a point of order 4": 32 * "00",
    "a point of order 8": "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "the identity point, encoded otherwise": "01" + 30 * "00" + "80",
    "y above the field's prime": "f0" + 30 * "ff" + "7f",
    "no point of the curve": "02" + 31 * "00",
    "31 bytes": 31 * "11",
}


def _with_identity(seed: bytes, message: bytes) -> bytes:
    """Make a signature with r = 0, with its own key: R is the identity, and yet s·B = k·A."""
    R = bytes([1]) + bytes(31)
    k = int.from_bytes(sha512(R + Identity(seed).public + message).digest(), "little")
    # clamped, RFC 8032 §5.1.5
    a = int.from_bytes(sha512(seed).digest()[:32], "little") & (2**254 - 8) | 2**254
    return R + (k * a % ORDER).to_bytes(32, "little")


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [*_keys(), *_links(), *_names(), *_files()]


def _keys() -> list[Vector]:
    seed = bytes(range(32))
    identity, other = Identity(seed), Identity(seed[::-1])
    signature = identity.sign("entry", b"match", 7)
    high_s = (int.from_bytes(signature[32:], "little") + ORDER).to_bytes(32, "little")
    weak = tuple(
        Bad(name, {"public": bytes.fromhex(raw)}, "bad_identity") for name, raw in WEAK_KEYS.items()
    )
    message = encode_fields("entry", b"match", 7)
    given = {
        "public": identity.public,
        "signature": signature,
        "label": "entry",
        "fields": [b"match", 7],
    }
    no_key = bytes.fromhex(WEAK_KEYS["the identity point"])
    wrong = (
        Bad("another label", {"label": "head"}, "bad_signature"),
        Bad("another field", {"fields/1": 8}, "bad_signature"),
        Bad("another key", {"public": other.public}, "bad_signature"),
        Bad(
            "a bit of R", {"signature": bytes([signature[0] ^ 1]) + signature[1:]}, "bad_signature"
        ),
        Bad("s plus the group's order", {"signature": signature[:32] + high_s}, "bad_signature"),
        Bad(
            "R is the identity, and the equation holds",
            {"signature": _with_identity(seed, message)},
            "bad_signature",
        ),
        Bad("63 bytes", {"signature": signature[:-1]}, "bad_signature"),
        Bad(
            "a weak key that fits everything",
            {"public": no_key, "signature": no_key + bytes(32)},
            "bad_signature",
        ),
    )
    return [
        Vector("5.1", "a key from a seed", "make key", {"seed": seed}),
        Vector("5.2", "a key and its fingerprint", "take key", {"public": identity.public}, weak),
        Vector(
            "1.4", "a signature", "sign", {"seed": seed, "label": "entry", "fields": [b"match", 7]}
        ),
        Vector("1.4", "a signature that holds", "check signature", given, wrong),
    ]


def _links() -> list[Vector]:
    name = fingerprint(Identity(bytes(range(32))).public)
    bad = {
        "port zero": f"fairdeal://example.org:0/{name}",
        "a port above 65535": f"fairdeal://example.org:65536/{name}",
        "39 letters": f"fairdeal://example.org:7500/{name[:-1]}",
        "41 letters": f"fairdeal://example.org:7500/{name}a",
        "a digit that base32 does not have": f"fairdeal://example.org:7500/1{name[1:]}",
        "another scheme": f"https://example.org:7500/{name}",
        "an IPv6 address without brackets": f"fairdeal://::1:7500/{name}",
        "brackets around no address": f"fairdeal://[1::2::3]:7500/{name}",
        "a path": f"fairdeal://example.org:7500/{name}/x",
        "a secret of 31 letters": f"fairdeal://example.org:7500/{name}/{'b' * 31}",
        "a secret, and no fingerprint": f"fairdeal://example.org:7500//{'b' * 32}",
        "another player, with a secret": f"fairdeal-direct://192.0.2.1:7501/{name}/{'b' * 32}",
        "another player, and no fingerprint": "fairdeal-direct://192.0.2.1:7501",
        "one address twice": f"fairdeal://example.org:7500,EXAMPLE.org:7500/{name}",
        "a WebSocket door, and no fingerprint": "fairdeal+wss://example.org/games",
        "a page, and no WebSocket": f"https://example.org/#example.org:7500/{name}",
    }
    faults = tuple(Bad(fault, {"text": text}, None) for fault, text in bad.items())
    good = {
        "a name": f"fairdeal://example.org:7500/{name}",
        "an IPv4 address": f"fairdeal://127.0.0.1:1/{name}",
        "no port": f"fairdeal://example.org/{name}",
        "an IPv6 address with its interface": f"fairdeal://[fe80::1%eth0]:7500/{name}",
        "an IPv6 address": f"fairdeal://[2001:db8::1]:65535/{name}",
        "upper case": f"FAIRDEAL://EXAMPLE.ORG:7500/{name.upper()}",
        "no port, which is 7500": f"fairdeal://example.org/{name}",
        "a link-local address": f"fairdeal://[fe80::1%eth0]:7500/{name}",
        "no fingerprint": "fairdeal://example.org:7500",
        "a table by invitation": f"fairdeal://example.org:7500/{name}/{'bcdefghi' * 4}",
        "another player, without a table": f"fairdeal-direct://192.0.2.1:7501/{name}",
        "a WebSocket door": f"fairdeal+wss://example.org/games/{name}",
        "two hosts": f"fairdeal://a.example.org:7500,[::1]:1/{name}",
        "a page": f"https://example.org/play/#wss://example.org/games/{name}",
        "one without TLS": f"FAIRDEAL+WS://[::1]:7580/A.b/{name}/{'bcdefghi' * 4}",
    }
    made = [Vector("5.3", text, "read link", {"text": link}) for text, link in good.items()]
    return [made[0]._replace(bad=faults), *made[1:]]


def _names() -> list[Vector]:
    bad = {
        "empty": "",
        "25 characters": "a" * 25,
        "a control character": "a\nb",
        "a line of text turned round": "a\u202eb",
        "a zero-width space": "a\u200bb",
        "a joiner between letters that do not join": "a\u200cb",
        "two spaces": "a  b",
        "a space at the end": "a ",
        "Latin and Cyrillic": "P\u0430ul",
        "not NFC": "Zoe\u0308",
        "a mark alone": "\u0301",
        "a colon": "verdict: clean",
        "a full-width colon": "verdict\uff1a clean",
        "a word for the reader": "You",
        "a word for the reader, in German": "Sie",
        "what programs call the table": "The Table",
        "a word for nobody, with a zero": "N0body",
    }
    faults = tuple(Bad(fault, {"name": name}, "bad_name") for fault, name in bad.items())
    good = ("Zoë", "a", "a" * 24, "Анна", "花子", "Mr. O'Neil-3", "نیم\u200cفاصله")
    made = [Vector("5.4", "a name", "take name", {"name": name}) for name in good]
    return [made[0]._replace(bad=faults), *made[1:]]


def _files() -> list[Vector]:
    rng = random_for("key files")
    seed = rng.randbytes(32)
    plain = new_keyfile(seed, None, rng).decode()
    sealed = new_keyfile(seed, b"correct horse", rng, Cost(1, MIN_KEYFILE_MEMORY)).decode()
    letter = plain.index("fingerprint ") + len("fingerprint ")
    swapped = plain[:letter] + ("b" if plain[letter] == "a" else "a") + plain[letter + 1 :]
    return [
        Vector(
            "5.1",
            "an identity file in clear",
            "open key file",
            {"file": plain, "passphrase": None},
            (
                Bad("another fingerprint", {"file": swapped}, None),
                Bad("a line end too many", {"file": plain + "\n"}, None),
                Bad("a space too many", {"file": plain.replace("seed ", "seed  ")}, None),
                Bad("a passphrase that it has not", {"passphrase": b"x"}, None),
            ),
        ),
        Vector(
            "5.1",
            "an identity file under a passphrase (argon2id, XSalsa20-Poly1305)",
            "open key file",
            {"file": sealed, "passphrase": b"correct horse"},
            (
                Bad("the wrong passphrase", {"passphrase": b"correct house"}, None),
                Bad("no passphrase", {"passphrase": None}, None),
                Bad(
                    "a cost without bound",
                    {"file": sealed.replace("argon2id 1 8192", "argon2id 1 99999999")},
                    None,
                ),
                Bad(
                    "another cost",
                    {"file": sealed.replace("argon2id 1 8192", "argon2id 2 8192")},
                    None,
                ),
            ),
        ),
    ]
