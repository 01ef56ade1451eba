"""Write the texts: `scripts/run tests.golden [--print] [NAME ...]`. With `--print`, show them
instead.

Only for intended changes. Read the diff before you commit it.
"""

import sys

from tests.golden.files import path_of
from tests.golden.scenarios import SCENARIOS
from tests.golden.tell import told


def main(arguments: list[str]) -> None:
    """Write or print these matches, or all."""
    names = [name for name in arguments if name != "--print"] or list(SCENARIOS)
    for name in names:
        text = told(SCENARIOS[name])
        if "--print" in arguments:
            sys.stdout.write(text)
        else:
            path_of(name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
