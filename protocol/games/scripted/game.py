"""Game by a rule file: connects the calls of `protocol.games.Game` with the engine."""

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from typing import Final, TypeVar

from protocol import schema
from protocol.codes import Code
from protocol.crypto.joint_randomness import JointRandomness
from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.games import Act, Action, Game, Hand, MatchBinding, Misplay, Over, Settle, Want
from protocol.games.decks import Face, Mode, match_decks
from protocol.games.decks.accepted_cards import AcceptedCards, accepted_cards
from protocol.games.decks.accepted_lists import NAMES as ACCEPTED_NAMES
from protocol.games.decks.deck_hand import DeckHand
from protocol.games.operations import (
    Lay,
    LookAt,
    OpenCard,
    Operation,
    Pile,
    RevealCards,
    ShuffleCards,
)
from protocol.games.scripted.engine import coin_toss
from protocol.games.scripted.engine.budget import work_limit
from protocol.games.scripted.engine.choice import apply_choice, is_alone, try_choice
from protocol.games.scripted.engine.choices import check_choice, offered_actions
from protocol.games.scripted.engine.effect_loop import (
    apply_answers,
    begin_match,
    end_as_last,
    end_by_error,
    run,
)
from protocol.games.scripted.engine.idle import idle
from protocol.games.scripted.engine.judgement import misplays, unjudged
from protocol.games.scripted.engine.moves import LEAVE
from protocol.games.scripted.engine.state import Effect, ScriptContext, ScriptPhase, ScriptState
from protocol.games.scripted.rule_file.built_in import rule_digest, text_of_digest
from protocol.games.scripted.rule_file.contract import parse_contract, refused
from protocol.limits import (
    MAX_NAME,
    MAX_OPENING,
    MAX_PIECES,
    MAX_RULE_FILE,
    MAX_SCRIPT_ACTIONS,
)
from protocol.options import BadOptions, Values
from protocol.rules import RuleError

NONCE_BYTES = 32  # bytes that a seat contributes to a coin toss
_NUMBER = schema.uint(MAX_PIECES)
_CHOICE = schema.fields(
    schema.text(MAX_NAME), _NUMBER, _NUMBER, _NUMBER, _NUMBER, schema.between(0, MAX_OPENING)
)
_STEPS = {
    "rules": schema.text(MAX_RULE_FILE),
    "toss": schema.exactly(NONCE_BYTES),
    "toss_open": schema.exactly(NONCE_BYTES),
}
T = TypeVar("T")
# options of the spec; all others belong to the rule file
SPEC_OPTIONS = frozenset({"rules", "cards", "mode", *ACCEPTED_NAMES})


