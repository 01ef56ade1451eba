"""How often a process of the tests looks for circles among its values.

Matches make frozen values by the thousand, hardly ever in circles, and looking for these is a tenth
of their time.
"""

import gc

GARBAGE = 50_000  # values made since somebody looked for circles among them


def collect_seldom() -> None:
    """From now on look seldom, and never again at what is there already."""
    gc.freeze()
    gc.set_threshold(GARBAGE)
