"""`scripts/bench`. The process from which programs are forked imports its modules while this
process imports its own.
"""

import sys

from scripts.benchmarks.process import import_ahead

if __name__ == "__main__":
    import_ahead()
    from scripts.benchmarks.command import main

    sys.exit(main())
