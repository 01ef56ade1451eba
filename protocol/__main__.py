"""`python -m protocol`: judge logs, search protocols for attacks. The only place here with files and a clock."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from random import SystemRandom

from protocol.audit.claimed_waits import Finding as Waited
from protocol.audit.claimed_waits import claims, clock_lines, judge
from protocol.audit.compare import Alike, Unjudged, Unlike, compare, comparison_lines
from protocol.audit.fairness.arrivals import SideBySide, authors_of, own_seat, side_by_side
from protocol.audit.fairness.times import SUFFIX as TIMES
from protocol.audit.fairness.times import Times, parse_times
from protocol.audit.fairness.words import times_lines
from protocol.audit.refused import Finding, judge_refusal, refusal_lines
from protocol.audit.replay import Replay
from protocol.audit.report import describe, say_of
from protocol.audit.show import lines_of
from protocol.audit.verdict import Report, Verdict, as_json, audit, report_of, times_data
from protocol.errors import LocalError
from protocol.findings.command import UNDECIDED, Tools, add_verify, run_verify
from protocol.games.registry import BUILT_IN, Games
from protocol.games.scripted.reading.contract import contract_of
from protocol.games.scripted.trying import Console, add_trial, run_trial
from protocol.ledger.verify.command import add_ledger, run_ledger
from protocol.limits import CLOCK_TOLERANCE_SECONDS, MAX_LOG_FILE, SEARCH_STOP_NODES
from protocol.locale.wishes import add_language, languages_of, own_language, with_language
from protocol.match.logfile import SUFFIX
from protocol.match.refusal import SUFFIX as REFUSAL
from protocol.rules.command import add_rules, run_rules
from protocol.search.command import GIVEN_UP, add_solve, solve_command
from protocol.view.output import show_what_can_be_shown
from protocol.view.phrase import phrase
from protocol.view.words import plain, speaker

Picture = Callable[[bytes, str, Sequence[str], Games], str]  # of a log, its file's name, languages wished for; HTML

CHUNK = 1 << 20  # bytes read at a time

EXIT = {Verdict.CLEAN: 0, Verdict.UNJUDGED: 3}  # exit codes; of all other verdicts: 1
ABOUT = f"""\
Judge a match from its log. Every player's program and every table keeps the log of a match as
one file (*{SUFFIX}): each step signed by who took it, the whole chained and signed by the
table. These commands need nothing but that file. They ask nobody, and they believe nobody.
"""
EXAMPLES = f"""\
examples:
  fairdeal audit match{SUFFIX}           did anybody cheat, and who?
  fairdeal audit match{SUFFIX} --json    the same for programs
  fairdeal show match{SUFFIX}            what happened, move by move (--all: entry by entry)
  fairdeal show match{SUFFIX} --html match.html   the same as a page to send to anybody
  fairdeal compare ann{SUFFIX} bob{SUFFIX}   did the table tell both the same?
  fairdeal clock ann{SUFFIX} bob{SUFFIX}     did the table wait as long as it says?
  fairdeal audit --game-plugin NAME match{SUFFIX}   a game of another distribution, whose code then runs here
                                (every command has that; FAIRDEAL_GAMES=NAME,NAME does the same)

exit status: 0 nothing wrong, 1 something is wrong with the match or its log, 2 wrong usage,
  3 the match is not to be judged here: the rules it was played by are not installed
"""
AUDIT = f"""\
Replay the whole log and check every signature, every step of the dealing and every move.
Prints one of

  clean       the match is complete and nobody broke a rule: who won, the scores, and who sat
              there. Compare the fingerprints with those of the people you mean: a name is
              only a name.
  fault       somebody did break a rule: who (seats count from 1), in which entry, and how
  incomplete  nothing wrong as far as it goes, but the end is missing
  unreadable  not a log, or not as it was signed

  not to be judged here   played by rules that are not installed here, or not in this version: nobody is in the wrong

