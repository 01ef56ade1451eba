"""Removal of typed input that a finished program has not read."""

import atexit
import os
import sys


def drop_leftover_input() -> None:
    """Drop, at the end of this program, typed input that was not read: a shell would run it as
    commands.
    """
    atexit.register(_drop)


if sys.platform == "win32":
    import msvcrt

    def _drop() -> None:
        """Read and forget the keys that were pressed: no shell reads them before that."""
        while msvcrt.kbhit():
            msvcrt.getwch()

else:
    import termios

    def _drop() -> None:
        """Only in the foreground: in the background it is somebody else's, and asking for it would
        stop us.
        """
        try:
            descriptor = sys.stdin.fileno()
            if os.isatty(descriptor) and os.tcgetpgrp(descriptor) == os.getpgrp():
                termios.tcflush(descriptor, termios.TCIFLUSH)
        except (AttributeError, OSError, ValueError, termios.error):
            # no standard input, or it is closed
            return