class ScriptGame(Game[ScriptState]):
    """Rules by a file, for a number of seats and a set of options. The object has no state of a
    match.
    """

    def __init__(self, name: str, seats: int, values: Values) -> None:
        """Create the rules. Raises: BadOptions if a built-in file does not allow this number of
        seats, or if the limits on cards contradict each other.
        """
        self.name, self.seats = name, seats
        self.rules: Final = str(values["rules"])
        self.options: Final = tuple(
            (key, str(value)) for key, value in values.items() if key not in SPEC_OPTIONS
        )
        self.owned: Final = values.get("cards") == "owned"
        self.mode: Final = Mode(str(values.get("mode", Mode.CLOSING)))
        self.accepted: Final = accepted_cards(values)
        self._kept: tuple[str, ScriptContext] | None = None
        text = text_of_digest(self.rules)
        contract = parse_contract(text) if text else None
        if contract and not contract.seats[0] <= seats <= contract.seats[1]:
            raise BadOptions(
                "unfit.seats", least=contract.seats[0], most=contract.seats[1], seats=seats
            )
        self.pieces: tuple[str, ...] = tuple(map(str, range(1, MAX_PIECES + 1)))
        if contract and not contract.own:
            self.pieces = _card_names(contract.cards)
        pile = Pile(2, loose=True, owner=0 if contract and contract.own else None)
        self.required_operations: tuple[Lay | Operation, ...] = (
            Lay((pile,)),
            ShuffleCards((0, 1)),
            LookAt((0,), (0,)),
            RevealCards((0,)),
            OpenCard(0, 0),
        )

    def table(self, state: ScriptState) -> ScriptContext:
        """Return the context for states of the match, once the text of the rules is in the log.

        The context is cached in this object, for the duration of the match. A program with many
        matches therefore does not read the file again for each entry.
        """
        if self._kept is None or self._kept[0] != state.text:
            self._kept = (
                state.text,
                _script_context(
                    state.text,
                    self.seats,
                    self.options,
                    self.owned,
                    mode=self.mode,
                    accepted=self.accepted,
                ),
            )
        return self._kept[1]

    def start(self, chance: JointRandomness) -> ScriptState:
        """Return the state before the text of the rules is posted."""
        return ScriptState(first=chance.uniform_below(self.seats))

    def bind(self, state: ScriptState, binding: MatchBinding) -> ScriptState:
        """Return the state with the match that all commitments are bound to."""
        return replace(state, bound=binding)

    def brought_text(self, state: ScriptState) -> str:
        return state.text

    def wants(self, state: ScriptState) -> Want:
        """Return the request for the next step of the match."""
        if state.phase is ScriptPhase.OVER:
            return Over()
        if state.phase is ScriptPhase.RULES:
            return Act((min(set(range(self.seats)) - state.out),), automatic=True)
        if state.wanted:
            return state.wanted
        programs = self._programs_due(state)
        if programs:
            return Act(programs, simultaneous=True, automatic=True)
        if state.phase is ScriptPhase.LAY:
            return Lay(self._piles(state))
        if state.phase is ScriptPhase.CLOSE:
            return Settle(())
        ask = state.ask
        assert ask is not None
        # the last of several seats need not have seen what the others have chosen either
        return Act(ask.seats, simultaneous=len(ask.seats) + len(ask.chosen) > 1)

    def _programs_due(self, state: ScriptState) -> tuple[int, ...]:
        """Seats whose programs must post a step before any seat is asked to choose."""
        table = self.table(state)
        if state.toss is not None:
            return coin_toss.seats_due(table, state, state.toss)
        return state.decks.seats_due if state.decks is not None else ()

    def _piles(self, state: ScriptState) -> tuple[Pile, ...]:
        if state.decks is None:
            return (Pile(len(self.table(state).contract.cards), loose=True),)
        return tuple(
            Pile(size, owner=seat, loose=True) for seat, size in enumerate(state.decks.sizes)
        )

    def after_deal(self, state: ScriptState, turned_up: Hand) -> ScriptState:
        """Return the state after the cards were laid, or after operations that the rules asked
        for.
        """
        if state.phase is ScriptPhase.LAY:
            return self._after_lay(state)
        seen = dict(zip(state.showing, turned_up, strict=False))
        pieces = tuple(seen.get(card, old) for card, old in enumerate(state.pieces))
        decks = (
            None
            if state.decks is None
            else match_decks.request_openings(state.decks, seen.values())
        )
        return run(
            self.table(state), replace(state, pieces=pieces, decks=decks, wanted=(), showing=())
        )

    def _after_lay(self, state: ScriptState) -> ScriptState:
        table = self.table(state)
        sizes = tuple(pile.size for pile in self._piles(state))
        zone = table.contract.zone("deck")
        assert zone is not None
        lies: list[tuple[int, ...]] = [()] * len(table.places)
        for seat, size in enumerate(sizes):
            begin = sum(sizes[:seat])
            lies[table.place(zone, seat if table.contract.own else None)] = tuple(
                range(begin, begin + size)
            )
        return begin_match(table, replace(state, lies=tuple(lies), pieces=tuple(range(sum(sizes)))))

    def parse(self, raw: object) -> Action:
        """Convert decoded MessagePack to an action. Raises: `Refused(BAD_ACTION)` if `raw` is no
        action of such a game.
        """
        if type(raw) is not list or not raw or type(raw[0]) is not str:
            raise Refused(Code.BAD_ACTION)
        name, *rest = raw
        if name in match_decks.ACTIONS:
            return match_decks.parse(raw)
        step = _STEPS.get(name)
        if step is not None and schema.fields(step)(rest):
            return (name, rest[0])
        if step is not None or not _CHOICE(raw):
            raise Refused(Code.BAD_ACTION)
        return tuple(raw)

    def check(self, state: ScriptState, seat: int, action: Action) -> tuple[Operation, ...]:
        """Check that the action is legal by public knowledge, and return the operations that it
        needs.

        Raises: Refused if the action is illegal. ProtocolViolation if the opening of a slot or of a
        coin contradicts its commitment.
        """
        want = self.wants(state)
        if not isinstance(want, Act) or seat not in want.seats:
            raise Refused(Code.NOT_YOUR_TURN)
        if want.automatic:
            self._check_step(state, seat, action)
            return ()
        table = self.table(state)
        shown, operations = check_choice(table, state, seat, action)
        if action != LEAVE:
            after = try_choice(table, _begin_action(state), _begin_action(shown), seat, action)
            state.trial[:] = [(seat, action, after)] if is_alone(state, seat) else []
        return operations

    def _check_step(self, state: ScriptState, seat: int, action: Action) -> None:
        if state.phase is ScriptPhase.RULES:
            if action[0] != "rules" or rule_digest(action[1]) != self.rules:
                raise Refused(Code.ILLEGAL_MOVE)
            return
        # a step that makes the rules fail is accepted: `apply` ends the match with this error
        with suppress(RuleError):
            state.trial[:] = [(seat, action, self._apply_step(_begin_action(state), seat, action))]

    def _apply_step(self, state: ScriptState, seat: int, action: Action) -> ScriptState:
        table, name = self.table(state), action[0]
        if state.toss is not None or name in _STEPS:
            if name not in ("toss", "toss_open"):
                raise Refused(Code.ILLEGAL_MOVE)
            return coin_toss.apply_result(table, coin_toss.apply_toss(table, state, seat, action))
        if state.decks is None or name not in match_decks.ACTIONS:
            raise Refused(Code.ILLEGAL_MOVE)
        return run(
            table,
            _after_deck_step(
                replace(state, decks=match_decks.apply(state.decks, seat, action, table.terms))
            ),
        )

    def legal(self, state: ScriptState, seat: int, hand: Hand) -> tuple[Action, ...]:
        """List all legal choices of this seat with this hand. Steps that its program posts by
        itself are not included.
        """
        want = self.wants(state)
        if not isinstance(want, Act) or want.automatic or seat not in want.seats:
            return ()
        return offered_actions(
            self.table(state), state, seat, hand if isinstance(hand, DeckHand) else DeckHand({}, {})
        )

    def apply(self, state: ScriptState, seat: int, action: Action) -> ScriptState:
        """Return the state after an action. The caller has checked the action, and its operations
        are done.

        Rules that go on after `MAX_SCRIPT_ACTIONS` have failed, as by any other error.
        """
        if state.phase is ScriptPhase.PLAY and state.acted >= MAX_SCRIPT_ACTIONS:
            state.trial.clear()
            error = refused("script.long", most=MAX_SCRIPT_ACTIONS)
            return end_by_error(self.table(state), _begin_action(state), error)
        for who, what, after in state.trial:
            if (who, what) == (seat, action):
                # otherwise each stored state would keep all later states in memory
                state.trial.clear()
                return after
        before = _begin_action(state)
        try:
            if state.phase is ScriptPhase.RULES:
                return self._read_rules(before, action[1])
            if state.ask is None or action[0] in match_decks.ACTIONS or action[0] in _STEPS:
                return self._apply_step(before, seat, action)
            if action == LEAVE and state.ask.search is None:
                return idle(self.table(state), before, seat)
            return apply_choice(self.table(state), before, seat, action)
        except RuleError as error:
            return end_by_error(self.table(state) if state.text else None, before, error)

    def _read_rules(self, state: ScriptState, text: str) -> ScriptState:
        contract = parse_contract(text)
        if not contract.seats[0] <= self.seats <= contract.seats[1]:
            raise refused("script.seats", least=contract.seats[0], most=contract.seats[1])
        state = replace(state, text=text, first=state.first if contract.by_chance else 0)
        if not contract.own:
            return replace(state, phase=ScriptPhase.LAY)
        assert state.bound is not None
        return replace(state, phase=ScriptPhase.DECKS, decks=match_decks.new_decks(state.bound))

    def timeout(self, state: ScriptState, seat: int) -> Action | None:
        """Return the action for a seat whose time has run out, if the file defines one. None, also
        if a program has to post a step: the seat counts as having left.
        """
        if (
            state.ask is None
            or seat not in state.ask.seats
            or state.phase is not ScriptPhase.PLAY
            or self._programs_due(state)
        ):
            return None
        return (
            ("timeout",)
            if state.ask.search is not None or self.table(state).contract.has("lapsed")
            else None
        )

    def forfeit(self, state: ScriptState, seat: int) -> ScriptState:
        """Return the state after a seat has left. If only one seat remains, it has won; otherwise
        the others continue.
        """
        if state.phase is ScriptPhase.OVER or seat in state.out:
            raise Refused(Code.NOT_NOW)
        before = state
        state = replace(state, out=state.out | {seat})
        present = tuple(other for other in range(self.seats) if other not in state.out)
        if not present or (len(present) == 1 and not state.text):
            return replace(state, phase=ScriptPhase.OVER, winners=present)
        if state.phase is ScriptPhase.RULES:
            return state
        table = self.table(state)
        if state.decks is not None:
            state = replace(state, decks=match_decks.forfeit(state.decks, seat, table.terms))
        if len(present) == 1:
            return end_as_last(table, state, present)
        if state.phase is ScriptPhase.CLOSE:
            return replace(
                state, winners=tuple(other for other in state.winners or () if other != seat)
            )
        if state.phase is not ScriptPhase.PLAY:
            return state
        asked = None if before.ask is None else before.asked or before.to_keep()
        return _forfeit_seat(table, replace(state, asked=asked), seat)

    def abandon(self, state: ScriptState) -> ScriptState | None:
        """End the match, because no other hand exists that could be dealt.

        If seats have left, those that stayed have won together. Otherwise two seats in collusion
        could leave and take the win from a third seat. If no seat has left, nobody wins.

        A win that was already decided is neither taken away nor shared, unless the actions of the
        winner cannot be judged any more.
        """
        if not state.out:
            return None
        won = tuple(seat for seat in range(self.seats) if seat not in state.out)
        if state.phase is ScriptPhase.CLOSE:
            won = self._confirmed_winners(state, won)
        return replace(
            state,
            phase=ScriptPhase.OVER,
            winners=won,
            queue=(),
            wanted=(),
            showing=(),
            ask=None,
            asked=None,
            toss=None,
            noted=(),
        )

    def _confirmed_winners(self, state: ScriptState, present: tuple[int, ...]) -> tuple[int, ...]:
        """Seats that keep their win if all hands that are still hidden stay hidden."""
        false = {
            wrong.seat for wrong in (misplays(self.table(state), state) if state.noted else ())
        }
        named = tuple(seat for seat in state.winners or () if seat in present)
        clean = tuple(seat for seat in named if seat not in false and not unjudged(state, seat))
        return clean or (tuple(seat for seat in present if seat not in false) if named else ())

    def settle(
        self, state: ScriptState, dealt: tuple[Hand, ...], drawn: tuple[Hand, ...]
    ) -> tuple[ScriptState, tuple[Misplay, ...]]:
        """End the match, and name each seat that did with a hidden hand what the rules do not allow
        with this hand.
        """
        wrong = misplays(self.table(state), state)
        return (
            (replace(state, noted=()), wrong)
            if wrong
            else (replace(state, phase=ScriptPhase.OVER, noted=()), ())
        )

    def scores(self, state: ScriptState) -> tuple[int, ...]:
        """Values of the counter `points` if every seat has one; otherwise 1 for each winner and 0
        for the others.
        """
        counters = self.table(state).contract.counters if state.text else ()
        for (name, each), values in zip(counters, state.counters, strict=False):
            if name == "points" and each:
                return values
        return tuple(int(seat in (state.winners or ())) for seat in range(self.seats))

    def winner(self, state: ScriptState) -> int | None:
        """First of the winning seats; None if all seats have won, or none."""
        won = state.winners or ()
        everybody = len(won) == self.seats
        return won[0] if state.phase is ScriptPhase.OVER and won and not everybody else None

    def team(self, state: ScriptState, seat: int) -> tuple[int, ...]:
        """Seats that have won together with this one."""
        return state.winners or (seat,)


