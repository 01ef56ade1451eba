"""Lists of the matches that a person has played, the newest first.

The list reads only the first entry of each log. It contains a stranger's texts, unchecked. The
audit of a log, on demand, reads and checks all of it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from player.presenter.match_data import harmless
from player.ui.web.home.log_files import is_against_bots, log_files, time_of
from player.ui.web.home.match_facts import OwnPerson, Player, hand_formats
from player.ui.web.home.statistics import OwnMatch
from protocol.audit.replay import Replay
from protocol.audit.report_text import verdict_lines
from protocol.audit.verdict import Verdict, audit
from protocol.errors import FairdealError, LocalError
from protocol.games.registry import Games
from protocol.identity.keys import fingerprint
from protocol.limits import FRAME_HEADER, HISTORY_LOGS, MAX_FRAME
from protocol.local_files import read_log
from protocol.match.log import decode_entry
from protocol.match.log_file import MAGIC, read_records
from protocol.match.setup import Setup, read_setup
from protocol.view.text import Translate

FIRST_RECORD = len(MAGIC) + FRAME_HEADER + MAX_FRAME  # bytes that contain the first entry


def match_history(
    data: Path, games: Games, own: OwnPerson, unfinished: Mapping[Path, str]
) -> list[dict[str, Any]]:
    """Return the newest matches. A file that is no log is one without a game. `unfinished` has the
    names of matches that can go on, by their logs.
    """
    return [
        _row(name, path, games, own) | {"continue": unfinished.get(path.resolve())}
        for name, path in log_files(data)[:HISTORY_LOGS]
    ]


def log_verdict(path: Path, games: Games, translate: Translate) -> dict[str, Any]:
    """Audit a log. Raises: LocalError if it cannot be read."""
    report = audit(read_log(path), games)
    lines = [line.strip() for line in verdict_lines(report, translate)]
    return {
        "clean": report.verdict is Verdict.CLEAN,
        "fault": report.verdict is Verdict.FAULT,
        "lines": harmless(lines),
    }


def hands_text(path: Path, games: Games, form: str) -> str:
    """Return the finished hands of a log in a format. Raises: LocalError if there is no such
    format of its game.
    """
    steps = list(Replay(read_log(path), games))
    found = hand_formats(steps[0].after).get(form) if steps else None
    if found is None or not found.fits(steps[0].after):
        raise LocalError("home.no_format")
    return "".join(f"{line}\n" for line in found.write(steps).lines)


def result_row(match: OwnMatch) -> dict[str, Any]:
    """Return the result of a match for the page."""
    facts = match.facts
    names = [player.name for player in facts.players]
    row = {
        "log": match.log,
        "result": match.result.value,
        "own": match.seat,
        "left": match.seat in facts.gone,
        "winners": [names[seat] for seat in facts.winners],
        "scores": [[name, score] for name, score in zip(names, facts.scores, strict=True)],
        "clean": facts.is_clean,
        "formats": list(facts.formats),
    }
    return harmless(row)  # type: ignore[no-any-return]


def _row(name: str, path: Path, games: Games, own: OwnPerson) -> dict[str, Any]:
    row = {
        "log": name,
        "changed": int(time_of(path)),
        "game": None,
        "people": [],
        "bots": is_against_bots(name),
    }
    setup = _setup(path, games)
    if setup is None:
        return harmless(row)  # type: ignore[no-any-return]
    others = _others(setup, own)
    people = [{"name": player.name, "key": player.fingerprint} for player in others]
    known = row | {"game": setup.terms.game.name, "people": people}
    return harmless(known)  # type: ignore[no-any-return]


def _others(setup: Setup, own: OwnPerson) -> list[Player]:
    players = [Player(person.name, fingerprint(person.identity)) for person in setup.people]
    return [
        player
        for player in players
        if player.name not in own.names and player.fingerprint != own.fingerprint
    ]


def _setup(path: Path, games: Games) -> Setup | None:
    """Return the setup in the first entry; None if it cannot be read."""
    try:
        with path.open("rb") as file:
            first = next(read_records(file.read(FIRST_RECORD)), None)
        if first is None:
            return None
        return read_setup(decode_entry(first.entry).body, games)
    except (OSError, FairdealError):
        return None
