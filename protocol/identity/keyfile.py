"""Key file of an identity: a few lines of text, with or without a passphrase.

    fairdeal identity 1
    fingerprint <40 letters>
    passphrase none
    seed <32 bytes, base64>

or, with a passphrase,

    fairdeal identity 1
    fingerprint <40 letters>
    passphrase argon2id <passes> <KiB of memory> <16 bytes of salt, base64>
    seed <nonce and XSalsa20-Poly1305 box, base64>

Each file has exactly one valid form, and reading is strict, so every changed byte is noticed. The
fingerprint can be read without the passphrase.
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
# bytes; argon2id counts memory in KiB, and so does the file, so that no two numbers mean the same
# cost
KIB = 1024
_DAMAGED = "wrong.identity.damaged"
_WRONG = "wrong.identity.passphrase"


@dataclass(frozen=True)
class Cost:
    """Cost of one attempt at a passphrase with argon2id: passes, and bytes of memory."""

    passes: int = KEYFILE_OPS
    memory: int = KEYFILE_MEMORY


@dataclass(frozen=True)
class KeyFile:
    """The lines of a key file, not decrypted. Without a passphrase `cost` is None and `salt` is
    empty.
    """

    fingerprint: str
    cost: Cost | None
    salt: bytes
    seed: bytes  # in clear, or nonce and box

    @property
    def protected(self) -> bool:
        """A passphrase is needed to open the file."""
        return self.cost is not None


def new_keyfile(
    seed: bytes, passphrase: bytes | None, rng: Random, cost: Cost | None = None
) -> bytes:
    """Return the key file for an identity's 32-byte seed.

    A passphrase encrypts the seed, by default at the usual cost. Raises: LocalError for an empty
    passphrase.
    """
    name = fingerprint(Identity(seed).public)
    if passphrase is None:
        return _encode(KeyFile(name, None, b"", seed))
    if not passphrase:
        raise LocalError("wrong.identity.empty")
    cost = cost or Cost()
    salt = rng.randbytes(SALT_SIZE)
    nonce = rng.randbytes(NONCE_SIZE)
    box = _passphrase_box(passphrase, salt, cost).seal(seed, nonce)
    return _encode(KeyFile(name, cost, salt, box))


def parse_keyfile(data: bytes) -> KeyFile:
    """Read the lines of a key file. Raises: LocalError unless `new_keyfile` writes exactly these
    bytes.
    """
    try:
        file = _parse(data[: MAX_KEYFILE + 1].decode("ascii"))
    except ValueError:
        raise LocalError(_DAMAGED) from None
    if _encode(file) != data:
        raise LocalError(_DAMAGED)
    return file


def open_keyfile(file: KeyFile, passphrase: bytes | None) -> Identity:
    """Return the identity in a key file.

    Raises: LocalError for a wrong, missing or unnecessary passphrase, or a damaged file.
    """
    return Identity(_open_seed(file, passphrase))


def reseal_keyfile(
    file: KeyFile,
    passphrase: bytes | None,
    other: bytes | None,
    rng: Random,
    cost: Cost | None = None,
) -> bytes:
    """Return the key file with the passphrase `other` in place of `passphrase`. Raises:
    LocalError as `open_keyfile` and `new_keyfile` do.
    """
    return new_keyfile(_open_seed(file, passphrase), other, rng, cost)


def _open_seed(file: KeyFile, passphrase: bytes | None) -> bytes:
    """Raises: LocalError."""
    if file.cost is None:
        if passphrase is not None:
            raise LocalError("wrong.identity.not_needed")
        return _check_seed(file.seed, file.fingerprint, _DAMAGED)
    if passphrase is None:
        raise LocalError("wrong.identity.needed")
    try:
        seed = _passphrase_box(passphrase, file.salt, file.cost).unseal(file.seed)
    except ValueError:
        raise LocalError(_WRONG) from None
    return _check_seed(seed, file.fingerprint, _WRONG)


def _check_seed(seed: bytes, name: str, otherwise: str) -> bytes:
    if len(seed) != KEY_SIZE or fingerprint(Identity(seed).public) != name:
        raise LocalError(otherwise)
    return seed


def _passphrase_box(passphrase: bytes, salt: bytes, cost: Cost) -> PassphraseBox:
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
    """Read the lines of a key file. `parse_keyfile` checks that they have their only valid form.

    Raises: ValueError.
    """
    magic, name_line, how, seed_line = text.splitlines()
    name = name_line.removeprefix("fingerprint ")
    seed = b64decode(seed_line.removeprefix("seed "), validate=True)
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
