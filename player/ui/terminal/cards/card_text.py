"""Cards, trades and alarms as sentences and rows for a terminal, from the view models of
`player.cards.card_models`.
"""

from collections.abc import Iterable, Sequence

from player.cards.card_models import (
    AlarmKind,
    AlarmShown,
    CardShown,
    CreatorShown,
    OwnershipState,
    PersonShown,
    Proposal,
    RunShown,
    TradeShown,
    TradeValidity,
    TrustMark,
)
from protocol.limits import MAX_UNDONE_COUNTED
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say, display_width, pad_to_width, two_columns

STATES = {
    OwnershipState.SETTLED: "cards.state.settled",
    OwnershipState.HELD: "cards.state.held",
    OwnershipState.RESERVED: "cards.state.reserved",
    OwnershipState.BURNT: "cards.state.burnt",
}
MARKS = {
    TrustMark.TRUSTED: "cards.mark.trusted",
    TrustMark.UNMARKED: "cards.mark.unmarked",
    TrustMark.DISTRUSTED: "cards.mark.distrusted",
}
ALARMS = {
    AlarmKind.DOUBLE_SPEND: "cards.alarm.double_spend",
    AlarmKind.WAIVED: "cards.alarm.waived",
    AlarmKind.WITNESS: "cards.alarm.witness",
    AlarmKind.CREATOR: "cards.alarm.creator",
}
STANDINGS = {
    TradeValidity.SETTLED: "cards.standing.settled",
    TradeValidity.STANDS: "cards.standing.stands",
    TradeValidity.VOID: "cards.standing.void",
}
HEAD = (
    "cards.head.card",
    "cards.head.id",
    "cards.head.edition",
    "cards.head.creator",
    "cards.head.state",
)
AS_FAR = phrase("cards.as_far")
INDENT = "  "


def state(card: CardShown) -> Phrase:
    """Name the certainty of an ownership."""
    return phrase(STATES[card.state])


def mark(person: PersonShown) -> Phrase:
    """Name the trust mark of a key."""
    return phrase(MARKS[person.mark])


def person(who: PersonShown) -> Phrase:
    """Name a key by name and fingerprint: anybody can take a name."""
    if who.you:
        return phrase("cards.oneself")
    if who.name:
        return phrase("cards.person", name=who.name, short=who.short)
    return phrase("cards.key", short=who.short)


def marked(who: PersonShown) -> Phrase:
    """Name a key by name and fingerprint, with its mark and the number of its alarms."""
    if who.you:
        return phrase("cards.oneself")
    if who.alarms:
        return phrase("cards.marked.alarms", who=person(who), mark=mark(who), count=who.alarms)
    return phrase("cards.marked", who=person(who), mark=mark(who))


def card(one: CardShown) -> Phrase:
    """Describe a card in one sentence."""
    return phrase("cards.card", name=one.name, serial=one.serial, short=one.short)


def cards(some: Iterable[CardShown]) -> Phrase | tuple[Phrase, ...]:
    """Describe several cards, or say that none exist."""
    return tuple(card(one) for one in some) or phrase("cards.nothing")


def card_rows(some: Sequence[CardShown], say: Say) -> list[str]:
    """Format cards as a table with a header."""
    rows = [tuple(say(phrase(key)) for key in HEAD)]
    for one in some:
        name = say(phrase("cards.copy", name=one.name, serial=one.serial))
        edition = say(phrase("cards.as_is", text=one.edition))
        rows.append((name, one.short, edition, say(marked(one.creator)), say(state(one))))
    return in_columns(rows)


