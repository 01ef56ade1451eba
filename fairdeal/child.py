"""A program that must not outlive its parent: `-m fairdeal.child COMMAND ...`.

Its standard input is a pipe that nobody writes to. The pipe ends when the parent closes it or is
gone, for whatever reason. Then the program stops as after Ctrl-C.
"""

import os
import signal
import sys
import threading

from fairdeal.__main__ import main


def end_with_parent() -> None:
    """Wait for the end of standard input; then stop this process as Ctrl-C does."""
    while os.read(sys.stdin.fileno(), 4096):
        """Nothing is meant by what comes."""
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=end_with_parent, daemon=True).start()
    sys.exit(main(sys.argv[1:]))
