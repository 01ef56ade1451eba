"""`fairdeal table`: the host's command line to a table that runs on this machine."""

import argparse
import json
import os
import re
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from commandline.user_folders import user_data
from protocol import wire
from protocol.errors import LocalError, RemoteError
from protocol.i18n.argument_errors import WrongArgument
from protocol.i18n.help_parser import HelpParser, HelpText, add_command, add_commands
from protocol.i18n.language_choice import (
    add_language_flag,
    environment_translator,
    take_language_flag,
)
from protocol.identity.keys import SHORT_LETTERS, short_letters
from protocol.limits import (
    CONTROL_END_SECONDS,
    CONTROL_SECONDS,
    MAX_CONTROL_FRAME,
    MAX_NAME,
    READ_CHUNK,
)
from protocol.messages.lobby import make_remark
from protocol.view.phrase import Phrase, phrase
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import Say, phrase_renderer, translate_phrase
from table.config import MIB
from table.control.messages import (
    MAX_ROWS,
    BanRow,
    ChangedRow,
    ConnectionRow,
    Done,
    Failed,
    HeadRow,
    HostRow,
    MatchRow,
    PrunedKind,
    PrunedThing,
    Request,
    Row,
    TableRow,
    decode_answer,
    encode_request,
)
from table.control.socket_file import SOCKET_FILE
from table.lobby.bans import Target, parse_target
from table.storage.disk.keys import KEY_FILE

DONE, FAILED, USAGE = 0, 1, 2  # exit codes
LONG = ("prune", "backup")  # commands that may take minutes, and need no running table
PRUNED = {
    "finished": "control.pruned.finished",
    "stopped": "control.pruned.stopped",
    "bans": "control.pruned.bans",
}
SHARED = {"store": "control.pruned.store"}  # a kind that a table of several hosts has
FORKED = "forked"  # a kind of which nothing ever goes
SECONDS = {"m": 60, "h": 3600, "d": 86_400}
# by command: its line of help, and what is said when it is done
COMMANDS = {
    "status": ("help.table.status", ""),
    "remove": ("help.table.remove", "control.done.remove"),
    "kick": ("help.table.kick", "control.done.kick"),
    "ban": ("help.table.ban", "control.done.ban"),
    "unban": ("help.table.unban", "control.done.unban"),
    "say": ("help.table.say", "control.done.say"),
    "drain": ("help.table.drain", "control.done.drain"),
    "prune": ("help.table.prune", ""),
    "backup": ("help.table.backup", ""),
    "restore": ("help.table.restore", ""),
    "reload": ("help.table.reload", "control.done.reload"),
    "next-key": ("help.table.next_key", ""),
    "rotate": ("help.table.rotate", ""),
}
EXAMPLES = {
    "status": "fairdeal table status --json",
    "remove": "fairdeal table remove table-3 --end-match",
    "kick": "fairdeal table kick 203.0.113.7",
    "ban": "fairdeal table ban 203.0.113.7 --for 12h",
    "unban": "fairdeal table unban 203.0.113.7",
    "say": "fairdeal table say 'We stop at ten.'",
    "drain": "fairdeal table drain",
    "prune": "fairdeal table prune --older-than 90d --dry-run",
    "backup": "fairdeal table backup table.backup",
    "restore": "fairdeal table restore table.backup --data /var/lib/fairdeal",
    "reload": "fairdeal table reload",
    "next-key": "fairdeal table next-key /media/usb/next.key",
    "rotate": "fairdeal table rotate --next /media/usb/next.key --then /media/usb/after.key",
}
TITLES = {
    "tables": "control.tables",
    "matches": "control.matches",
    "connections": "control.connections",
    "bans": "control.bans",
    "hosts": "control.hosts",
}
PLACES = {
    "greeting": "control.place.greeting",
    "lobby": "control.place.lobby",
    "waiting": "control.place.waiting",
    "seated": "control.place.seated",
    "watching": "control.place.watching",
}
SECTIONS: tuple[tuple[str, type], ...] = (
    ("tables", TableRow),
    ("matches", MatchRow),
    ("connections", ConnectionRow),
    ("bans", BanRow),
    ("hosts", HostRow),
)


