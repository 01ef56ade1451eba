"""An auditor that answers line by line, with one defect: `scripts/run tests.support.broken_auditor
DEFECT`. The defect `none` leaves it right.

`DEFECTS` lists the cases of the kit that must fail for each.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from protocol.audit import verdict
from protocol.dealing.commutative import fold as commutative
from protocol.dealing.layered import fold as layered
from protocol.dealing.residue import chunks
from protocol.dealing.seeded import fold as seeded
from protocol.dealing.verified import fold as verified
from protocol.dealing.verified import proven_shares
from protocol.errors import Refused
from protocol.games.decks import evidence, match_decks, slot_commitments
from protocol.games.dominoes.layout import Layout
from protocol.games.dominoes.rules import Dominoes
from protocol.games.dominoes.state import DominoesState
from protocol.games.scripted import game as scripted
from protocol.match import fold, log, log_reader


class Defect(NamedTuple):
    """A change that breaks the auditor, and the cases of which at least one must notice it."""

    breaks: Callable[[], None]
    fails: tuple[str, ...]


def _put(where: Any, name: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(where, name, value)


def _nothing(*_: Any, **__: Any) -> None:
    """Replace a check by one that always passes."""


def _damage_first() -> None:
    order = verdict.ORDER
    verdict.ORDER = (order[0], order[2], order[1], *order[3:])


def _cut_is_clean() -> None:
    verdict.ORDER = tuple(row for row in verdict.ORDER if row[0] is not verdict.Verdict.INCOMPLETE)


def _ignores_refusals() -> None:
    def forgiving(match: Any, entry: Any) -> Any:
        try:
            return fold.apply(match, entry)
        except Refused:
            return match

    log_reader.apply = forgiving


def _table_never_at_fault() -> None:
    fault = log_reader.fault_for_refused
    log_reader.fault_for_refused = lambda match, entry, code: fault(match, entry, code)[1:]


def _author_never_named() -> None:
    fault = log_reader.fault_for_refused
    log_reader.fault_for_refused = lambda match, entry, code: fault(match, entry, code)[:1]


def _any_receipt() -> None:
    def taken(match: Any, entry: Any, *rest: Any) -> Any:
        kept = fold.replace(match, receipts=match.receipts | {entry.author})
        over = kept.receipts >= match.present
        return fold.replace(kept, stage=fold.MatchStage.OVER) if over else kept

    fold.ENTRY_HANDLERS["receipt"] = taken


def _any_handler(handlers: dict[str, Any], kind: str) -> Callable[[], None]:
    """Let faults in entries of this kind pass, without any effect of the entry."""

    def breaks() -> None:
        real = handlers[kind]

        def forgiving(state: Any, *rest: Any) -> Any:
            try:
                return real(state, *rest)
            except CHECK_ERRORS:
                return state

        handlers[kind] = forgiving

    return breaks


def _early() -> None:
    due = fold._clock_due_after

    def at_once(match: Any, seat: int, kind: str) -> Any:
        return None if due(match, seat, kind) is None else 0

    fold._clock_due_after = at_once


def _no_misplay() -> None:
    settle = Dominoes.settle
    Dominoes.settle = lambda self, *rest: (settle(self, *rest)[0], ())  # type: ignore[method-assign]


def _no_last_hand() -> None:
    settle = Dominoes.settle

    def broken(self: Dominoes, state: Any, *rest: Any) -> Any:
        after, wrong = settle(self, fold.replace(state, hand=0), *rest)
        return fold.replace(after, hand=state.hand), wrong

    Dominoes.settle = broken  # type: ignore[method-assign]


def _two_ends_only() -> None:
    Layout.arms = property(lambda self: None)  # type: ignore[assignment]


def _no_reserve() -> None:
    def broken(self: Dominoes, state: DominoesState) -> bool:
        return self.draws and state.stock > 0

    Dominoes.may_draw = broken  # type: ignore[method-assign]


def _any_action() -> None:
    parse = Dominoes.parse
    Dominoes.parse = lambda self, raw: parse(self, raw) if _is_action(raw) else ("pass",)  # type: ignore[method-assign]


def _is_action(raw: object) -> bool:
    return isinstance(raw, list) and bool(raw) and raw[0] in ("play", "draw", "pass", "deny")


def _wrong_scores() -> None:
    data = verdict.report_data

    def rounded(report: Any) -> dict[str, Any]:
        made = data(report)
        for seat in made["seats"]:
            seat["score"] = abs(seat["score"])
        return made

    verdict.report_data = rounded


def _signatures() -> None:
    log.verify = _nothing


def _deaf_to_answers() -> None:
    proven = match_decks._is_proven
    match_decks._is_proven = lambda decks, dispute, more: proven(decks, dispute, ())


CHECK_ERRORS = (fold.ProtocolViolation, fold.RemoteError)

DEFECTS: dict[str, Defect] = {
    "none": Defect(_nothing, ()),
    "damage-before-faults": Defect(_damage_first, ("*-four-zero-bytes-more",)),
    "cut-is-clean": Defect(_cut_is_clean, ("*-cut-after-half",)),
    "ignores-refusals": Defect(_ignores_refusals, ("*-kind-that-there-is-not",)),
    "table-never-at-fault": Defect(_table_never_at_fault, ("*-kind-that-there-is-not",)),
    "author-never-named": Defect(_author_never_named, ("*-move-take-body",)),
    "any-receipt": Defect(_any_receipt, ("*-receipt-body",)),
    "any-nonce": Defect(_any_handler(fold.ENTRY_HANDLERS, "nonce"), ("*-nonce-body",)),
    "early-lapse": Defect(_early, ("nim-lapse-lapse-body",)),
    "no-signatures": Defect(_signatures, ("*-signature-changed",)),
    "no-heads": Defect(_put(log.Log, "check_next_head", _nothing), ("*-head-of-another-entry",)),
    "no-misplay": Defect(_no_misplay, ("*-false-*",)),
    "no-last-hand": Defect(_no_last_hand, ("block-length-honest",)),
    "two-ends-only": Defect(_two_ends_only, ("draw-spinner-honest",)),
    "no-reserve": Defect(_no_reserve, ("draw-spinner-honest",)),
    "any-layer": Defect(_any_handler(layered.ENTRY_HANDLERS, "layer"), ("*-layer-body",)),
    "any-shuffle": Defect(_put(verified, "check_shuffle", _nothing), ("*-shuffle-body",)),
    "any-share": Defect(_put(proven_shares, "check_share", _nothing), ("*-shares-body",)),
    "any-key-proof": Defect(_put(verified, "check_knowledge", _nothing), ("*-key-body",)),
    "any-key-opening": Defect(
        _any_handler(commutative.ENTRY_HANDLERS, "open_key"), ("*-open-key-body",)
    ),
    "any-seed": Defect(_any_handler(seeded.ENTRY_HANDLERS, "open_seed"), ("*-open-seed-body",)),
    "any-owner": Defect(
        _put(slot_commitments, "card_fault", _nothing), ("owned-open-given-away-honest",)
    ),
    "any-copies": Defect(
        _put(match_decks, "_check_no_copy", _nothing), ("owned-open-twice-honest",)
    ),
    "any-card": Defect(
        _put(match_decks, "_check_accepted", _nothing), ("owned-*-not-accepted-honest",)
    ),
    "no-disputes": Defect(
        _put(match_decks, "_is_proven", lambda *_: False), ("owned-open-dispute-lost-honest",)
    ),
    "every-dispute": Defect(
        _put(match_decks, "_is_proven", lambda decks, dispute, more: more == ()),
        ("owned-open-dispute-of-*",),
    ),
    "deaf-to-answers": Defect(_deaf_to_answers, ("owned-open-dispute-answered-honest",)),
    "no-conflicts": Defect(
        _put(evidence, "conflict_proof", lambda *_: ()),
        ("owned-open-dispute-answered-too-late-honest",),
    ),
    "any-size-of-decks": Defect(
        _put(scripted, "_has_no_objection", lambda *_: True), ("owned-hidden-short-honest",)
    ),
    "any-chunk-number": Defect(_put(chunks, "check_numbers", _nothing), ("*-chunk-body",)),
}


def main() -> None:
    """Answer each line of the input with a verdict."""
    DEFECTS[sys.argv[1]].breaks()
    for line in sys.stdin:
        data = Path(json.loads(line)["log"]).read_bytes()
        print(json.dumps(verdict.report_data(verdict.audit(data))), flush=True)


if __name__ == "__main__":
    main()
