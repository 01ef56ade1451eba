"""Our player with one defect, for tests of the conformance kit: `scripts/run
tests.support.broken_player DEFECT LINK ...`.

A defect removes one check or one reaction. `DEFECTS` lists the cases of the kit that must fail for
each.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

from player.cli.join_command import main
from player.client import endpoints, rule_sets, table_client, table_list, table_match, tail_upload
from player.client.table_protocol import TableProtocol
from player.storage import recovery_state, resumable_matches
from player.storage.agreement import Agreement
from protocol import wire
from protocol.dealing.commutative.seat import CommutativeSeat
from protocol.dealing.layered.seat import LayeredSeat
from protocol.dealing.verified import fold
from protocol.dealing.verified import seat as verified_seat
from protocol.identity import keys as identity
from protocol.match import clock
from protocol.match import fold as match
from protocol.match.log import ENDED, MATCH_ENTRY_SHAPES, Log
from protocol.messages import table as messages
from protocol.session import session
from tests.conformance.broken import games, scripts


class Defect(NamedTuple):
    """A change that breaks the player, and the cases that must notice it (names, or groups as
    `group/*`).
    """

    breaks: Callable[[], None]
    fails: tuple[str, ...]


def _put(where: Any, name: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(where, name, value)


def _nothing(*_: Any, **__: Any) -> None:
    """Replace a check by one that always passes."""


def _own_sign(self: table_client.TableClient) -> bytes:
    """A sign of life that is given whether the table gives any or not."""
    if self.playing is None:
        return b""
    return messages.encode("pong", self.playing.agreement.match_id, messages.SIGN_OF_LIFE)


def _gives_all(match: Any, number: int) -> Any:
    return tail_upload.split_tail(
        number, match.reader.log.chain_hashes[number - 1], match.store.records(number)
    )


def _any_table_key() -> None:
    made = session.Session.__init__

    def init(
        self: Any,
        role: Any,
        own: Any,
        static: Any,
        rng: Any,
        expected: Any = None,
        *a: Any,
        **k: Any,
    ) -> None:
        made(self, role, own, static, rng, None, *a, **k)

    session.Session.__init__ = init  # type: ignore[method-assign]


def _any_role() -> None:
    verify = identity.verify

    def either(public: bytes, signature: bytes, label: str, *fields: Any) -> None:
        try:
            verify(public, signature, label, *fields)
        except session.RemoteError:
            verify(public, signature, session.Role.PLAYER.value, *fields)

    session.identities = type("Identities", (), {**vars(identity), "verify": staticmethod(either)})  # type: ignore[assignment]


def _any_version() -> None:
    receive = TableProtocol.receive

    def broken(self: TableProtocol, payload: bytes) -> messages.Message:
        message = messages.decode(payload, messages.Sender.TABLE, self.phase)
        if message.name == "welcome":
            payload = messages.encode("welcome", messages.VERSION, *message.values[1:])
        return receive(self, payload)

    TableProtocol.receive = broken  # type: ignore[method-assign]


def _any_clock() -> None:
    broken_by = Agreement.broken_by

    def forgiving(self: Agreement, setup: Any, match_id: bytes) -> Any:
        terms = self.terms and self.terms._replace(clock=setup.terms.clock)
        return broken_by(self.__class__(**{**vars(self), "terms": terms}), setup, match_id)

    Agreement.broken_by = forgiving  # type: ignore[method-assign]


def _any_name() -> None:
    broken_by = Agreement.broken_by

    def forgiving(self: Agreement, setup: Any, match_id: bytes) -> Any:
        person = self.person
        if self.seat is not None and self.seat < setup.seats:
            person = person._replace(name=setup.people[self.seat].name)
        return broken_by(self.__class__(**{**vars(self), "person": person}), setup, match_id)

    Agreement.broken_by = forgiving  # type: ignore[method-assign]


def _no_end() -> None:
    del MATCH_ENTRY_SHAPES[ENDED]


def _any_doubt() -> None:
    match.ENTRY_HANDLERS["doubt"] = lambda state, *rest: state


def _any_length() -> None:
    wire._READERS[0xCC] = wire._integer(1, 0)


def _long_listings() -> None:
    row = messages.MESSAGES["tables"]
    messages.MESSAGES["tables"] = row._replace(shape=lambda values: True)


def _leaves_when_refused() -> None:
    refused = table_match.TableMatch.refused

    def leaving(self: table_match.TableMatch, refusal: Any) -> bool:
        if self._pending is not None and self.number <= self._pending.seen_number + 1:
            self._pending, self.leaving = None, True
            return False
        return refused(self, refusal)

    table_match.TableMatch.refused = leaving  # type: ignore[method-assign]


def _no_heads() -> None:
    Log.check_next_head = _nothing  # type: ignore[method-assign]


def _no_protest() -> None:
    wrong = LayeredSeat._wrong_entry

    def silent(self: LayeredSeat, deal: Any) -> None:
        wrong(self, deal)  # the seat learns its pieces in this call

    LayeredSeat._wrong_entry = silent  # type: ignore[method-assign]


def _any_nonce() -> None:
    nonce = match.ENTRY_HANDLERS["nonce"]

    def fitting(state: match.Match, entry: Any, at: int, *rest: Any) -> match.Match:
        made = match.nonce_commitment(state.match_id, entry.author, entry.body[0])
        commitments = (
            *state.commitments[: entry.author],
            made,
            *state.commitments[entry.author + 1 :],
        )
        return nonce(replace(state, commitments=commitments), entry, at, *rest)

    match.ENTRY_HANDLERS["nonce"] = fitting


def _hasty_clock() -> None:
    due = clock.next_clock_entry
    clock.next_clock_entry = lambda *given, **more: due(*given, **more)._replace(after=0)


def _one_key() -> None:
    made = verified_seat.random_scalar(Random(1))
    verified_seat.random_scalar = lambda rng: made


SHUFFLES = (
    "shuffle-without-proof",
    "shuffle-with-a-bit-of-its-proof",
    "shuffle-with-another-face",
    "shuffle-with-a-card-twice",
)
DEFECTS = {
    "leaves-when-refused": Defect(_leaves_when_refused, ("legal-entry-refused",)),
    "no-answers": Defect(lambda: table_client.HANDLERS.update(ping=_nothing), ("question",)),
    "any-table-key": Defect(
        _any_table_key,
        ("table-key-is-not-the-links", "other-table-after-a-break", "moved-to-another-table"),
    ),
    "stays-on-dead-lines": Defect(
        _put(endpoints.Endpoints, "silence_limit", property(lambda self: 1e9)),
        ("table-that-falls-silent",),
    ),
    "leaves-quiet-tables": Defect(
        _put(table_client.TableClient, "sign_of_life", property(_own_sign, _nothing)),
        ("table-that-gives-no-signs",),
    ),
    "gives-no-signs": Defect(
        _put(messages, "SIGN_OF_LIFE", bytes(range(messages.PING))),
        ("table-that-waits-for-signs",),
    ),
    "shows-no-tickets": Defect(
        _put(table_client.TableClient, "ticket", property(_nothing)),
        ("ticket-on-the-way-back", "line-cut-with-a-ticket-under-way"),
    ),
    "loses-tickets": Defect(
        _put(recovery_state.RecoveryState, "ticket", _nothing), ("ticket-after-a-kill",)
    ),
    "stays-where-it-is": Defect(
        lambda: table_client.HANDLERS.update(moved=_nothing),
        ("moved-when-it-joins", "moved-before-closing", "moved-again-and-again"),
    ),
    "goes-anywhere": Defect(
        _put(endpoints, "may_redirect", lambda known, named: True),
        ("moved-to-a-foreign-address", "foreign-address-in-the-welcome"),
    ),
    "goes-for-ever": Defect(_put(endpoints, "HOPS_SECONDS", 0), ("moved-again-and-again",)),
    "one-address": Defect(
        _put(endpoints.Endpoints, "known", property(lambda self: self._link[:1])),
        ("address-of-the-welcome", "address-of-the-link"),
    ),
    "any-role": Defect(_any_role, ("credential-of-a-player",)),
    "any-version": Defect(_any_version, ("another-version",)),
    "any-clock": Defect(_any_clock, ("another-clock",)),
    "any-name": Defect(_any_name, ("another-name-for-the-player",)),
    "any-length": Defect(_any_length, ("integer-longer-than-needed",)),
    "long-listings": Defect(
        _long_listings,
        ("listing-too-long", "listing-with-a-row-too-short", "listing-with-a-match-running-twice"),
    ),
    "no-heads": Defect(_no_heads, ("head-not-signed", "head-of-the-entry-before")),
    "no-nonces": Defect(_any_nonce, ("nonce-that-was-not-committed-to",)),
    "no-protest": Defect(
        _no_protest,
        (
            "pieces-that-do-not-open",
            "pieces-sealed-to-others-slots",
            "drawn-piece-that-does-not-open",
            "hop-that-does-not-open",
            "slots-that-do-not-open",
            "piece-taken-back-into-the-stock",
            "slot-of-the-player-overwritten",
        ),
    ),
    "no-shuffle-proofs": Defect(_put(fold, "check_shuffle", _nothing), SHUFFLES),
    "no-key-proofs": Defect(_put(fold, "check_knowledge", _nothing), ("key-that-nobody-knows",)),
    "hasty-clock": Defect(
        _hasty_clock,
        ("warning-too-early", "lapse-too-early", "lapse-too-soon-after-a-late-warning"),
    ),
    "gives-nothing-back": Defect(
        _put(tail_upload, "split_tail", lambda *_: ()), ("end-of-the-log-that-the-table-has-lost",)
    ),
    "shows-no-head": Defect(
        _put(tail_upload, "newest", _nothing), ("end-of-the-log-that-the-table-has-lost",)
    ),
    "meets-no-claim": Defect(
        _put(table_match.TableMatch, "take_claim", _nothing), ("claims-of-hosts",)
    ),
    "believes-any-claim": Defect(
        _put(table_client, "check_claim", _nothing), ("claim-that-the-table-did-not-sign",)
    ),
    "gives-to-whoever-asks": Defect(
        _put(tail_upload, "give_back", _gives_all), ("end-of-the-log-that-the-table-has-not-lost",)
    ),
    "lost-entries": Defect(
        # also fails in cases where a broken line loses an entry
        _put(table_match.TableMatch, "unanswered", _nothing),
        (
            "entry-lost-with-the-line",
            "player-killed-with-an-entry-under-way",
            "player-killed-before-it-sits-down",
        ),
    ),
    "any-pack": Defect(
        games.takes_any_pack,
        ("pack-with-a-card-twice", "pack-one-card-short", "pack-in-no-envelopes"),
    ),
    "no-protest-at-commutative-dealing": Defect(
        _put(CommutativeSeat, "_read_cards", _nothing),
        ("pack-of-cards-that-are-none", "hand-unwrapped-to-other-cards"),
    ),
    "any-opened-key": Defect(games.believes_keys_that_are_opened, ("key-opened-that-is-another",)),
    "gives-up": Defect(
        games.gives_up_when_a_seat_leaves,
        ("seat-that-leaves", "leave-instead-of-shuffle", "*-while-the-others-go-on"),
    ),
    "one-key-for-all-deals": Defect(_one_key, ("keys-after-a-deal-that-was-dropped",)),
    "any-raise": Defect(games.takes_any_raise, ("raise-of-more-than-one-has",)),
    "no-end-by-the-table": Defect(_no_end, ("match-ended-by-the-table",)),
    "any-doubt": Defect(_any_doubt, ("doubt-about-what-is-no-lapse",)),
    "no-spinner": Defect(games.has_two_ends_only, ("match-with-a-spinner",)),
    "no-fives": Defect(games.counts_no_ends, ("match-of-all-fives",)),
    "no-partners": Defect(games.lets_partners_score_each_for_itself, ("match-of-partners",)),
    "same-blinds": Defect(games.never_raises_the_blinds, ("blinds-that-rise",)),
    "mucks-for-others": Defect(
        games.mucks_for_who_is_silent, ("hand-of-another-that-is-not-shown",)
    ),
    "two-stacks-for-one": Defect(games.sells_two_stacks_for_one, ("stacks-that-are-bought",)),
    "sits-down-by-any-file": Defect(
        _put(table_list, "misfit", _nothing),
        ("file-that-the-player-has-not", "other-file-than-the-named-one"),
    ),
    "trusts-everybody": Defect(
        _put(rule_sets.OfferedRules, "fit", True), ("signed-file-of-a-stranger",)
    ),
    "any-text": Defect(scripts.plays_by_any_text, ("another-text-than-the-named-one",)),
    "any-slot": Defect(
        scripts.believes_what_slots_are_opened_as, ("slot-of-another-opened-as-another",)
    ),
    "no-memory": Defect(
        _put(resumable_matches.ResumableMatches, "at", _nothing), ("player-killed-*",)
    ),
}

if __name__ == "__main__":
    DEFECTS[sys.argv[1]].breaks()
    sys.exit(main(sys.argv[2:]))
