"""`fairdeal join` and the other commands of the player."""

import sys

from player.cli import main

sys.exit(main())
