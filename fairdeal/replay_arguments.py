"""The command line of `fairdeal replay`."""

import argparse
from pathlib import Path

from commandline.game_plugins import add_plugin_flag
from protocol.i18n.help_parser import HelpParser
from protocol.i18n.language_choice import add_language_flag
from protocol.match.log_file import SUFFIX

DESCRIPTION = """\
Look at a match again, on a page in your browser: scrub through its entries, forwards and
backwards, see the table from any seat with what that seat knew at the time, find each hand and
each fault by its mark, and open "How it is dealt" to see envelopes go round and who knows what.

The log is checked as it is read, all of it: what the page says about faults is what
`fairdeal audit` says. The page is served to this machine alone, as long as this program runs.
"""
EPILOG = f"""\
examples:
  fairdeal replay match{SUFFIX}                          from the beginning
  fairdeal replay ann{SUFFIX} --compare bob{SUFFIX}      and beside another copy of the same match
  fairdeal show match{SUFFIX} --html match.html          the same as one file, to be sent to others

on the page: left and right step by an entry, with Shift by a move; Home and End go to the ends.
"""


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of `fairdeal replay`."""
    made = HelpParser(
        prog="fairdeal replay",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    made.add_argument("file", type=Path, metavar="FILE", help=f"a log file (*{SUFFIX})")
    made.add_argument(
        "--compare", type=Path, metavar="OTHER", help="another copy of it, say another player's"
    )
    made.add_argument(
        "--web-name", metavar="NAME", help="what a proxy of your own calls the page, from afar"
    )
    add_plugin_flag(made)
    add_language_flag(made)
    return made