and exits with 0 for clean, 3 for the last, 1 for the others. With --json seats count from 0, and the table
is null.

With --compare OTHER, another seat's copy of the match, each with the *{TIMES} beside it, prints also what
the times of the two say: how long the own entries of each took to come back, and whether one of them
was sent what others posted later. That names nobody, and no exit code tells of it.

With --refusal, a table's signed word that it does not take an entry is judged instead, by the log as
it then was: a table that refused what it had to take is named, and exits with 1; 0 if it was right, 3
if its reason is not of the log (its disk, its limits), so that nobody can judge it.
"""
SHOW = """\
Print a match in readable form: the table and the seats, each move in a line (its entry's number,
who made it, and what it means), what lies on the table after it, hands and scores as they were
opened, and the audit's verdict. With --all every entry has its line, the steps of each deal too.
Exits as audit does.
"""
SHOW_PAGE = """
With --html, one page is written instead, to be sent to anybody with a browser: the match to scrub
through, from every seat, with what each knew of the pieces as they were dealt. It needs no network
and no program, and the log is in it, so whoever gets it can save that and audit it.
"""
COMPARE = """\
Compare two copies of one match, say yours and another player's. Prints "same", or that one is
the beginning of the other, and exits with 0. If the table (without a table: a seat) signed two
different entries for one number, prints the proof: two signatures that nobody honest gives.
Then, and when a copy is unreadable, exits with 1.
"""

CLOCK = f"""\
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


def _parser(pages: bool, games: Games) -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="fairdeal", description=ABOUT, epilog=EXAMPLES, formatter_class=raw)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    file_help = f"a log file (*{SUFFIX})"
    audit_parser = commands.add_parser(
        "audit", help="say whether anybody cheated, and who", description=AUDIT, formatter_class=raw
    )
    audit_parser.add_argument("file", type=Path, metavar="FILE", help=file_help)
    audit_parser.add_argument(
        "--refusal", type=Path, metavar="REFUSAL", help=f"judge what the table refused, from a *{REFUSAL} file, instead"
    )
    audit_parser.add_argument(
        "--compare", type=Path, metavar="OTHER", help=f"another seat's copy, with its *{TIMES}: who was told later?"
    )
    audit_parser.add_argument("--json", action="store_true", help="print the verdict as one JSON object")
    show_parser = commands.add_parser(
        "show", help="print the match in readable form", formatter_class=raw,
        description=SHOW + SHOW_PAGE if pages else SHOW,
    )  # fmt: skip
    show_parser.add_argument("file", type=Path, metavar="FILE", help=file_help)
    show_parser.add_argument("--all", action="store_true", help="every entry, and not only what people decided")
    if pages:
        show_parser.add_argument("--html", type=_page, metavar="OUT", help="write one page to this file (*.html)")
    show_parser.set_defaults(html=None)
    compare_parser = commands.add_parser(
        "compare", help="hold two copies of one match against each other", description=COMPARE, formatter_class=raw
    )
    compare_parser.add_argument("files", type=Path, nargs=2, metavar="FILE", help=file_help)
    clock_parser = commands.add_parser(
        "clock", help="say whether the table waited as long as it claims", description=CLOCK, formatter_class=raw
    )
    clock_parser.add_argument("files", type=Path, nargs=2, metavar="FILE", help=f"a seat's log file, with its *{TIMES}")
    add_verify(commands)
    add_solve(commands, games)
    add_ledger(commands)
    add_trial(add_rules(commands))
    for command in commands.choices.values():
        add_language(command)
    return parser


def _page(text: str) -> Path:
    """For argparse: raises ArgumentTypeError. A slip must not write over a log."""
    if not text.lower().endswith((".html", ".htm")):
        raise argparse.ArgumentTypeError(f"the file of a page ends in .html, and {text} does not")
    return Path(text)


