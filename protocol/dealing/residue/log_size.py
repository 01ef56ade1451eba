"""Log size of a residue deal, computed in advance; terms that need too much are refused."""

from protocol.crypto.residue import bit_proof, key_proof
from protocol.crypto.residue.cards import DeckForm, piece_bits
from protocol.dealing import DealContext
from protocol.dealing.residue.chunks import shuffle_bytes
from protocol.dealing.residue.options import modulus_bits
from protocol.limits import MAX_CHUNK, MAX_LOG_FILE, MAX_PILE
from protocol.options import BadOptions, Values

# bytes of a deal; the log then has room for a match of at least four hands
MAX_DEAL_BYTES = MAX_LOG_FILE // 4
_ENTRY_OVERHEAD = 300  # bytes of an entry and its head, without the payload
_MIB = 1 << 20


def shuffle_log_bytes(context: DealContext, cards: int) -> int:
    """Return the bytes of log that one seat's shuffle of `cards` cards takes."""
    return _shuffle_bytes(
        cards, context.piece_count, len(context.present), modulus_bits(context.options)
    )


def deal_log_bytes(pieces: int, seats: int, bits: int) -> int:
    """Return the bytes of log of a deal in which every seat shuffles all pieces once.

    The pieces may be in one pile or in several.
    """
    most = min(pieces, MAX_PILE)
    shuffles = seats * _shuffle_bytes(most, pieces, seats, bits) * pieces // max(most, 1)
    keys = seats * (key_proof.proof_size(bits) + _ENTRY_OVERHEAD)
    return shuffles + keys + seats * (bit_proof.proof_size(1 << bits - 1) + _ENTRY_OVERHEAD)


def check_size(options: Values, seats: int, pieces: int) -> None:
    """Check that a deal fits into its share of the log.

    Raises: BadOptions, with the number of seats or pieces that would fit.
    """
    bits = modulus_bits(options)
    size = deal_log_bytes(pieces, seats, bits)
    if size <= MAX_DEAL_BYTES:
        return
    fewer = max(
        (n for n in range(2, seats) if deal_log_bytes(pieces, n, bits) <= MAX_DEAL_BYTES), default=0
    )
    values = {
        "pieces": pieces,
        "seats": seats,
        "size": size // _MIB + 1,
        "most": MAX_DEAL_BYTES // _MIB,
    }
    if fewer:
        raise BadOptions("unfit.residue.seats", fewer=fewer, **values)
    least = max(
        (n for n in range(2, pieces) if deal_log_bytes(n, min(seats, 2), bits) <= MAX_DEAL_BYTES),
        default=2,
    )
    raise BadOptions("unfit.residue.pieces", least=least, **values)


def _shuffle_bytes(cards: int, pieces: int, seats: int, bits: int) -> int:
    size = shuffle_bytes(DeckForm(cards, piece_bits(pieces), (1 << bits - 1,) * seats))
    return size + _ENTRY_OVERHEAD * (1 + size // MAX_CHUNK)
