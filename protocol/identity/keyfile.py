"""An identity as a file: a few lines of text, with or without a passphrase.

    fairdeal identity 1
    fingerprint <40 letters>
    passphrase none
    seed <32 bytes, base64>

or, with a passphrase,

    fairdeal identity 1
    fingerprint <40 letters>
    passphrase argon2id <passes> <KiB of memory> <16 bytes of salt, base64>
    seed <nonce and XSalsa20-Poly1305 box, base64>

There is one way to write each file and reading is strict, so a changed byte never goes unnoticed.
The fingerprint can be read without the passphrase.
"""

from base64 import b64decode, b64encode
from dataclasses import dataclass
from random import Random

from protocol.crypto.primitives.passphrase import NONCE_SIZE, SALT_SIZE, TAG_SIZE, PassphraseBox
from protocol.errors import LocalError
from protocol.identity.keys import FINGERPRINT_LETTERS, KEY_SIZE, Identity, fingerprint
from protocol.limits import (
    KEYFILE_MEMORY,
    KEYFILE_OPS,
    MAX_KEYFILE,
    MAX_KEYFILE_MEMORY,
    MAX_KEYFILE_OPS,
    MIN_KEYFILE_MEMORY,
    MIN_KEYFILE_OPS,
)

MAGIC = "fairdeal identity 1"
# bytes; argon2id counts memory in these, so the file does too: no two numbers mean the same
KIB = 1024
_DAMAGED = "wrong.identity.damaged"
_WRONG = "wrong.identity.passphrase"


@dataclass(frozen=True)
class Cost:
    """What one try at a passphrase costs: passes, and bytes of memory, of argon2id."""

    passes: int = KEYFILE_OPS
    memory: int = KEYFILE_MEMORY


@dataclass(frozen=True)
class KeyFile:
    """A key file's lines, not yet opened. `cost` and `salt` are None without a passphrase."""

    fingerprint: str
    cost: Cost | None
    salt: bytes
    seed: bytes  # in clear, or nonce and box

    @property
    def protected(self) -> bool:
        """Whether a passphrase is needed to open it."""
        return self.cost is not None


def new_keyfile(
    seed: bytes, passphrase: bytes | None, rng: Random, cost: Cost | None = None
) -> bytes:
    """The file for an identity's 32-byte seed. With a passphrase it is sealed, at the usual cost
    unless given.
    """
    name = fingerprint(Identity(seed).public)
    if passphrase is None:
        return _encode(KeyFile(name, None, b"", seed))
    if not passphrase:
        raise LocalError("wrong.identity.empty")
    cost = cost or Cost()
    salt, nonce = rng.randbytes(SALT_SIZE), rng.randbytes(NONCE_SIZE)
    box = _box(passphrase, salt, cost).seal(seed, nonce)
    return _encode(KeyFile(name, cost, salt, box))


def parse_keyfile(data: bytes) -> KeyFile:
    """The lines of a key file; raises `LocalError` unless it is exactly what `new_keyfile`
    writes.
    """
    try:
        file = _parse(data[: MAX_KEYFILE + 1].decode("ascii"))
    except ValueError:
        raise LocalError(_DAMAGED) from None
    if _encode(file) != data:
        raise LocalError(_DAMAGED)
    return file


def open_keyfile(file: KeyFile, passphrase: bytes | None) -> Identity:
    """The identity in a key file. Raises `LocalError` for a wrong, missing or needless passphrase,
    or damage.
    """
    if file.cost is None:
        if passphrase is not None:
            raise LocalError("wrong.identity.not_needed")
        return _checked(file.seed, file.fingerprint, _DAMAGED)
    if passphrase is None:
        raise LocalError("wrong.identity.needed")
    try:
        seed = _box(passphrase, file.salt, file.cost).unseal(file.seed)
    except ValueError:
        raise LocalError(_WRONG) from None
    return _checked(seed, file.fingerprint, _WRONG)


def _checked(seed: bytes, name: str, otherwise: str) -> Identity:
    if len(seed) == KEY_SIZE:
        identity = Identity(seed)
        if fingerprint(identity.public) == name:
            return identity
    raise LocalError(otherwise)


def _box(passphrase: bytes, salt: bytes, cost: Cost) -> PassphraseBox:
    return PassphraseBox(passphrase, salt, cost.passes, cost.memory)


def _encode(file: KeyFile) -> bytes:
    words = ["passphrase", "none"]
    if file.cost is not None:
        words = [
            "passphrase",
            "argon2id",
            str(file.cost.passes),
            str(file.cost.memory // KIB),
            _base64(file.salt),
        ]
    lines = [
        MAGIC,
        f"fingerprint {file.fingerprint}",
        " ".join(words),
        f"seed {_base64(file.seed)}",
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _parse(text: str) -> KeyFile:
    """Raises ValueError for anything of the wrong form; that there is only one form is
    `parse_keyfile`'s to check.
    """
    magic, name_line, how, seed_line = text.splitlines()
    name, seed = (
        name_line.removeprefix("fingerprint "),
        b64decode(seed_line.removeprefix("seed "), validate=True),
    )
    if magic != MAGIC or len(name) != FINGERPRINT_LETTERS:
        raise ValueError("not an identity file")
    if how == "passphrase none":
        return KeyFile(name, None, b"", seed)
    kind, passes, kibibytes, salt = how.removeprefix("passphrase ").split(" ")
    cost = Cost(int(passes), int(kibibytes) * KIB)
    usual = MIN_KEYFILE_OPS <= cost.passes <= MAX_KEYFILE_OPS
    if (
        kind != "argon2id"
        or not usual
        or not MIN_KEYFILE_MEMORY <= cost.memory <= MAX_KEYFILE_MEMORY
    ):
        raise ValueError("a cost out of bounds")
    raw_salt = b64decode(salt, validate=True)
    if len(raw_salt) != SALT_SIZE or len(seed) != NONCE_SIZE + KEY_SIZE + TAG_SIZE:
        raise ValueError("a field of the wrong size")
    return KeyFile(name, cost, raw_salt, seed)


def _base64(raw: bytes) -> str:
    return b64encode(raw).decode()
