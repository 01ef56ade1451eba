"""Presenter of a collection: turns records into the view models of `player.cards.card_models`."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from player.cards.card_models import (
    AlarmKind,
    AlarmShown,
    Binder,
    CardShown,
    CreatorShown,
    EditionShown,
    OwnershipState,
    PersonShown,
    PrintShown,
    RunShown,
    StackShown,
    TradeShown,
    TradeValidity,
    TrustMark,
)
from player.cards.card_names import short
from player.cards.collection import CardRecords
from player.storage.contacts import Contact
from protocol.crypto.hashing import digest
from protocol.identity.keys import fingerprint, short_fingerprint
from protocol.identity.names import name_skeleton
from protocol.ledger.alarms import Alarm
from protocol.ledger.record_contents import Attestation, CardType, PrintRun, Trade, Waive
from protocol.ledger.view import Holding

MARKS = {True: TrustMark.TRUSTED, False: TrustMark.DISTRUSTED, None: TrustMark.UNMARKED}
FIRMEST = tuple(OwnershipState)


class CardPresenter:
    """View models of a collection as it is now. `contacts`: people met in matches, by
    fingerprint.
    """

    def __init__(self, collection: CardRecords, contacts: Mapping[str, Contact]) -> None:
        self.collection = collection
        self._contacts = contacts
        self._index = collection.index
        self._view = collection.view
        self._reserved = collection.reserved()

    @cached_property
    def _alarms(self) -> dict[bytes, list[Alarm]]:
        """Alarms by the key that they name."""
        found: dict[bytes, list[Alarm]] = defaultdict(list)
        for alarm in self._view.alarms:
            found[alarm.key].append(alarm)
        return found

    # --- people ---

    def person(self, key: bytes) -> PersonShown:
        """Return the view model of a key."""
        mark = MARKS[self.collection.trust(key)]
        alarms = len(self._alarms[key])
        made = key in self._index.creators
        you = key == self.collection.me
        return PersonShown(
            fingerprint(key),
            short_fingerprint(key),
            self.name(key),
            mark,
            you,
            made,
            alarms,
            made and self._namesakes[name_skeleton(self.name(key))] > 1,
        )

    @cached_property
    def _namesakes(self) -> Counter[str]:
        """Numbers of creators by what their names look like."""
        return Counter(name_skeleton(said.name) for _, said in self._index.creators.values())

    def name(self, key: bytes) -> str:
        """Return the name that a key has as a creator, or else had in its newest match."""
        if key in self._index.creators:
            return self._index.creators[key][1].name
        contact = self._contacts.get(fingerprint(key))
        if contact is not None and contact.names:
            return contact.names[-1]
        return ""

    def people(self) -> dict[bytes, tuple[str, tuple[str, ...]]]:
        """Return the full fingerprint and the known names of every signer."""
        keys = self._index.keys | {self.collection.me}
        return {key: (fingerprint(key), tuple(filter(None, [self.name(key)]))) for key in keys}

    # --- cards ---

    def names(self, instances: Iterable[bytes] | None = None) -> dict[bytes, tuple[str, int]]:
        """Return name and serial of these cards, or of all known cards (None)."""
        index = self._index
        chosen = index.instances if instances is None else instances
        return {
            one: (self._type_name(index.instances[one].type), index.instances[one].serial)
            for one in chosen
        }

    def _type_name(self, kind: bytes) -> str:
        found = self._index.types.get(kind)
        return short(kind) if found is None else found[1].name

    def card(self, instance: bytes) -> CardShown:
        """Return the view model of a card. Raises: KeyError if it is unknown."""
        copy = self._index.instances[instance]
        holding = self._view.holding(instance)
        found = self._index.types.get(copy.type)
        kind = found[1] if found is not None else None
        hands = sum(not self._view.void(trade) for trade in self._index.trades_of[instance])
        if kind is not None and kind.image is not None:
            image = kind.image.hex()
        else:
            image = None
        return CardShown(
            instance.hex(),
            short(instance),
            copy.type.hex(),
            self._type_name(copy.type),
            kind.edition if kind else "",
            kind.text if kind else "",
            kind.values if kind else (),
            image,
            copy.serial,
            kind is not None and kind.frozen,
            kind.revision if kind else 0,
            self.person(copy.creator),
            self.person(holding.owner) if holding is not None else None,
            self._state(instance, holding),
            hands,
            self._is_witnessed(copy.creator),
        )

    def _is_witnessed(self, creator: bytes) -> bool:
        """Return False if the creator is known to name no witness."""
        found = self._index.creators.get(creator)
        return found is None or bool(found[1].witnesses)

    def _state(self, instance: bytes, holding: Holding | None) -> OwnershipState:
        if holding is not None and holding.burnt:
            return OwnershipState.BURNT
        if instance in self._reserved:
            return OwnershipState.RESERVED
        if holding is not None and holding.settled:
            return OwnershipState.SETTLED
        return OwnershipState.HELD

    def binder(self, key: bytes | None = None, edition: str | None = None) -> Binder:
        """Return the cards of `key` (None: of this person), of all editions or of `edition`."""
        owner = self.collection.me if key is None else key
        held = map(self.card, self._view.held_by(owner))
        cards = [
            card
            for card in held
            if edition is None or card.edition.casefold() == edition.casefold()
        ]
        editions: dict[tuple[str, str], list[CardShown]] = defaultdict(list)
        for card in cards:
            editions[card.edition, card.creator.fingerprint].append(card)
        shown = tuple(self._edition(editions[which]) for which in sorted(editions))
        count = {state: sum(card.state is state for card in cards) for state in OwnershipState}
        return Binder(
            self.person(owner),
            shown,
            len(cards),
            count[OwnershipState.SETTLED],
            count[OwnershipState.RESERVED],
            count[OwnershipState.BURNT],
        )

    def mine(self) -> list[CardShown]:
        """Return the cards of this person."""
        return [self.card(one) for one in self._view.held_by(self.collection.me)]

    def _edition(self, cards: list[CardShown]) -> EditionShown:
        stacks: dict[str, list[CardShown]] = defaultdict(list)
        for card in sorted(cards, key=lambda card: (FIRMEST.index(card.state), card.serial)):
            stacks[card.type].append(card)
        first = cards[0]
        creator = self._index.instances[bytes.fromhex(first.id)].creator
        kinds = self._kinds(creator)
        there_are = sum(kind.edition == first.edition for kind in kinds)
        shown = [
            StackShown(kind, some[0].name, some[0].image, tuple(some))
            for kind, some in stacks.items()
        ]
        shown.sort(key=lambda stack: (stack.name.casefold(), stack.type))
        missing = sorted(
            kind.name
            for root, kind in self._kinds_by_root(creator)
            if kind.edition == first.edition and root.hex() not in stacks
        )
        return EditionShown(first.edition, first.creator, tuple(shown), there_are, tuple(missing))

    def _kinds(self, creator: bytes) -> list[CardType]:
        """Return the newest revisions of a creator's types."""
        return [kind for _, kind in self._kinds_by_root(creator)]

    def _kinds_by_root(self, creator: bytes) -> list[tuple[bytes, CardType]]:
        """Return the newest revisions of a creator's types, each with the id of revision 0."""
        types = self._index.types
        roots = self._index.types_of.get(creator, ())
        return [(root, types[root][1]) for root in roots if root in types]

    def printed(self, instance: bytes) -> int:
        """Return the number of copies of this card's type in all runs of its creator that are known
        here.
        """
        copy = self._index.instances[instance]
        return sum(
            count
            for _, run in self._index.runs.get(copy.creator, ())
            for kind, count in run.copies
            if kind == copy.type
        )

    def lost(self) -> tuple[CardShown, ...]:
        """Return the burnt cards that this person got in trades which an alarm has undone."""
        me = self.collection.me
        got = dict.fromkeys(
            one.instance
            for name, trade in self._index.trades.items()
            if me in (trade.a, trade.b) and self._view.void(name)
            for one in trade.transfers
            if trade.giver(one) != me and one.instance in self._index.instances
        )
        cards = map(self.card, got)
        return tuple(
            card
            for card in cards
            if card.state is OwnershipState.BURNT and not (card.owner and card.owner.you)
        )

    # --- trades and alarms ---

    def trade(self, trade_id: bytes) -> TradeShown:
        """Return the view model of a trade. Raises: KeyError if it is unknown."""
        trade = self._index.trades[trade_id]
        one, other = (trade.b, trade.a) if trade.b == self.collection.me else (trade.a, trade.b)
        return TradeShown(
            trade_id.hex(),
            short(trade_id),
            self.person(one),
            self.person(other),
            self._given(trade, one),
            self._given(trade, other),
            self._standing(trade_id),
            bool(self._index.waived.get(trade_id)),
        )

    def _given(self, trade: Trade, giver: bytes) -> tuple[CardShown, ...]:
        given = (one.instance for one in trade.transfers if trade.giver(one) == giver)
        return tuple(self.card(one) for one in given if one in self._index.instances)

    def _standing(self, trade_id: bytes) -> TradeValidity:
        if self._view.void(trade_id):
            return TradeValidity.VOID
        if self._view.certified(trade_id):
            return TradeValidity.SETTLED
        return TradeValidity.STANDS

    def history(self, instance: bytes) -> tuple[TradeShown, ...]:
        """Return the trades of a card, each after the trades that it builds on."""
        depth = self.collection.records.depth
        trades = sorted(self._index.trades_of[instance], key=lambda one: (depth(one) or 0, one))
        return tuple(map(self.trade, trades))

    def alarm(self, alarm: Alarm) -> AlarmShown:
        """Return the view model of an alarm."""
        both = (alarm.first, alarm.second)
        trades = [record.id for record in both if isinstance(record.content, Trade)]
        trades += [record.content.trade for record in both if isinstance(record.content, Waive)]
        identity = digest("alarm", alarm.first.id, alarm.second.id)
        return AlarmShown(
            identity.hex(),
            short(identity),
            _kind(alarm),
            self.person(alarm.key),
            alarm.first.id.hex(),
            alarm.second.id.hex(),
            self._dead(alarm, trades),
            tuple(map(bytes.hex, self.collection.undone_by(trades))),
        )

    def _dead(self, alarm: Alarm, trades: Iterable[bytes]) -> tuple[CardShown, ...]:
        """Return the cards that an alarm has burnt."""
        known = [
            self._index.trades[one] for one in dict.fromkeys(trades) if one in self._index.trades
        ]
        given = [
            {one.instance for one in trade.transfers if trade.giver(one) == alarm.key}
            for trade in known
        ]
        some = set[bytes].intersection(*given) if given else set()
        burnt = [
            one
            for one in sorted(some)
            if (found := self._view.holding(one)) is not None and found.burnt
        ]
        return tuple(map(self.card, burnt))

    def alarms(self, key: bytes | None = None) -> tuple[AlarmShown, ...]:
        """Return the alarms that name `key`, or all alarms (None)."""
        return tuple(map(self.alarm, self._view.alarms if key is None else self._alarms[key]))

    # --- creators ---

    def creator(self, key: bytes) -> CreatorShown:
        """Return the view model of a creator. Raises: KeyError if no creator record of this key is
        known.
        """
        said = self._index.creators[key][1]
        kinds = self._kinds(key)
        runs = sorted(self._index.runs[key], key=lambda run: run[1].number)
        return CreatorShown(
            self.person(key),
            said.revision,
            said.link,
            said.icon.hex() if said.icon else None,
            tuple(map(self.person, said.witnesses)),
            said.quorum,
            tuple(sorted({kind.edition for kind in kinds})),
            len(kinds),
            tuple(_run(run_id, run) for run_id, run in runs),
        )

    def contents(self, creator: bytes, run_id: bytes) -> tuple[PrintShown, ...]:
        """Return the card types of a run whose records are known, the rarest first."""
        types = self._index.types
        found = [
            PrintShown(kind.name, kind.values, kind.image.hex() if kind.image else None, count)
            for known, run in self._index.runs.get(creator, ())
            if known == run_id
            for root, count in run.copies
            if count and root in types
            for kind in [types[root][1]]
        ]
        return tuple(sorted(found, key=lambda one: (one.count, one.name.casefold())))

    def creators(self) -> tuple[CreatorShown, ...]:
        """Return all known creators, by name."""
        return tuple(sorted(map(self.creator, self._index.creators), key=by_name))


def by_name(creator: CreatorShown) -> tuple[str, str]:
    """Return the key by which creators are sorted."""
    return creator.person.name.casefold(), creator.person.fingerprint


def _kind(alarm: Alarm) -> AlarmKind:
    contents = (alarm.first.content, alarm.second.content)
    if any(isinstance(content, Waive) for content in contents):
        return AlarmKind.WAIVED
    if any(isinstance(content, Attestation) for content in contents):
        return AlarmKind.WITNESS
    if isinstance(alarm.first.content, Trade):
        return AlarmKind.DOUBLE_SPEND
    return AlarmKind.CREATOR


def _run(run_id: bytes, run: PrintRun) -> RunShown:
    cards = sum(count for _, count in run.copies)
    return RunShown(
        run_id.hex(), run.edition, run.number, cards, cards // run.pack_size, run.pack_size
    )
