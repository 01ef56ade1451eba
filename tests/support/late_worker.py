"""A worker that cannot start before the file that its last argument names is there."""

import sys
from pathlib import Path

from table.workers.process import run

if __name__ == "__main__":
    sys.exit(run() if Path(sys.argv.pop()).exists() else 1)
