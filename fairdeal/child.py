"""A program that must not outlive the one that started it: `-m fairdeal.child COMMAND ...`.

Its standard input is a pipe that nobody writes to. When that ends, whoever held the other end has
closed it or is gone, however it went, and the program is told to stop as Ctrl-C would tell it.
"""

import os
import signal
import sys
import threading

from fairdeal.__main__ import main


def end_with_parent() -> None:
    """Wait for the end of standard input; then stop this process politely."""
    while os.read(sys.stdin.fileno(), 4096):
        """Nothing is meant by what comes."""
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=end_with_parent, daemon=True).start()
    sys.exit(main(sys.argv[1:]))