class NobodyThere(LocalError):
    """No table listens at the folder."""


def make_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    parser = HelpParser(
        "fairdeal table",
        about="help.table.brief",
        description="help.table.more",
        examples=[("fairdeal table status", ""), (EXAMPLES["ban"], "")],
        epilog="help.table.codes",
    )
    commands = add_commands(parser)
    made = {
        name: add_command(commands, name, text, examples=[(EXAMPLES[name], "")])
        for name, (text, _) in COMMANDS.items()
    }
    made["remove"].add_argument("table", metavar="TABLE", help="help.table.table")
    made["remove"].add_argument("--end-match", action="store_true", help="help.table.end_match")
    for name in ("kick", "ban", "unban"):
        made[name].add_argument("who", metavar="WHO", help="help.table.who")
    made["ban"].add_argument("--for", dest="time", metavar="TIME", help="help.table.for")
    made["drain"].add_argument("--cancel", action="store_true", help="help.table.cancel")
    made["prune"].add_argument("--older-than", metavar="TIME", help="help.table.older")
    made["prune"].add_argument("--keep", metavar="MIB", type=_mib, help="help.table.keep")
    made["prune"].add_argument(
        "--only", choices=sorted(PRUNED), action="append", default=[], help="help.table.only"
    )
    made["prune"].add_argument("--dry-run", action="store_true", help="help.table.dry")
    made["backup"].add_argument("file", metavar="FILE", type=Path, help="help.table.file")
    made["backup"].add_argument("--keep", metavar="N", type=_count, help="help.table.backups")
    made["restore"].add_argument("file", metavar="FILE", type=Path, help="help.table.from")
    made["next-key"].add_argument("file", metavar="FILE", type=Path, help="help.table.next_file")
    made["rotate"].add_argument(
        "--next", metavar="FILE", type=Path, required=True, help="help.table.rotate.next"
    )
    made["rotate"].add_argument("--then", metavar="FILE", type=Path, help="help.table.rotate.then")
    for name in ("next-key", "rotate"):
        made[name].add_argument(
            "--key",
            metavar="FILE",
            type=Path,
            help=HelpText(phrase("help.table.key", usual=f"DIR/{KEY_FILE}")),
        )
    made["say"].add_argument("line", metavar="LINE", nargs="+", help="help.table.line")
    data = user_data() / "table"
    for each in made.values():
        each.add_argument(
            "--data",
            type=Path,
            default=data,
            metavar="DIR",
            help=HelpText(phrase("help.table.data", usual=str(data))),
        )
        each.add_argument("--json", action="store_true", help="help.table.json")
        add_language_flag(each)
    made["status"].add_argument("--verbose", action="store_true", help="help.table.verbose")
    return parser


def make_request(options: argparse.Namespace, present: Callable[[], Iterable[Row]]) -> Request:
    """Return what the command line asks for. `present` returns the status, in which a name is looked
    up. Raises: LocalError.
    """
    match options.command:
        case "remove":
            return Request("remove", [options.table, options.end_match])
        case "unban":
            return Request("unban", [_target(options.who, present, banned=True)])
        case "kick":
            return Request("kick", [_target(options.who, present)])
        case "ban":
            seconds = _seconds(options.time)
            return Request("ban", [_target(options.who, present), seconds])
        case "say":
            return Request("say", [make_remark(" ".join(options.line))])
        case "drain":
            return Request("drain", [not options.cancel])
        case "prune":
            return _prune_request(options)
        case "reload":
            return Request("reload", [])
    return Request("status", [])


def _prune_request(options: argparse.Namespace) -> Request:
    """Raises: LocalError."""
    if options.older_than is None and options.keep is None:
        raise LocalError("wrong.control.limits")
    before = (
        None
        if options.older_than is None
        else max(0, int(time.time()) - _seconds(options.older_than))
    )
    keep = None if options.keep is None else options.keep * MIB
    return Request("prune", [before, keep, sorted(set(options.only)), options.dry_run])


