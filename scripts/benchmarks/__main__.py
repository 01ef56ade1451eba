"""`scripts/bench`. While this process imports all that is measured, so does the one that others are
forked from.
"""

import sys

from scripts.benchmarks.process import import_ahead

if __name__ == "__main__":
    import_ahead()
    from scripts.benchmarks.command import main

    sys.exit(main())
