"""`verify`: search a protocol for an attack, and say what came of it."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from textwrap import wrap
from typing import NamedTuple

from protocol.errors import LocalError, Refused
from protocol.findings.chart import draw
from protocol.findings.replayed import save_attack
from protocol.findings.words import as_object, describe
from protocol.limits import MAX_SESSIONS
from protocol.verification.description import Protocol
from protocol.verification.engine.verdict import Attack, Bound, NoAttack, Verdict, verify
from protocol.verification.notation.parser import decode_protocol
from protocol.verification.notation.tokens import NotationError
from protocol.verification.protocols.parsed import shipped_protocol
from protocol.verification.protocols.table import SHIPPED
from protocol.view.phrase import Phrase, phrase
from protocol.view.words import Translate, plain, speaker

NONE, FOUND, UNDECIDED = 0, 1, 3  # exit codes
LINE = 96  # characters of a line of the list


class Tools(NamedTuple):
    """What only a program has."""

    clock: Callable[[], float]  # seconds
    read: Callable[[Path], bytes]  # raises LocalError, as `write` does
    write: Callable[[Path, bytes], None]
    progress: Callable[[str], None]  # shows a line in the place of the one before; the empty one takes it away
    rng: Random
    translate: Translate


def run_verify(options: argparse.Namespace, tools: Tools) -> int:
    """Search, print, and give the exit code. Raises: LocalError."""
    if options.list:
        print("\n".join(listing()))
        return NONE
    if options.protocol is None:
        raise LocalError("wrong.verify.which")
    if not 1 <= options.sessions <= MAX_SESSIONS:
        raise LocalError("wrong.verify.sessions", least=1, most=MAX_SESSIONS, given=options.sessions)
    if not options.seconds > 0:
        raise LocalError("wrong.verify.seconds", given=f"{options.seconds:g}")
    protocol = _protocol(options.protocol, tools)
    bound = Bound(sessions=options.sessions, typed=not options.untyped)
    verdict = _search(protocol, bound, options.seconds, tools)
    say = speaker(tools.translate, ())
    if options.json:
        print(json.dumps(as_object(verdict, protocol, bound), indent=2, ensure_ascii=False))
    else:
        print("\n".join(say(one) for one in describe(verdict, protocol, bound)))
    kept = _keep(options, protocol, bound, verdict, tools)
    if not options.json:
        print("".join(f"{say(one)}\n" for one in kept), end="")
    return FOUND if isinstance(verdict, Attack) else NONE if isinstance(verdict, NoAttack) else UNDECIDED


def listing() -> list[str]:
    """The protocols that come along, each with what its text says of it."""
    found: list[str] = []
    for shipped in SHIPPED.values():
        found += [shipped.name, *wrap(shipped.about, LINE, initial_indent="    ", subsequent_indent="    ")]
    return found


def _protocol(given: str, tools: Tools) -> Protocol:
    if given in SHIPPED:
        return shipped_protocol(given)
    path = Path(given)
    if path.is_dir():
        raise LocalError("wrong.verify.folder", name=plain(given))
    if not path.exists():
        raise LocalError("wrong.verify.nothing", name=plain(given))
    try:
        return decode_protocol(tools.read(path))
    except NotationError as error:
        raise LocalError("wrong.verify.notation", name=plain(given), why=error.phrase) from None


def _search(protocol: Protocol, bound: Bound, seconds: float, tools: Tools) -> Verdict:
    """Search as long as the clock allows, and show after each second that it goes on."""
    began, shown = tools.clock(), 0

    def stop() -> bool:
        nonlocal shown
        gone = tools.clock() - began
        if int(gone) > shown:
            shown = int(gone)
            tools.progress(speaker(tools.translate, ())(phrase("verify.progress", seconds=shown, most=int(seconds))))
        return gone > seconds

    verdict = verify(protocol, bound, stop)
    if shown:
        tools.progress("")
    return verdict


def _as_match(protocol: Protocol, bound: Bound, found: Attack, rng: Random) -> bytes:
    """The attack as a log file. Raises: LocalError."""
    try:
        return save_attack(protocol, found.trace, bound, rng)
    except Refused:
        raise LocalError("wrong.verify.costly") from None


def _keep(
    options: argparse.Namespace, protocol: Protocol, bound: Bound, verdict: Verdict, tools: Tools
) -> list[Phrase]:
    """Write what was asked for, and say where it is; without an attack there is nothing to write."""
    said: list[Phrase] = []
    if not isinstance(verdict, Attack):
        return [phrase("verify.nothing_kept")] if options.save or options.svg else []
    if options.save is not None:
        tools.write(options.save, _as_match(protocol, bound, verdict, tools.rng))
        said.append(phrase("verify.saved", path=plain(str(options.save))))
    if options.svg is not None:
        tools.write(options.svg, draw(verdict.trace, speaker(tools.translate, ())).encode())
        said.append(phrase("verify.drawn", path=plain(str(options.svg))))
    return said
