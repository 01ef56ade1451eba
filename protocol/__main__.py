"""`python -P -m protocol`: judge logs and files of cards, and check rule files.

Only this module and `protocol.local_files` open files.
"""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from protocol.audit.arguments import add_audit_commands
from protocol.audit.clock_claims import ClaimFinding as Waited
from protocol.audit.clock_claims import clock_claims, clock_lines, judge_claim
from protocol.audit.compare import (
    Comparison,
    DifferentMatches,
    RulesMissing,
    SameLog,
    compare,
    comparison_lines,
    farther,
)
from protocol.audit.fairness.arrival_times import SUFFIX as TIMES
from protocol.audit.fairness.arrival_times import ArrivalTimes, parse_times
from protocol.audit.hand_format import HandFormat
from protocol.audit.refusal_audit import RefusalFinding, judge_refusal, refusal_lines
from protocol.audit.replay import Replay
from protocol.audit.report_text import match_phrase_renderer, report_lines
from protocol.audit.verdict import (
    AuditReport,
    Verdict,
    audit,
    replay_report,
    report_data,
    times_data,
)
from protocol.errors import LocalError, RemoteError
from protocol.games.game_names import no_game
from protocol.games.registry import BUILT_IN, Games
from protocol.games.scripted.arguments import PARTS as RULE_PARTS
from protocol.games.scripted.arguments import RuleSetCommands, add_rules
from protocol.games.scripted.rule_file.built_in import SUFFIX as SUFFIX_OF_RULES
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.games.scripted.spec import ANY_RULE_FILE
from protocol.games.sheet_text import rules_text
from protocol.games.spec import load_object
from protocol.i18n import language_of
from protocol.i18n.help_parser import HelpParser, HelpText, add_commands
from protocol.i18n.language_choice import (
    environment_languages,
    environment_translator,
    take_language_flag,
)
from protocol.i18n.program_output import run_program
from protocol.identity.keys import fingerprint
from protocol.ledger.verify.arguments import add_ledger
from protocol.limits import MAX_TIMES_FILE
from protocol.local_files import read_file, read_log, write_bytes
from protocol.match.log_file import SUFFIX
from protocol.options import BadOptions
from protocol.view.phrase import phrase
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import phrase_renderer, sanitize, translate_phrase

if TYPE_CHECKING:  # each command loads only the modules it needs
    from protocol.audit.fairness.arrival_comparison import ArrivalComparison

# (bytes of a log, name of its file, preferred languages, games) -> HTML
PageRenderer = Callable[[bytes, str, Sequence[str], Games], str]

EXIT_CODES = {Verdict.CLEAN: 0, Verdict.UNJUDGED: 3}  # exit codes; all other verdicts give 1
EXAMPLES = (
    (f"fairdeal audit match{SUFFIX}", "help.audit.example.audit"),
    (f"fairdeal show match{SUFFIX}", "help.show.example.moves"),
    (f"fairdeal compare ann{SUFFIX} bob{SUFFIX}", "help.compare.example"),
)


def make_parser(pages: bool, rule_sets: RuleSetCommands | None = None) -> argparse.ArgumentParser:
    """Return the parser. With `pages`, `show` can write a page; with `rule_sets`, `rules` has
    their parts.
    """
    parser = HelpParser(
        prog="fairdeal",
        description=HelpText(phrase("help.protocol.about", suffix=f"*{SUFFIX}")),
        examples=EXAMPLES,
        epilog="help.audit.exits",
    )
    commands = add_commands(parser)
    add_audit_commands(commands, pages)
    add_ledger(commands)
    add_rules(commands, rule_sets)
    return parser


def main(
    arguments: Sequence[str] | None = None,
    games: Games = BUILT_IN,
    picture: PageRenderer | None = None,
    rule_sets: RuleSetCommands | None = None,
) -> int:
    """Run one command by the rules of `games`, and return the exit status.

    `picture` renders the page of `--html`; without `picture` the option does not exist. So it is
    with the parts of `rules` that `rule_sets` has.
    """
    install_output_fallback()
    options = make_parser(picture is not None, rule_sets).parse_args(
        take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
    )
    try:
        if options.command == "rules":
            status = _rules(options, games, rule_sets)
        else:
            status = _run_command(options, games, picture)
        sys.stdout.flush()
    except LocalError as error:
        print(translate_phrase(error.phrase, environment_translator(os.environ)), file=sys.stderr)
        return 2
    return status


def _run_command(options: argparse.Namespace, games: Games, picture: PageRenderer | None) -> int:
    match options.command:
        case "audit":
            if options.refusal is not None:
                return _judge_refusal(read_log(options.file), read_file(options.refusal), games)
            if options.compare is not None:
                return _audit_both((options.file, options.compare), games, as_object=options.json)
            return _audit(read_log(options.file), games, as_object=options.json)
        case "show" if picture is not None and options.html is not None:
            return _write_page(options, games, picture)
        case "show" if options.hands is not None:
            return _show_hands(read_log(options.file), games, options.hands)
        case "show":
            return _show(read_log(options.file), games, everything=options.all)
        case "clock":
            return _clock(options.files, games)
        case "ledger":
            return _ledger(options)
        case _:
            return _compare(options.files, games)


