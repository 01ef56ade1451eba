"""What was typed for a program that has ended is not for the shell behind it."""

import atexit
import os
import sys
import termios


def drop_leftover_input() -> None:
    """When this program ends, drop what was typed into its terminal and not read: a shell would run
    it as commands.
    """
    atexit.register(_drop)


def _drop() -> None:
    """Only in the foreground: in the background it is somebody else's, and asking for it would stop
    us.
    """
    try:
        descriptor = sys.stdin.fileno()
        if os.isatty(descriptor) and os.tcgetpgrp(descriptor) == os.getpgrp():
            termios.tcflush(descriptor, termios.TCIFLUSH)
    except (AttributeError, OSError, ValueError, termios.error):
        # no standard input, or it is closed
        return
