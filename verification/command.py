"""The command `verify`: search a protocol for an attack, and report the verdict."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from textwrap import wrap
from typing import NamedTuple

from protocol.errors import LocalError, Refused
from protocol.limits import MAX_SESSIONS
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Translate, phrase_renderer, sanitize
from verification.engine.verdict import Attack, NoAttack, SearchBound, Verdict, verify
from verification.notation.protocol_parser import decode_protocol
from verification.notation.tokens import NotationError
from verification.protocol_model import Protocol
from verification.protocols.catalog import BUILT_IN_PROTOCOLS
from verification.protocols.loader import load_protocol
from verification.reports.attack_log import write_attack_log
from verification.reports.message_chart import draw_message_chart
from verification.reports.verdict_text import as_object, verdict_lines

# exit codes: no attack, an attack, no decision
NONE = 0
FOUND = 1
UNDECIDED = 3
LINE = 96  # width of the printed list, in characters


class VerifyTools(NamedTuple):
    """Clock, files, terminal and randomness of the calling program. Library code has none of
    these.
    """

    clock: Callable[[], float]  # seconds
    read: Callable[[Path], bytes]  # raises LocalError, and so does `write`
    write: Callable[[Path, bytes], None]
    # replaces the current line of the terminal; an empty line clears it
    progress: Callable[[str], None]
    rng: Random
    translate: Translate


def run_verify(options: argparse.Namespace, tools: VerifyTools) -> int:
    """Search, print the verdict, and return the exit code. Raises: LocalError."""
    if options.list:
        print("\n".join(listing()))
        return NONE
    if options.protocol is None:
        raise LocalError("wrong.verify.which")
    if not 1 <= options.sessions <= MAX_SESSIONS:
        raise LocalError(
            "wrong.verify.sessions", least=1, most=MAX_SESSIONS, given=options.sessions
        )
    if not options.seconds > 0:
        raise LocalError("wrong.verify.seconds", given=f"{options.seconds:g}")
    protocol = _protocol(options.protocol, tools)
    bound = SearchBound(sessions=options.sessions, typed=not options.untyped)
    verdict = _search(protocol, bound, options.seconds, tools)
    say = phrase_renderer(tools.translate, ())
    if options.json:
        print(json.dumps(as_object(verdict, protocol, bound), indent=2, ensure_ascii=False))
    else:
        print("\n".join(say(one) for one in verdict_lines(verdict, protocol, bound)))
    kept = _write_attack(options, protocol, bound, verdict, tools)
    if not options.json:
        print("".join(f"{say(one)}\n" for one in kept), end="")
    if isinstance(verdict, Attack):
        return FOUND
    if isinstance(verdict, NoAttack):
        return NONE
    return UNDECIDED


def listing() -> list[str]:
    """List the built-in protocols with their descriptions."""
    found: list[str] = []
    for shipped in BUILT_IN_PROTOCOLS.values():
        found += [
            shipped.name,
            *wrap(shipped.about, LINE, initial_indent="    ", subsequent_indent="    "),
        ]
    return found


def _protocol(given: str, tools: VerifyTools) -> Protocol:
    if given in BUILT_IN_PROTOCOLS:
        return load_protocol(given)
    path = Path(given)
    if path.is_dir():
        raise LocalError("wrong.verify.folder", name=sanitize(given))
    if not path.exists():
        raise LocalError("wrong.verify.nothing", name=sanitize(given))
    try:
        return decode_protocol(tools.read(path))
    except NotationError as error:
        raise LocalError("wrong.verify.notation", name=sanitize(given), why=error.phrase) from None


def _search(protocol: Protocol, bound: SearchBound, seconds: float, tools: VerifyTools) -> Verdict:
    """Search within `seconds`, and show progress every second."""
    began = tools.clock()
    shown = 0

    def stop() -> bool:
        nonlocal shown
        gone = tools.clock() - began
        if int(gone) > shown:
            shown = int(gone)
            tools.progress(
                phrase_renderer(tools.translate, ())(
                    phrase("verify.progress", seconds=shown, most=int(seconds))
                )
            )
        return gone > seconds

    verdict = verify(protocol, bound, stop)
    if shown:
        tools.progress("")
    return verdict


def _as_match(protocol: Protocol, bound: SearchBound, found: Attack, rng: Random) -> bytes:
    """Write the attack as a log file. Raises: LocalError."""
    try:
        return write_attack_log(protocol, found.trace, bound, rng)
    except Refused:
        raise LocalError("wrong.verify.costly") from None


def _write_attack(
    options: argparse.Namespace,
    protocol: Protocol,
    bound: SearchBound,
    verdict: Verdict,
    tools: VerifyTools,
) -> list[Phrase]:
    """Write the attack to the files named in the options. Return a message for each file. Write
    nothing if the verdict has no attack.
    """
    said: list[Phrase] = []
    if not isinstance(verdict, Attack):
        if options.save or options.svg:
            return [phrase("verify.nothing_kept")]
        return []
    if options.save is not None:
        tools.write(options.save, _as_match(protocol, bound, verdict, tools.rng))
        said.append(phrase("verify.saved", path=sanitize(str(options.save))))
    if options.svg is not None:
        tools.write(
            options.svg,
            draw_message_chart(verdict.trace, phrase_renderer(tools.translate, ())).encode(),
        )
        said.append(phrase("verify.drawn", path=sanitize(str(options.svg))))
    return said