def _mib(said: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", said):
        raise WrongArgument("usage.mib", word=said)
    return int(said)


def _count(said: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,5}", said):
        raise WrongArgument("usage.backups", word=said)
    return int(said)


def _target(who: str, present: Callable[[], Iterable[Row]], *, banned: bool = False) -> str:
    """Return the fingerprint or address that `who` is, or those of the only person with this name:
    of the people here or, with `banned`, of those who are banned. Raises: LocalError; anybody may
    take any name, so two with one name are refused.

    Many names are the first letters of a fingerprint, too: they are if such a key is here or banned.
    """
    target = _written_target(who)
    if target is not None and (not target.is_key or len(target.text) > MAX_NAME):
        return target.text
    try:
        rows = present()
    except NobodyThere:
        if target is None:
            raise
        return target.text
    known: dict[str, str] = {}  # names by fingerprint or address
    for row in rows:
        if isinstance(row, BanRow) and banned:
            known[row.target] = row.name
        elif isinstance(row, ConnectionRow) and not banned and (key := _written_target(row.key)):
            known[key.text] = row.name
    if target is not None and any(Target(each).same_as(target) for each in known):
        return target.text
    wanted = who.strip().casefold()
    found = [each for each, name in known.items() if wanted and name.casefold() == wanted]
    if len(found) > 1:
        named = ", ".join(sorted(map(_shown_target, found)))
        raise LocalError("wrong.control.names", name=who, keys=named)
    if found:
        return found[0]
    if target is not None:
        return target.text
    unknown = "wrong.control.target.banned" if banned else "wrong.control.target"
    raise LocalError(unknown, letters=SHORT_LETTERS)


def _written_target(who: str) -> Target | None:
    """Return the target that the text has the form of; None if it can only be a name."""
    try:
        return parse_target(who)
    except LocalError:
        return None


def _shown_target(target: str) -> str:
    return short_letters(target) if Target(target).is_key else target


def _shown_who(who: str, target: str) -> str:
    """Return a target, with the name by which the host called it."""
    written, shown = _written_target(who), _shown_target(target)
    return shown if written is not None and written.text == target else f"{who} ({shown})"


def _seconds(said: str | None) -> int:
    """Read a time; 0: for good. Raises: LocalError."""
    if said is None:
        return 0
    found = re.fullmatch(r"([1-9][0-9]{0,5})([mhd])", said)
    if found is None:
        raise LocalError("wrong.control.time")
    return int(found[1]) * SECONDS[found[2]]


def do(data: Path, request: Request) -> tuple[list[Row], Done | Failed]:
    """Have the table whose folder this is do what is asked, or do it to its folder if it does not
    run. Raises: LocalError.
    """
    try:
        if request.name == "backup":
            return _fetch_backup(data, Path(request.values[0]))
        return ask(data, request)
    except NobodyThere:
        if request.name not in LONG:
            raise
    # a table's program is much to load, and few commands need it
    from table.control.housekeeping import back_up_folder, order_of, prune_folder

    if request.name == "backup":
        return [], Done(back_up_folder(data, Path(request.values[0])))
    *rows, done = prune_folder(data, order_of(request))
    assert isinstance(done, Done)
    return [row for row in rows if not isinstance(row, Done)], done


def _fetch_backup(data: Path, target: Path) -> tuple[list[Row], Done | Failed]:
    """Have the table write a backup into its own folder, and copy it from there: a table that runs
    as a service may write nowhere else. Raises: NobodyThere, LocalError.
    """
    from table.control.backup import copy_draft, draft_of, new_file, remove_draft

    draft = draft_of(data / "backup")
    try:
        with new_file(target) as file:
            rows, answer = ask(data, Request("backup", [draft.name]))
            if isinstance(answer, Failed):
                raise LocalError(answer.why)
            copy_draft(draft, file)
            return rows, answer
    finally:
        remove_draft(draft)


def ask(data: Path, request: Request) -> tuple[list[Row], Done | Failed]:
    """Ask the table whose folder this is. Raises: NobodyThere, LocalError."""
    path = data / SOCKET_FILE
    if not hasattr(socket, "AF_UNIX"):
        raise LocalError("wrong.control.unix")
    with socket.socket(socket.AF_UNIX) as line:
        # how long a disk takes to prune or to copy nobody knows
        line.settimeout(None if request.name in LONG else CONTROL_SECONDS + CONTROL_END_SECONDS)
        try:
            line.connect(str(path))
            line.sendall(encode_request(request))
        except OSError:
            raise NobodyThere("wrong.control.nobody", path=str(data)) from None
        try:
            return _read(line)
        except RemoteError as error:
            raise LocalError("wrong.control.answer", why=error.phrase) from None
        except OSError:
            raise LocalError("wrong.control.silent") from None


def _read(line: socket.socket) -> tuple[list[Row], Done | Failed]:
    """Raises: RemoteError; LocalError if the table hangs up; OSError."""
    frames, rows = wire.FrameDecoder(MAX_CONTROL_FRAME), list[Row]()
    while chunk := line.recv(READ_CHUNK):
        for frame in frames.feed(chunk):
            answer = decode_answer(frame)
            if isinstance(answer, Done | Failed):
                return rows, answer
            if len(rows) < MAX_ROWS:
                rows.append(answer)
    raise LocalError("wrong.control.silent")


def status_data(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the status for `--json`."""
    (head,) = [row for row in rows if isinstance(row, HeadRow)]
    found: dict[str, list[dict[str, Any]]] = {
        title: [row._asdict() for row in rows if isinstance(row, kind)] for title, kind in SECTIONS
    }
    for match in found["matches"]:
        match["seats"] = [
            {"name": name, "key": key, "connected": here, "left": left}
            for name, key, here, left in match["seats"]
        ]
    return {"head": head._asdict(), **found}


def status_lines(rows: Sequence[Row], say: Say, *, verbose: bool = False) -> Iterator[str]:
    """Describe the status for a person. Names of others steer no terminal. `verbose`: with the
    address, the traffic and the work of each connection.
    """
    for row in rows:
        if isinstance(row, HeadRow):
            yield from map(say, _head_phrases(row))
    for title, kind in SECTIONS:
        found = [row for row in rows if isinstance(row, kind)]
        if title == "hosts" and not found:
            continue
        yield say(phrase(TITLES[title])) + ":"
        if not found:
            yield "  " + say(phrase("control.none")).strip()
        for row in found:
            yield from map(say, _row_phrases(row, verbose))


def _head_phrases(head: HeadRow) -> Iterator[Phrase]:
    since = _time(head.since)
    yield phrase("control.head", name=head.name, version=head.version, since=since)
    yield phrase("control.head.link", link=head.link)
    if head.draining:
        yield phrase("control.head.draining")
    if not head.standby:
        yield phrase("control.head.alone")
    elif head.silent is None:
        yield phrase("control.head.standby.none", address=head.standby)
    else:
        yield phrase("control.head.standby", address=head.standby, seconds=head.silent)


def _row_phrases(row: Row, verbose: bool) -> Iterator[Phrase]:
    match row:
        case TableRow():
            yield phrase(
                "control.table.runs" if row.match else "control.table.free",
                table=row.table,
                game=row.game,
                match=row.match,
                waiting=len(row.waiting),
                seats=row.seats,
                creator=row.creator or phrase("control.the_host"),
            )
        case MatchRow():
            yield phrase(
                "control.match",
                match=row.match,
                table=row.table,
                game=row.game,
                entries=row.entries,
                began=_time(row.began),
                watching=row.watching,
                processor=phrase("control.processor", milliseconds=row.processor),
            )
            for name, key, here, left in row.seats:
                present = "control.seat.here" if here else "control.seat.away"
                yield phrase("control.seat.left" if left else present, name=name, key=key)
        case ConnectionRow():
            told = phrase(
                "control.connection" if verbose else "control.person",
                key=row.key,
                name=row.name,
                address=row.address,
                place=phrase(PLACES.get(row.phase, row.phase), match=row.match),
                seconds=row.seconds,
                minutes=row.seconds // 60,
                frames=row.frames,
                bytes=row.bytes,
                refused=row.refused,
                processor=phrase("control.processor", milliseconds=row.processor),
            )
            yield phrase("control.banned", told=told) if row.banned else told
        case BanRow():
            key = "control.ban" if row.until else "control.ban.good"
            target = _shown_target(row.target)
            if row.name:
                target = f"{row.name} ({target})"
            yield phrase(key, target=target, until=_time(row.until))
        case HostRow():
            yield phrase("control.host", host=row.host, count=row.matches)


def _time(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return str(seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    install_output_fallback()
    translate = environment_translator(os.environ)
    try:
        words = take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
        translate = environment_translator(os.environ)
    except LocalError as error:
        print(translate_phrase(error.phrase, translate), file=sys.stderr)
        return USAGE
    parser = make_parser()
    options = parser.parse_args(words)
    say = phrase_renderer(translate, ())
    if options.command in ON_FOLDER:
        return ON_FOLDER[options.command](options, say)
    if options.command == "backup" and options.keep and not options.file.is_dir():
        parser.error(say(phrase("wrong.backup.keep", path=str(options.file))))
    if options.command == "backup":
        return _back_up(options, say)
    try:
        request = make_request(options, lambda: ask(options.data, Request("status", []))[0])
    except LocalError as error:
        parser.error(translate_phrase(error.phrase, translate))
    try:
        rows, answer = do(options.data, request)
    except LocalError as error:
        rows, answer = [], Failed(error.phrase)
    _print(options, say, request, rows, answer)
    return DONE if isinstance(answer, Done) else FAILED


def _back_up(options: argparse.Namespace, say: Say) -> int:
    """Write a backup to a file or into a folder, and return the exit code."""
    from table.control.backup import has_key
    from table.control.backup_folder import new_backup, remove_old_backups, table_letters

    file, removed = options.file.absolute(), list[Path]()
    try:
        letters = table_letters(options.data) if file.is_dir() else ""
        if letters:
            file = new_backup(file, letters, time.time())
        _, answer = do(options.data, Request("backup", [str(file)]))
        if isinstance(answer, Failed):
            raise LocalError(answer.why)
        if options.keep:
            removed = remove_old_backups(file.parent, letters, options.keep)
    except LocalError as error:
        return _say_failed(options, say, error)
    keyed = has_key(file)
    if options.json:
        told = {"count": answer.number, "has_key": keyed, "file": str(file)}
        print(json.dumps({"done": "backup", **told, "removed": list(map(str, removed))}))
        return DONE
    done = "control.done.backup" if keyed else "control.done.backup.keyless"
    print(say(phrase(done, path=str(file), count=answer.number)))
    for each in removed:
        print(say(phrase("control.done.backup.removed", path=str(each))))
    return DONE


def _restore(options: argparse.Namespace, say: Say) -> int:
    """Restore a backup, and return the exit code."""
    from table.control.backup import restore

    try:
        found = restore(options.file, options.data)
    except LocalError as error:
        return _say_failed(options, say, error)
    if options.json:
        print(json.dumps({"done": "restore", **found._asdict()}))
        return DONE
    told = phrase(
        "control.restored", path=str(options.data), made=_time(found.made), finished=found.finished
    )
    print(say(told))
    print(say(phrase("control.restored.stopped", count=found.stopped)))
    print(say(phrase("control.restored.players")))
    if not found.has_key:
        print(say(phrase("control.restored.key")))
    if found.has_next:
        print(say(phrase("control.restored.rotated")))
    print(say(phrase("control.restored.never")))
    return DONE


def _next_key(options: argparse.Namespace, say: Say) -> int:
    """Commit to the next key, and return the exit code."""
    from table.control.key_rotation import commit_to_next

    try:
        found = commit_to_next(options.data, options.key, options.file)
    except LocalError as error:
        return _say_failed(options, say, error)
    if options.json:
        print(json.dumps({"done": "next-key", **found._asdict()}))
        return DONE
    made = "control.next_key.made" if found.is_new else "control.next_key.found"
    print(say(phrase(made, path=str(options.file), next=found.next)))
    print(say(phrase("control.next_key.keep")))
    return DONE


def _rotate(options: argparse.Namespace, say: Say) -> int:
    """Rotate the table's key, and return the exit code."""
    from table.control.key_rotation import rotate_key

    try:
        found = rotate_key(options.data, options.key, options.next, options.then)
    except LocalError as error:
        return _say_failed(options, say, error)
    if options.json:
        print(json.dumps({"done": "rotate", **found._asdict()}))
        return DONE
    print(say(phrase("control.rotated", old=found.old, new=found.new)))
    placed = "control.rotated.folder" if found.in_folder else "control.rotated.given"
    print(say(phrase(placed, path=str(options.next))))
    if not found.has_next:
        print(say(phrase("control.rotated.no_next")))
    print(say(phrase("control.rotated.link")))
    return DONE


def _say_failed(options: argparse.Namespace, say: Say, error: LocalError) -> int:
    if options.json:
        print(json.dumps({"failed": error.phrase.key, "why": say(error.phrase)}))
    else:
        print(say(error.phrase), file=sys.stderr)
    return FAILED


# commands that work on the folder alone; each returns the exit code
ON_FOLDER: dict[str, Callable[[argparse.Namespace, Say], int]] = {
    "restore": _restore,
    "next-key": _next_key,
    "rotate": _rotate,
}


def pruned_data(rows: Sequence[Row], dry: bool) -> dict[str, Any]:
    """Return what was pruned for `--json`."""
    return {
        "done": "prune",
        "dry": dry,
        "kinds": [row._asdict() for row in rows if isinstance(row, PrunedKind)],
        "things": [row._asdict() for row in rows if isinstance(row, PrunedThing)],
    }


def pruned_lines(rows: Sequence[Row], dry: bool, say: Say) -> Iterator[str]:
    """Describe for a person what goes, and what stays and why."""
    for row in rows:
        if isinstance(row, PrunedThing) and dry:
            yield say(
                phrase(
                    "control.pruned.thing",
                    name=row.name,
                    size=_kib(row.bytes),
                    ended=_time(row.ended),
                )
            )
    for row in rows:
        if isinstance(row, PrunedKind) and row.kind in PRUNED | SHARED:
            yield say(
                phrase(
                    (PRUNED | SHARED)[row.kind],
                    gone=row.gone,
                    size=_kib(row.gone_bytes),
                    left=row.left,
                    left_size=_kib(row.left_bytes),
                )
            )
        elif isinstance(row, PrunedKind) and row.kind == FORKED and row.left:
            yield say(phrase("control.pruned.forked", count=row.left))
    yield say(phrase("control.pruned.stays"))
    yield say(phrase("control.pruned.dry" if dry else "control.pruned.done"))


def _kib(size: int) -> int:
    return -(-size // 1024)


def _print(
    options: argparse.Namespace,
    say: Say,
    request: Request,
    rows: Sequence[Row],
    answer: Done | Failed,
) -> None:
    """Print the answer, for a person or a script."""
    if options.json:
        print(json.dumps(_answer_data(options, say, rows, answer)))
    elif isinstance(answer, Failed):
        print(say(answer.why), file=sys.stderr)
    else:
        # anybody may take any name: the host reads who was meant
        if hasattr(options, "who"):
            print(say(phrase("control.who", who=_shown_who(options.who, request.values[0]))))
        for line in _done_lines(options, say, rows, answer.number):
            print(line)


def _answer_data(
    options: argparse.Namespace, say: Say, rows: Sequence[Row], answer: Done | Failed
) -> dict[str, Any]:
    if isinstance(answer, Failed):
        return {"failed": answer.why.key, "why": say(answer.why)}
    match options.command:
        case "status":
            return status_data(rows)
        case "prune":
            return pruned_data(rows, options.dry_run)
        case "reload":
            return {"done": "reload", "count": answer.number, "changed": _changed(rows)}
    return {"done": options.command, "count": answer.number}


def _done_lines(
    options: argparse.Namespace, say: Say, rows: Sequence[Row], count: int
) -> Iterator[str]:
    match options.command:
        case "status":
            yield from status_lines(rows, say, verbose=options.verbose)
        case "prune":
            yield from pruned_lines(rows, options.dry_run, say)
        case "reload" if keys := _changed(rows):
            yield say(phrase("control.done.reload", count=count, keys=", ".join(keys)))
        case "reload":
            yield say(phrase("control.done.reload.same"))
        case "drain" if options.cancel:
            yield say(phrase("control.done.begins", count=count))
        case command:
            yield say(phrase(COMMANDS[command][1], count=count))


def _changed(rows: Sequence[Row]) -> list[str]:
    return [row.key for row in rows if isinstance(row, ChangedRow)]


if __name__ == "__main__":
    sys.exit(main())