def _audit(data: bytes, games: Games, *, as_object: bool) -> int:
    report = audit(data, games)
    print(
        json.dumps(report_data(report), indent=2)
        if as_object
        else "\n".join(report_lines(report, environment_translator(os.environ)))
    )
    return EXIT_CODES.get(report.verdict, 1)


def _audit_both(files: tuple[Path, Path], games: Games, *, as_object: bool) -> int:
    """Audit the longer of two seats' copies of one match, and report both seats' arrival times.

    The second copy and the times may come from the culprit. Damage in them must not take the
    verdict away. Raises: LocalError.
    """
    logs = [read_log(path) for path in files]
    result = compare(logs[0], logs[1], games)
    log = logs[farther(result) or 0]
    report = audit(log, games)
    times = None
    wrong = None
    if farther(result) is not None and report.reader is not None:
        try:
            times = _compare_times(report, log, files)
        except LocalError as error:
            wrong = error
    if isinstance(result, SameLog):
        compared = []
    else:
        compared = _comparison_lines(result, files)
    if as_object:
        more = {"times": times and times_data(times), "compared": compared or None}
        print(json.dumps(report_data(report) | more, indent=2))
    else:
        judged = report_lines(report, environment_translator(os.environ))
        print("\n".join([*judged, *_times_lines(report, times), *compared]))
    if wrong is not None:
        print(translate_phrase(wrong.phrase, environment_translator(os.environ)), file=sys.stderr)
    return EXIT_CODES.get(report.verdict, 1) or _compare_status(result) or (2 if wrong else 0)


def _times_lines(report: AuditReport, times: "ArrivalComparison | None") -> list[str]:
    if times is None or report.reader is None:
        return []
    from protocol.audit.fairness.text import arrival_lines

    return arrival_lines(
        times,
        match_phrase_renderer(report.reader.match, translate=environment_translator(os.environ)),
    )


def _compare_times(
    report: AuditReport, log: bytes, files: tuple[Path, Path]
) -> "ArrivalComparison":
    from protocol.audit.fairness.arrival_comparison import (
        compare_arrivals,
        entry_authors,
        seat_of_times,
    )

    assert report.reader is not None
    authors = entry_authors(log)[: report.reader.log.next_number]
    both = (_read_times(files[0]), _read_times(files[1]))
    one, other = (seat_of_times(times, authors) for times in both)
    if one is None or other is None or one == other:
        raise LocalError("wrong.times.seats")
    return compare_arrivals(authors, (one, other), both, report.reader.log.match_id)


def _judge_refusal(log: bytes, kept: bytes, games: Games) -> int:
    finding = judge_refusal(log, kept, games)
    print("\n".join(refusal_lines(finding, log, kept, games, environment_translator(os.environ))))
    if finding is RefusalFinding.RIGHT:
        return 0
    if finding is RefusalFinding.OUTSIDE:
        return EXIT_CODES[Verdict.UNJUDGED]
    return 1


def _show(data: bytes, games: Games, *, everything: bool) -> int:
    from protocol.audit.transcript import replay_lines

    replay = Replay(data, games)
    for line in replay_lines(replay, environment_translator(os.environ), everything=everything):
        print(line)
    return EXIT_CODES.get(replay_report(replay).verdict, 1)


def _show_hands(data: bytes, games: Games, form: str) -> int:
    """Print the finished hands of a match in a format that other programs read."""
    replay = Replay(data, games)
    steps = list(replay)
    if replay.unknown is not None:
        lines = report_lines(replay_report(replay), environment_translator(os.environ))
        print("\n".join(lines), file=sys.stderr)
        return EXIT_CODES[Verdict.UNJUDGED]
    where = steps[0].after.setup.spec.hand_formats if steps else ""
    formats: Mapping[str, HandFormat] = load_object(where) if where else {}
    found = formats.get(form)
    if found is None or not found.fits(steps[0].after):
        raise LocalError("wrong.hands.game", format=form)
    text = found.write(steps)
    for line in text.lines:
        print(line)
    if text.left_out:
        left_out = phrase("show.hands.left_out", count=text.left_out)
        print(translate_phrase(left_out, environment_translator(os.environ)), file=sys.stderr)
    return EXIT_CODES.get(replay_report(replay).verdict, 1)


