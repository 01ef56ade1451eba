"""Characters that cannot control a terminal or the direction of a text around them (docs/protocol,
5.4.3).
"""

import re

# Control characters, soft hyphen, bidi marks and overrides, joiners, separators, surrogates,
# byte-order mark, tags.
_STEERING = (
    *(
        range(0x00, 0x20),
        range(0x7F, 0xA0),
        range(0xAD, 0xAE),
        range(0x61C, 0x61D),
        range(0x200B, 0x2010),
    ),
    *(range(0x2028, 0x202F), range(0x2060, 0x2070), range(0xD800, 0xE000), range(0xFEFF, 0xFF00)),
    *(range(0xFFF9, 0xFFFC), range(0xE0000, 0xE1000)),
)
_STEERS = re.compile(
    "[" + "".join(f"\\U{span[0]:08x}-\\U{span[-1]:08x}" for span in _STEERING) + "]"
)


def is_safe_to_show(text: str) -> bool:
    """Check that a text cannot control a terminal: no control, format, bidi or surrogate
    characters.

    The fold uses this rule, because its set of code points never changes: every auditor comes to
    the same result.
    """
    return _STEERS.search(text) is None


def first_unsafe(text: str) -> int | None:
    """Return the offset of the first character that is not safe to show; None if there is none."""
    found = _STEERS.search(text)
    return None if found is None else found.start()
