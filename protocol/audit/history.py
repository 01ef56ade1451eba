"""A log with all its states, for direct access to any entry and to the knowledge of each seat.

    history = MatchHistory(data)
    history.read(2000)             # up to entry 2000, if there is one; without a number all
    history.steps[1234].after      # the fold's state after entry 1234
    history.hand(1234, 2)          # the hand of seat 2 after this entry, as its program saw it
    history.seen_cards(1234, 2)    # the loose cards that seat 2 had seen by then

Hands are computed from later openings. A piece is None as long as the end of its deal has not been
read, and where the dealing opens nothing.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from protocol.audit.knowledge_matrix import apply_entry_facts
from protocol.audit.replay import Replay, Step
from protocol.dealing import DealState
from protocol.dealing.facts import Fact
from protocol.dealing.knowledge import Knowledge, add_later_knowledge
from protocol.dealing.visibility import RevealedHand, RevealedHands, SeenCards
from protocol.games import Piece
from protocol.games.operations import Card
from protocol.games.registry import BUILT_IN, Games
from protocol.match.state import Match, MatchStage


@dataclass
class DealHistory:
    """A deal of a history: its first entry, and its state after each entry since."""

    number: int  # number of the deal, from 0
    first: int
    states: list[DealState] = field(default_factory=list)
    # last entry of the deal; None: no end has been read yet
    last: int | None = None
    # knowledge and facts after each entry, computed on demand
    knowledge: list[tuple[Knowledge | None, tuple[Fact, ...]]] = field(default_factory=list)
    # numbers of the entries in `knowledge` with facts: most entries have none
    fact_entries: list[int] = field(default_factory=list)
    # cache, with the number of states it was computed from
    _revealed_hands: tuple[int, RevealedHands[Any]] | None = None
    # cache, with the number of states it was computed from
    _seen_cards: tuple[int, SeenCards[Any]] | None = None
    # by seat: hand after each entry, computed on demand
    _hands: dict[int, list[RevealedHand]] = field(default_factory=dict)

    def revealed_hands(self, match: Match) -> RevealedHands[Any]:
        """Compute the hands of all seats from the states of the deal; `match` is any state of the
        same log.
        """
        if self._revealed_hands is None or self._revealed_hands[0] != len(self.states):
            self._revealed_hands = len(self.states), match.setup.dealing.revealed_hands(self.states)
            self._hands = {}
        return self._revealed_hands[1]

    def seen_cards(self, match: Match) -> SeenCards[Any]:
        """Compute the loose cards seen by each seat from the states of the deal."""
        if self._seen_cards is None or self._seen_cards[0] != len(self.states):
            self._seen_cards = len(self.states), match.setup.dealing.seen_cards(self.states)
        return self._seen_cards[1]

    def hand(self, steps: Sequence[Step], number: int, seat: int) -> RevealedHand:
        """Return a hand like `MatchHistory.hand`, with the steps of the whole log.

        Each entry is processed only once, even over many calls.
        """
        sight = self.revealed_hands(steps[0].after)
        hands = self._hands.setdefault(seat, [])
        for at in range(self.first + len(hands), number + 1):
            match = steps[at].after
            before = steps[at].before
            if (
                hands
                and before is not None
                and match.deal is before.deal
                and match.stage is before.stage
            ):
                hands.append(hands[-1])
                continue
            looks = (
                match.stage in (MatchStage.DEALING, MatchStage.PLAYING) and seat not in match.gone
            )
            seen = sight(match.deal, seat) if looks else None
            hands.append(seen if seen is not None else hands[-1] if hands else ())
        return hands[number - self.first]


class MatchHistory:
    """The states of one log file, as far as it has been read."""

    def __init__(self, data: bytes, games: Games = BUILT_IN) -> None:
        self.replay = Replay(data, games)
        self._remaining_steps = iter(self.replay)
        self.steps: list[Step] = []
        self.deals: list[DealHistory] = []
        self.is_complete = False  # the whole file has been read

    def read(self, up_to: int | None = None) -> "MatchHistory":
        """Read on, up to the entry with this number; without a number, to the end of the file."""
        while not self.is_complete and (up_to is None or len(self.steps) <= up_to):
            step = next(self._remaining_steps, None)
            if step is None:
                self.is_complete = True
            else:
                self.steps.append(step)
                self._record_deal(step)
        return self

    def deal_at(self, number: int) -> DealHistory | None:
        """Return the deal in progress after this entry."""
        deal = self.steps[number].after.deal
        if deal is not None:
            found = bisect_right(self.deals, number, key=lambda deal: deal.first)
        else:
            found = 0
        return self.deals[found - 1] if found else None

    def knowledge_after(self, number: int) -> tuple[Knowledge | None, tuple[Fact, ...]]:
        """Return the public knowledge about the entry's deal after this entry, and the facts of the
        entry.

        Public knowledge says which party knows which piece, as anybody can infer it from the log.
        Between two deals the result is about the earlier deal.
        """
        begun = bisect_right(self.deals, number, key=lambda deal: deal.first)
        # The entry that ends a deal may begin the next one. It then counts as the last entry of the
        # deal it ends.
        later = begun > 1 and self.deals[begun - 1].first == number
        if begun:
            return self._knowledge_after(self.deals[begun - 1 - later], number)
        return (None, ())

    def _knowledge_after(
        self, deal: DealHistory, number: int
    ) -> tuple[Knowledge | None, tuple[Fact, ...]]:
        """Compute the knowledge from the beginning of the deal up to this entry."""
        while len(deal.knowledge) <= number - deal.first:
            step = self.steps[deal.first + len(deal.knowledge)]
            # the first entry of a deal may also have ended another deal
            before = step.before if deal.knowledge else None
            last = deal.knowledge[-1][0] if deal.knowledge else None
            deal.knowledge.append(apply_entry_facts(last, before, step.entry, step.after))
            deal.fact_entries += [step.number] if deal.knowledge[-1][1] else []
        return deal.knowledge[number - deal.first]

    def knowledge_in_hindsight(self, number: int) -> Knowledge | None:
        """Return `knowledge_after`, completed by later facts about the same deal, as far as it has
        been read.
        """
        known, _ = self.knowledge_after(number)
        if known is None:
            return None
        place = bisect_left(self.deals, known.deal, key=lambda deal: deal.number)
        deal = self.deals[place]
        following = self.deals[place + 1 : place + 2]
        self._knowledge_after(deal, following[0].first if following else len(self.steps) - 1)
        later = deal.fact_entries[bisect_right(deal.fact_entries, number) :]
        return add_later_knowledge(
            known, (fact for at in later for fact in deal.knowledge[at - deal.first][1])
        )

    def hand(self, number: int, seat: int) -> RevealedHand:
        """Return the hand of a seat as its program saw it after this entry.

        The program looks at its hand only when the deal or the stage changes.
        """
        deal = self.deal_at(number)
        if deal is None:
            return ()
        return deal.hand(self.steps, number, seat)

    def seen_cards(self, number: int, seat: int) -> Mapping[Card, Piece | None]:
        """Return the loose cards that a seat had seen after this entry; None for a piece that was
        never opened.
        """
        match = self.steps[number].after
        deal = self.deal_at(number)
        if deal is None or match.deal is None or seat in match.gone:
            return {}
        return deal.seen_cards(match)(match.deal, seat)

    def _record_deal(self, step: Step) -> None:
        """Record whether the step continues a deal, ends one, or begins one."""
        before = step.before
        after = step.after
        number = step.number
        going_on = before is not None and before.deal is not None
        ended = going_on and (after.deal is None or after.deal_number != self.deals[-1].number)
        if ended:
            self.deals[-1].states += [] if after.closed_deal is None else [after.closed_deal]
            self.deals[-1].last = number
        if after.deal is None:
            return
        if ended or not going_on:
            self.deals.append(DealHistory(after.deal_number, number))
        self.deals[-1].states.append(after.deal)