def main(
    arguments: Sequence[str] | None = None,
    games: Games = BUILT_IN,
    picture: Picture | None = None,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Run one command, by the rules of these games, and give the exit status.

    `picture` makes the page of `--html`; `progress` is told now and then how many nodes a search has looked at.
    """
    show_what_can_be_shown()
    options = _parser(picture is not None, games).parse_args(
        with_language(sys.argv[1:] if arguments is None else arguments, os.environ)
    )
    try:
        status = _solve(options, games, progress) if options.command == "solve" else _run(options, games, picture)
        sys.stdout.flush()
    except LocalError as error:
        print(error.said(own_language(os.environ)), file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader (a pager, head) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _run(options: argparse.Namespace, games: Games, picture: Picture | None) -> int:
    match options.command:
        case "audit":
            if options.refusal is not None:
                return _refusal(read_file(options.file), read_file(options.refusal), games)
            if options.compare is not None:
                return _audit_both((options.file, options.compare), games, as_object=options.json)
            return _audit(read_file(options.file), games, as_object=options.json)
        case "show" if picture is not None and options.html is not None:
            return _write_page(options, games, picture)
        case "show":
            return _show(read_file(options.file), games, everything=options.all)
        case "clock":
            return _clock(options.files, games)
        case "verify":
            return _verify(options)
        case "ledger":
            status, said = run_ledger(options, read_file, own_language(os.environ))
            print(said)
            return status
        case "rules" if options.part == "play":
            return run_trial(options, read_file, own_language(os.environ), Console(print, input))
        case "rules":
            status, lines = run_rules(options, read_file, own_language(os.environ), contract_of)
            print("\n".join(lines))
            return status
        case _:
            return _compare(options.files, games)


def _solve(options: argparse.Namespace, games: Games, progress: Callable[[int], None] | None) -> int:
    asked = count()

    def stop() -> bool:
        if progress is not None:
            progress(next(asked) * SEARCH_STOP_NODES)
        return False

    translate = own_language(os.environ)
    try:
        status, lines = solve_command(options, games, translate, _write, stop)
    except KeyboardInterrupt:
        status, lines = GIVEN_UP, [translate("solve.stopped", None)]
    print("\n".join(lines))
    return status


def _write(path: str, text: str) -> None:
    """Raises: LocalError."""
    _write_bytes(Path(path), text.encode())


def _write_bytes(path: Path, data: bytes) -> None:
    """Raises: LocalError."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise LocalError("wrong.file.write", path=str(path), why=str(error.strerror)) from None


def _audit(data: bytes, games: Games, *, as_object: bool) -> int:
    report = audit(data, games)
    print(json.dumps(as_json(report), indent=2) if as_object else "\n".join(describe(report, own_language(os.environ))))
    return EXIT.get(report.verdict, 1)


def _audit_both(files: tuple[Path, Path], games: Games, *, as_object: bool) -> int:
    """The audit of the longer of two seats' copies, and what their times say. Raises: LocalError."""
    left, right = (read_file(path) for path in files)
    result = compare(left, right, games)
    if not isinstance(result, Alike):
        return _compare(files, games)
    log = right if result.longer == 1 else left
    report = audit(log, games)
    if report.reader is None:
        return _audit(log, games, as_object=as_object)
    found, reader = _beside(report, log, files), report.reader
    if as_object:
        print(json.dumps(as_json(report) | {"times": times_data(found)}, indent=2))
    else:
        say = say_of(reader.match, translate=own_language(os.environ))
        print("\n".join([*describe(report, own_language(os.environ)), *times_lines(found, say)]))
    return EXIT.get(report.verdict, 1)


def _beside(report: Report, log: bytes, files: tuple[Path, Path]) -> SideBySide:
    assert report.reader is not None
    authors, both = authors_of(log), (_times(files[0]), _times(files[1]))
    one, other = (own_seat(times, authors) for times in both)
    if one is None or other is None or one == other:
        raise LocalError("wrong.times.seats")
    return side_by_side(authors, (one, other), both, report.reader.log.match_id)


def _refusal(log: bytes, kept: bytes, games: Games) -> int:
    finding = judge_refusal(log, kept, games)
    print("\n".join(refusal_lines(finding, log, kept, games, own_language(os.environ))))
    return 0 if finding is Finding.RIGHT else EXIT[Verdict.UNJUDGED] if finding is Finding.OUTSIDE else 1


def _show(data: bytes, games: Games, *, everything: bool) -> int:
    replay = Replay(data, games)
    for line in lines_of(replay, own_language(os.environ), everything=everything):
        print(line)
    return EXIT.get(report_of(replay).verdict, 1)


def _write_page(options: argparse.Namespace, games: Games, picture: Picture) -> int:
    data, name = read_file(options.file), plain(options.file.name)
    page = picture(data, name, languages_of(os.environ), games).encode()
    _write_bytes(options.html, page)
    report, translate = audit(data, games), own_language(os.environ)
    written = phrase("replay.file.written", path=str(options.html), kilobytes=len(page) // 1000)
    print("\n".join([speaker(translate, ())(written), *describe(report, translate)]))
    return EXIT.get(report.verdict, 1)


def _compare(files: Sequence[Path], games: Games) -> int:
    left, right = files
    result = compare(read_file(left), read_file(right), games)
    lines = comparison_lines(result, (plain(str(left)), plain(str(right))), own_language(os.environ))
    print("\n".join(lines), file=sys.stderr if isinstance(result, Unlike) else sys.stdout)
    if isinstance(result, Unlike):
        return 2
    if isinstance(result, Unjudged):
        return EXIT[Verdict.UNJUDGED]
    return 0 if isinstance(result, Alike) else 1


def _clock(files: Sequence[Path], games: Games) -> int:
    left, right = (read_file(path) for path in files)
    result = compare(left, right, games)
    if not isinstance(result, Alike):
        return _compare(files, games)
    match, found = claims(right if result.longer == 1 else left, games)
    if match is None:
        raise LocalError("wrong.clock.no_match")
    if not match.setup.has_table:
        raise LocalError("wrong.clock.no_table")
    times = (_times(files[0]), _times(files[1]))
    print("\n".join(clock_lines(match, found, times, own_language(os.environ))))
    return 1 if any(judge(claim, times) is Waited.NOT_JUSTIFIED for claim in found) else 0


def _verify(options: argparse.Namespace) -> int:
    try:
        return run_verify(options, _tools())
    except KeyboardInterrupt:
        _progress("")
        print(own_language(os.environ)("solve.stopped", None), file=sys.stderr)
        return UNDECIDED


def _seconds() -> float:
    return os.times().elapsed


def _tools() -> Tools:
    return Tools(_seconds, read_file, _write_bytes, _progress, SystemRandom(), own_language(os.environ))


def _progress(line: str) -> None:
    """Shown to people alone: where standard error is a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def _times(log: Path) -> Times:
    path = log.with_suffix(TIMES)
    if not path.exists():
        raise LocalError("wrong.times.missing", path=str(path))
    return parse_times(read_file(path).decode("ascii", "replace"))


def read_file(path: Path) -> bytes:
    """A file's bytes, never more than a log can have. Raises: LocalError that says what to do."""
    name = plain(str(path))
    try:
        with path.open("rb") as file:
            parts, size = [], 0
            while part := file.read(CHUNK):
                size += len(part)
                if size > MAX_LOG_FILE:
                    raise LocalError("wrong.file.large", name=name, suffix=SUFFIX)
                parts.append(part)
            return b"".join(parts)
    except FileNotFoundError:
        raise LocalError("wrong.no_file", name=name, suffix=SUFFIX) from None
    except IsADirectoryError:
        raise LocalError("wrong.file.folder", name=name, suffix=SUFFIX) from None
    except PermissionError:
        raise LocalError("wrong.file.denied", name=name) from None
    except OSError as error:
        raise LocalError("wrong.file.read", name=name, why=str(error.strerror)) from None


if __name__ == "__main__":
    sys.exit(main())
