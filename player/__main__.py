"""`fairdeal join` and the other commands of the player."""

import sys

from player.cli.join_command import main
from protocol.i18n.program_output import run_program

sys.exit(run_program(main))
