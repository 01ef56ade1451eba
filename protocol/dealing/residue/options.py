"""Options of residue dealing: the length of the moduli."""

from typing import Final

from protocol.limits import LEAST_RESIDUE_BITS, MAX_RESIDUE_BITS, RESIDUE_BITS
from protocol.options import Option, Values

# For tests only; no default and no number selects this value.
BREAKABLE_BITS: Final = "breakable-512"

OPTIONS = (
    Option(
        name="bits",
        help_key="option.bits",
        default=RESIDUE_BITS,
        choices=(RESIDUE_BITS, MAX_RESIDUE_BITS, BREAKABLE_BITS),
    ),
)


def modulus_bits(options: Values) -> int:
    """Return the length in bits of every seat's modulus m."""
    bits = options.get("bits", RESIDUE_BITS)
    return LEAST_RESIDUE_BITS if bits == BREAKABLE_BITS else int(bits)


def is_breakable(options: Values) -> bool:
    """Check that keys are so short that they protect nothing."""
    return options.get("bits") == BREAKABLE_BITS