def in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align rows of text in columns."""
    widths = [max(display_width(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(map(pad_to_width, row, widths)).rstrip() for row in rows]


def card_lines(one: CardShown, say: Say) -> list[str]:
    """Describe all known facts of a card."""
    values = ", ".join(
        say(phrase("cards.value", key=key, value=value)) for key, value in one.values
    )
    rows = [
        (phrase("cards.label.id"), one.id),
        (phrase("cards.label.edition"), say(phrase("cards.as_is", text=one.edition))),
        (phrase("cards.label.values"), values),
        (phrase("cards.label.text"), say(phrase("cards.as_is", text=one.text))),
        (phrase("cards.label.creator"), say(marked(one.creator))),
        (
            phrase("cards.label.type"),
            say(phrase("cards.frozen" if one.frozen else "cards.revision", number=one.revision)),
        ),
        (
            phrase("cards.label.owner"),
            say(phrase("cards.nobody") if one.owner is None else person(one.owner)),
        ),
        (
            phrase("cards.label.state"),
            say(phrase("cards.state.hands", state=state(one), count=one.trades)),
        ),
    ]
    return [
        say(phrase("cards.copy", name=one.name, serial=one.serial)),
        *two_columns([row for row in rows if row[1]], say, INDENT),
    ]


def trade_lines(trade: TradeShown, say: Say) -> list[str]:
    """Describe a trade: both sides, their cards, and its validity."""
    standing = phrase(STANDINGS[trade.standing])
    lines = [
        say(
            phrase(
                "cards.trade",
                short=trade.short,
                one=person(trade.one),
                other=person(trade.other),
                standing=standing,
            )
        )
    ]
    gifts = ((trade.one, trade.gives), (trade.other, trade.takes))
    lines += [
        INDENT + say(phrase("cards.gives", giver=person(giver), cards=cards(given)))
        for giver, given in gifts
        if given
    ]
    if trade.waived:
        lines.append(INDENT + say(phrase("cards.trade.waived")))
    return lines


def alarm_lines(alarm: AlarmShown, say: Say) -> list[str]:
    """Describe an alarm: the named key, the offence and its consequences."""
    lines = [say(phrase(ALARMS[alarm.kind], who=person(alarm.named), short=alarm.short))]
    lines.append(
        INDENT + say(phrase("cards.alarm.records", first=alarm.first[:8], second=alarm.second[:8]))
    )
    if alarm.cards:
        lines.append(INDENT + say(phrase("cards.alarm.cards", cards=cards(alarm.cards))))
    many = len(alarm.undone) == MAX_UNDONE_COUNTED
    undone = "cards.alarm.undone.many" if many else "cards.alarm.undone"
    lines.append(INDENT + say(phrase(undone, count=len(alarm.undone))))
    return lines


def creator_lines(creator: CreatorShown, say: Say) -> list[str]:
    """Describe a creator, with editions and print runs."""
    rows = [
        (phrase("cards.label.key"), creator.person.fingerprint),
        (phrase("cards.label.link"), say(phrase("cards.as_is", text=creator.link))),
        (
            phrase("cards.label.editions"),
            say(phrase("cards.as_is", text=", ".join(creator.editions))),
        ),
        (phrase("cards.label.witnesses"), say(_witnesses(creator))),
    ]
    who = creator.person
    if who.you and who.name:
        head = phrase("cards.oneself.named", name=who.name)
    else:
        head = marked(who)
    lines = [say(head), *two_columns([row for row in rows if row[1]], say, INDENT)]
    return lines + [INDENT + say(_run(run)) for run in creator.runs]


def _witnesses(creator: CreatorShown) -> Phrase:
    if not creator.quorum:
        return phrase("cards.witnesses.none")
    return phrase(
        "cards.witnesses", quorum=creator.quorum, who=tuple(map(person, creator.witnesses))
    )


def _run(run: RunShown) -> Phrase:
    return phrase(
        "cards.run",
        edition=run.edition,
        number=run.number,
        count=run.cards,
        packs=run.packs,
        size=run.pack_size,
    )


def proposal_lines(proposal: Proposal, say: Say) -> list[str]:
    """Describe a proposed trade as a person must see it before they sign: one line for each card
    and each warning.
    """
    lines = [say(phrase("cards.proposal", who=marked(proposal.partner)))]
    for key, some in (
        ("cards.proposal.comes", proposal.comes),
        ("cards.proposal.goes", proposal.goes),
    ):
        lines.append(say(phrase(key, count=len(some))))
        lines += (
            [INDENT + row for row in card_rows(some, say)[1:]]
            if some
            else [INDENT + say(phrase("cards.nothing"))]
        )
    lines.append(
        say(phrase("cards.proposal.settles" if proposal.settles else "cards.proposal.unsettled"))
    )
    for alarm in proposal.alarms:
        lines += alarm_lines(alarm, say)
    return lines + [
        say(phrase("cards.proposal.beware", what=warning)) for warning in proposal.warnings
    ]
