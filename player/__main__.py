"""`python -m player`."""

import sys

from player.cli import main

sys.exit(main())
