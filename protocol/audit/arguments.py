"""Command lines of `audit`, `show`, `compare` and `clock`."""

from pathlib import Path
from typing import TYPE_CHECKING

from protocol.audit.fairness.arrival_times import SUFFIX as TIMES
from protocol.i18n.argument_errors import WrongArgument
from protocol.i18n.help_parser import HelpParser, HelpText, add_command, help_renderer
from protocol.i18n.language_choice import add_language_flag
from protocol.limits import CLOCK_TOLERANCE_SECONDS
from protocol.match.log_file import SUFFIX
from protocol.match.refusal import SUFFIX as REFUSAL
from protocol.view.phrase import phrase

if TYPE_CHECKING:
    import argparse


HAND_FORMATS = ("phh", "pokerstars")
FILE = phrase("help.log", suffix=f"*{SUFFIX}")
AUDIT_EXAMPLES = (
    (f"fairdeal audit match{SUFFIX}", "help.audit.example.audit"),
    (f"fairdeal audit match{SUFFIX} --json", "help.audit.example.json"),
    (f"fairdeal audit ann{SUFFIX} --compare bob{SUFFIX}", "help.audit.example.compare"),
    (f"fairdeal audit match{SUFFIX} --refusal no{REFUSAL}", "help.audit.example.refusal"),
)
SHOW_EXAMPLES = (
    (f"fairdeal show match{SUFFIX}", "help.show.example.moves"),
    (f"fairdeal show match{SUFFIX} --all", "help.show.example.all"),
    (f"fairdeal show match{SUFFIX} --hands phh", "help.show.example.hands"),
)
PAGE_EXAMPLE = (f"fairdeal show match{SUFFIX} --html match.html", "help.show.example.page")
COMPARE_EXAMPLES = ((f"fairdeal compare ann{SUFFIX} bob{SUFFIX}", "help.compare.example"),)
CLOCK_EXAMPLES = ((f"fairdeal clock ann{SUFFIX} bob{SUFFIX}", "help.clock.example"),)


def add_audit_commands(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", pages: bool
) -> None:
    """Add the commands to the program's other commands. With `pages`, `show` can write a page."""
    made = (
        _add_audit(commands),
        _add_show(commands, pages),
        _add_compare(commands),
        _add_clock(commands),
    )
    for one in made:
        add_language_flag(one)


def _add_audit(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> HelpParser:
    made = add_command(
        commands,
        "audit",
        "help.command.audit",
        description="help.audit.more",
        examples=AUDIT_EXAMPLES,
        ending=_audit_ending,
    )
    made.add_argument("file", type=Path, metavar="FILE", help=HelpText(FILE))
    made.add_argument("--json", action="store_true", help="help.audit.json")
    made.add_argument(
        "--compare",
        type=Path,
        metavar="OTHER",
        help=HelpText(phrase("help.audit.compare", suffix=f"*{TIMES}")),
    )
    made.add_argument(
        "--refusal",
        type=Path,
        metavar="REFUSAL",
        help=HelpText(phrase("help.audit.refusal", suffix=f"*{REFUSAL}")),
    )
    return made


def _audit_ending() -> str:
    say = help_renderer()
    return "\n\n".join(
        [
            say(phrase("help.audit.verdicts")),
            say(phrase("help.audit.two")),
            say(phrase("help.audit.refused")),
            say(phrase("help.audit.exits")),
        ]
    )


def _add_show(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", pages: bool
) -> HelpParser:
    made = add_command(
        commands,
        "show",
        "help.command.show" if pages else "help.show.lines",
        description="help.show.more",
        examples=(*SHOW_EXAMPLES, PAGE_EXAMPLE) if pages else SHOW_EXAMPLES,
        epilog="help.audit.exits",
    )
    made.add_argument("file", type=Path, metavar="FILE", help=HelpText(FILE))
    what = made.add_mutually_exclusive_group()
    what.add_argument("--all", action="store_true", help="help.show.all")
    what.add_argument("--hands", choices=HAND_FORMATS, metavar="FORMAT", help="help.show.hands")
    if pages:
        made.add_argument("--html", type=_page_path, metavar="OUT", help="help.show.html")
    made.set_defaults(html=None)
    return made


def _add_compare(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> HelpParser:
    made = add_command(
        commands,
        "compare",
        "help.command.compare",
        description="help.compare.more",
        examples=COMPARE_EXAMPLES,
        epilog="help.compare.exits",
    )
    made.add_argument("files", type=Path, nargs=2, metavar="FILE", help=HelpText(FILE))
    return made


def _add_clock(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> HelpParser:
    made = add_command(
        commands,
        "clock",
        "help.command.clock",
        description="help.clock.more",
        examples=CLOCK_EXAMPLES,
        epilog=HelpText(phrase("help.clock.next", seconds=CLOCK_TOLERANCE_SECONDS)),
    )
    made.add_argument(
        "files",
        type=Path,
        nargs=2,
        metavar="FILE",
        help=HelpText(phrase("help.clock.files", suffix=f"*{TIMES}")),
    )
    return made


def _page_path(text: str) -> Path:
    """Read the path of a page. A slip must not overwrite a log. Raises: WrongArgument."""
    if not text.lower().endswith((".html", ".htm")):
        raise WrongArgument("usage.suffix", suffix=".html", word=text)
    return Path(text)