def _begin_action(state: ScriptState) -> ScriptState:
    """Prepare the state for the next action: count it, and clear the sentences that the rules said
    before.
    """
    before = replace(state, acted=state.acted + 1, said=(state.said[0], ()))
    before.idlers.update(state.idlers)
    return before


def _forfeit_seat(table: ScriptContext, state: ScriptState, seat: int) -> ScriptState:
    """Continue the game without a seat that has left. A pending coin is tossed anew, so that a seat
    cannot influence the result by leaving.
    """
    toss, ask = state.toss, state.ask
    if toss is not None:
        nobody = (None,) * table.seats
        toss = replace(toss, number=state.tossed, commitments=nobody, nonces=nobody)
        state = replace(state, toss=toss, tossed=state.tossed + 1)
    kept = () if ask is None else tuple(one for one in ask.chosen if one[0] != seat)
    queue = (*state.queue, Effect(".left", (seat,)))
    state = replace(state, queue=queue, steps=0, spent=0, most=work_limit(len(kept)))
    if ask is not None:
        others = tuple(other for other in ask.seats if other != seat)
        ask = (
            None
            if ask.turn and not others and not kept
            else replace(ask, seats=others, chosen=kept)
        )
        asked = None if ask is None else state.asked
        state = apply_answers(table, replace(state, ask=ask, asked=asked))
    return state if state.wanted or state.toss is not None else run(table, state)


