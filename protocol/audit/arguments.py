"""Command lines of `audit`, `show`, `compare` and `clock`."""

import argparse
from pathlib import Path

from protocol.audit.fairness.arrival_times import SUFFIX as TIMES
from protocol.limits import CLOCK_TOLERANCE_SECONDS
from protocol.match.log_file import SUFFIX
from protocol.match.refusal import SUFFIX as REFUSAL

AUDIT_HELP = f"""\
Replay the whole log and check every signature, every step of the dealing and every move.
Prints one of

  clean       the match is complete and nobody broke a rule: who won, the scores, and who sat
              there. Compare the fingerprints with those of the people you mean: a name is
              only a name.
  fault       somebody did break a rule: who (seats count from 1), in which entry, and how. This
              stays the verdict, whatever follows in the file that cannot be read
  incomplete  nothing wrong as far as it goes, but the end is missing
  unreadable  not a log, or not as it was signed

  not to be judged here   played by rules that are not installed here, or not in this version: nobody is in the wrong

and exits with 0 for clean, 3 for the last, 1 for the others. With --json seats count from 0, and the table
is null.

With --compare OTHER, another seat's copy of the match, each with the *{TIMES} beside it, prints also what
the times of the two say: how long the own entries of each took to come back, and whether one of them
was sent what others posted later. That names nobody, and no exit code tells of it. Of two copies
that agree the one that goes farther is audited, else FILE. What is wrong with OTHER is printed
and changes no verdict.

With --refusal, a table's signed word that it does not take an entry is judged instead, by the log as
it then was: a table that refused what it had to take is named, and exits with 1; 0 if it was right, 3
if its reason is not of the log (its disk, its limits), so that nobody can judge it.
"""
SHOW_HELP = """\
Print a match in readable form: the table and the seats, each move in a line (its entry's number,
who made it, and what it means), what lies on the table after it, hands and scores as they were
opened, and the audit's verdict. With --all every entry has its line, the steps of each deal too.
Exits as audit does.
"""
SHOW_PAGE_HELP = """
With --html, one page is written instead, to be sent to anybody with a browser: the match to scrub
through, from every seat, with what each knew of the pieces as they were dealt. It needs no network
and no program, and the log is in it, so whoever gets it can save that and audit it.
"""
COMPARE_HELP = """\
Compare two copies of one match, say yours and another player's. Prints "same", or that one is
the beginning of the other, and exits with 0. If the table (without a table: a seat) signed two
different entries for one number, prints the proof: two signatures that nobody honest gives.
Then, and when a copy is unreadable, exits with 1.
"""

CLOCK_HELP = f"""\
Hold what the table said about time in a match against what two seats saw. Beside each log file
(*{SUFFIX}) a player's program keeps the times at which entries came (*{TIMES}). For every warning,
extension and lapse, prints how long the table says to have waited and how much time each seat
saw pass, and whether the claim is

  justified      at least one seat saw that much time pass (less {CLOCK_TOLERANCE_SECONDS} s for the network)
  not justified  both seats saw less: the table did not wait, or both seats lie
  open           one saw less, and the other was not there

The files must be of two different seats; who gave them to you is for you to know. Exits with 1
if anything is not justified, else with 0.
"""


def add_audit_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", pages: bool
) -> None:
    """Add the commands to the program's other commands. With `pages`, `show` can write a page."""
    file_help = f"a log file (*{SUFFIX})"
    audit_parser = commands.add_parser(
        "audit", help="say whether anybody cheated, and who", description=AUDIT_HELP
    )
    audit_parser.add_argument("file", type=Path, metavar="FILE", help=file_help)
    audit_parser.add_argument(
        "--refusal",
        type=Path,
        metavar="REFUSAL",
        help=f"judge what the table refused, from a *{REFUSAL} file, instead",
    )
    audit_parser.add_argument(
        "--compare",
        type=Path,
        metavar="OTHER",
        help=f"another seat's copy, with its *{TIMES}: who was told later?",
    )
    audit_parser.add_argument(
        "--json", action="store_true", help="print the verdict as one JSON object"
    )
    show_parser = commands.add_parser(
        "show",
        help="print the match in readable form",
        description=SHOW_HELP + SHOW_PAGE_HELP if pages else SHOW_HELP,
    )
    show_parser.add_argument("file", type=Path, metavar="FILE", help=file_help)
    show_parser.add_argument(
        "--all", action="store_true", help="every entry, and not only what people decided"
    )
    if pages:
        show_parser.add_argument(
            "--html", type=_page_path, metavar="OUT", help="write one page to this file (*.html)"
        )
    show_parser.set_defaults(html=None)
    compare_parser = commands.add_parser(
        "compare",
        help="hold two copies of one match against each other",
        description=COMPARE_HELP,
    )
    compare_parser.add_argument("files", type=Path, nargs=2, metavar="FILE", help=file_help)
    clock_parser = commands.add_parser(
        "clock",
        help="say whether the table waited as long as it claims",
        description=CLOCK_HELP,
    )
    clock_parser.add_argument(
        "files", type=Path, nargs=2, metavar="FILE", help=f"a seat's log file, with its *{TIMES}"
    )


def _page_path(text: str) -> Path:
    """Read the path of a page for argparse. A slip must not overwrite a log. Raises:
    ArgumentTypeError.
    """
    if not text.lower().endswith((".html", ".htm")):
        raise WrongArgument("usage.suffix", suffix=".html", word=text)
    return Path(text)
