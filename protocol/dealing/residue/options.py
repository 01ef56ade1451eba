"""What can be set about a residue deal: how long the numbers are that keys are made of."""

from typing import Final

from protocol.limits import LEAST_RESIDUE_BITS, MAX_RESIDUE_BITS, RESIDUE_BITS
from protocol.options import Option, Values

# for tests: nobody gets it who has not asked for it by this name
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
    """The bits of every seat's m."""
    bits = options.get("bits", RESIDUE_BITS)
    return LEAST_RESIDUE_BITS if bits == BREAKABLE_BITS else int(bits)


def is_breakable(options: Values) -> bool:
    """Whether keys are so short that they protect nothing."""
    return options.get("bits") == BREAKABLE_BITS