def _write_page(options: argparse.Namespace, games: Games, picture: PageRenderer) -> int:
    data = read_log(options.file)
    name = sanitize(options.file.name)
    page = picture(data, name, environment_languages(os.environ), games).encode()
    write_bytes(options.html, page)
    report = audit(data, games)
    translate = environment_translator(os.environ)
    written = phrase("replay.file.written", path=str(options.html), kilobytes=len(page) // 1000)
    print("\n".join([phrase_renderer(translate, ())(written), *report_lines(report, translate)]))
    return EXIT_CODES.get(report.verdict, 1)


def _compare(files: Sequence[Path], games: Games) -> int:
    result = compare(read_log(files[0]), read_log(files[1]), games)
    if isinstance(result, DifferentMatches):
        out = sys.stderr
    else:
        out = sys.stdout
    print("\n".join(_comparison_lines(result, files)), file=out)
    return _compare_status(result)


def _comparison_lines(result: Comparison, files: Sequence[Path]) -> list[str]:
    left, right = (sanitize(str(path)) for path in files)
    return comparison_lines(result, (left, right), environment_translator(os.environ))


def _compare_status(result: Comparison) -> int:
    if isinstance(result, DifferentMatches):
        return 2
    if isinstance(result, RulesMissing):
        return EXIT_CODES[Verdict.UNJUDGED]
    return 0 if isinstance(result, SameLog) else 1


def _clock(files: Sequence[Path], games: Games) -> int:
    logs = [read_log(path) for path in files]
    result = compare(logs[0], logs[1], games)
    copy = farther(result)
    if copy is None:
        return _compare(files, games)
    match, found = clock_claims(logs[copy], games)
    if match is None:
        raise LocalError("wrong.clock.no_match")
    if not match.setup.has_table:
        raise LocalError("wrong.clock.no_table")
    times = (_read_times(files[0]), _read_times(files[1]))
    if isinstance(result, SameLog):
        compared = []
    else:
        compared = _comparison_lines(result, files)
    print(
        "\n".join(
            [*clock_lines(match, found, times, environment_translator(os.environ)), *compared]
        )
    )
    if any(judge_claim(claim, times) is Waited.NOT_JUSTIFIED for claim in found):
        return 1
    return _compare_status(result)


def _ledger(options: argparse.Namespace) -> int:
    from protocol.ledger.verify.command import run_ledger

    status, said = run_ledger(options, read_file, environment_translator(os.environ))
    print(said)
    return status


def _rules(options: argparse.Namespace, games: Games, rule_sets: RuleSetCommands | None) -> int:
    """Run a part of `rules`. Raises: LocalError."""
    if options.part == "show":
        stored = None
        if rule_sets is not None and options.game not in games.specs:
            stored = rule_sets.show(options)
        if stored is not None:
            say = phrase_renderer(environment_translator(os.environ), ())
            print("\n".join(map(say, stored)))
            return 0
        return _show_rules(options, games)
    if rule_sets is not None and options.part not in RULE_PARTS:
        return rule_sets.run(options)
    if options.part == "play":
        from protocol.games.scripted.play_test import PlayTestConsole, run_play_test

        return run_play_test(
            options, read_file, environment_translator(os.environ), PlayTestConsole(print, input)
        )
    from protocol.games.scripted.play_test import check_game
    from protocol.rules.command import run_rules

    status, lines = run_rules(options, read_file, environment_translator(os.environ), check_game)
    print("\n".join(lines))
    return status


def _show_rules(options: argparse.Namespace, games: Games) -> int:
    """Print the rules of a game for people, with these options. Raises: LocalError."""
    name, given, brought = options.game, dict(options.option), ""
    if name.endswith(SUFFIX_OF_RULES):
        from protocol.rules.command import decode_rule_file

        brought = decode_rule_file(read_file(Path(name)))
        _print_author(brought)
        name, given = ANY_RULE_FILE, {"rules": rule_digest(brought), **given}
    spec = games.specs.get(name)
    translate = environment_translator(os.environ)
    if spec is None:
        raise no_game(name, games, translate)
    seats = spec.default_seats if options.seats is None else options.seats
    try:
        sheet = spec.rule_sheet(seats, given, language_of(translate), brought)
    except BadOptions as unfit:
        raise LocalError("wrong.unfit", name=name, why=unfit.reason) from None
    columns = shutil.get_terminal_size().columns
    print("\n".join(rules_text(spec, sheet, phrase_renderer(translate, ()), columns)))
    return 0


def _print_author(text: str) -> None:
    """Print who has signed a rule file, if anybody has. Raises: LocalError if the signature is
    another file's.
    """
    from protocol.games.scripted.rule_file.rule_set import is_signed, read_rule_set

    if not is_signed(text):
        return
    try:
        rules = read_rule_set(text)
    except RemoteError as error:
        raise LocalError(
            "wrong.rules.signature", path="*" + SUFFIX_OF_RULES, why=error.phrase
        ) from None
    said = phrase(
        "rule_set.by", author=fingerprint(rules.author), name=rules.name, number=rules.number
    )
    print(phrase_renderer(environment_translator(os.environ), ())(said))


def _read_times(log: Path) -> ArrivalTimes:
    path = log.with_suffix(TIMES)
    # A pipe or a device might never end, and the file comes from somebody else.
    if not path.is_file():
        raise LocalError("wrong.times.missing", path=str(path))
    if path.stat().st_size > MAX_TIMES_FILE:
        raise LocalError("wrong.times.damaged")
    return parse_times(read_file(path).decode("ascii", "replace"))


if __name__ == "__main__":
    sys.exit(run_program(main))