def _after_deck_step(state: ScriptState) -> ScriptState:
    """Continue after a change of the decks: lay the cards once all seats have committed to decks,
    or end the match if a seat declines.
    """
    decks = state.decks
    assert decks is not None
    if decks.declined is not None:
        return replace(state, phase=ScriptPhase.OVER, winners=())
    return (
        replace(state, phase=ScriptPhase.LAY)
        if decks.phase is match_decks.DeckPhase.PLAY and state.phase is ScriptPhase.DECKS
        else state
    )


@lru_cache(64)
def _script_context(
    text: str,
    seats: int,
    options: tuple[tuple[str, str], ...],
    owned: bool,
    *,
    mode: Mode,
    accepted: AcceptedCards,
) -> ScriptContext:
    contract = parse_contract(text)
    apply_choice = dict(options)
    values = {
        option.name: apply_choice.get(option.name, option.choices[0]) for option in contract.options
    }
    terms = match_decks.DeckTerms(
        mode,
        partial(_has_no_objection, contract.deck_errors),
        None if owned else contract.cards,
        fits=partial(_has_no_objection, contract.cards_errors),
        sized=partial(_has_no_objection, contract.size_errors),
        accepted=accepted,
    )
    return ScriptContext(contract, seats, values, terms)


def _has_no_objection(judge: Callable[[T], tuple[str, ...]], what: T) -> bool:
    """Check whether the file has no objection to a deck, some cards or a size. A function that
    fails or takes too many steps counts as an objection: honest programs ask it before they take a
    seat.
    """
    try:
        return not judge(what)
    except RuleError:
        return False


def _card_names(cards: tuple[Face, ...]) -> tuple[str, ...]:
    """Name each card of a pack. Copies get a number, so that all names are different."""
    seen: dict[str, int] = {}
    found = []
    for card in cards:
        name = str(card["name"])
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(found)
