"""A binder drawn on a terminal: a frame for each edition, with a small card for each type."""

from rich.columns import Columns
from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

from player.cards.card_models import (
    Binder,
    CardShown,
    EditionShown,
    OwnershipState,
    StackShown,
    TrustMark,
)
from player.ui.terminal.cards.card_text import MARKS, STATES, person
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say

LOOKS = {
    OwnershipState.SETTLED: "green",
    OwnershipState.HELD: "",
    OwnershipState.RESERVED: "yellow",
    OwnershipState.BURNT: "red",
}
FRAMES = {TrustMark.TRUSTED: "green", TrustMark.UNMARKED: "yellow", TrustMark.DISTRUSTED: "red"}
WIDTH = 26  # columns of one card
COPIES = 3  # most certain copies, named on the card


def draw(binder: Binder, say: Say, console: Console) -> None:
    """Print a binder. Names of other people go through `say` and `Text`, so that they cannot
    control the terminal.
    """
    console.print(Text(say(_head(binder)), style="bold"))
    for edition in binder.editions:
        console.print(_edition(edition, say))
    console.print(Text(say(_sum(binder))))


def _head(binder: Binder) -> Phrase:
    if binder.owner.you:
        return phrase("cards.binder.own", count=binder.cards)
    return phrase("cards.binder", who=person(binder.owner), count=binder.cards)


def _sum(binder: Binder) -> Phrase:
    return phrase(
        "cards.binder.sum", settled=binder.settled, reserved=binder.reserved, burnt=binder.burnt
    )


def _edition(edition: EditionShown, say: Say) -> Panel:
    mark = phrase(MARKS[edition.creator.mark])
    name = phrase("cards.as_is", text=edition.name)
    title = phrase("cards.binder.edition", edition=name, creator=person(edition.creator), mark=mark)
    have = phrase("cards.binder.have", count=len(edition.stacks), all=edition.there_are)
    stacks = Columns([_stack(stack, say) for stack in edition.stacks], width=WIDTH, padding=(0, 1))
    return Panel(
        stacks,
        title=Text(say(title)),
        subtitle=Text(say(have)),
        title_align="left",
        subtitle_align="right",
        border_style=FRAMES[edition.creator.mark],
    )


def _stack(stack: StackShown, say: Say) -> Panel:
    shown = [_copy(card, say) for card in stack.cards[:COPIES]]
    if (more := len(stack.cards) - COPIES) > 0:
        shown.append(Text(say(phrase("cards.binder.more", count=more)), style="dim"))
    values = [
        say(phrase("cards.value", key=key, value=value)) for key, value in stack.cards[0].values
    ]
    face = [Text(value, no_wrap=True, overflow="ellipsis") for value in values]
    title = say(phrase("cards.binder.stack", name=stack.name, count=len(stack.cards)))
    return Panel(Group(*face, *shown), title=Text(title), title_align="left", width=WIDTH)


def _copy(card: CardShown, say: Say) -> Text:
    line = phrase(
        "cards.binder.copy", serial=card.serial, short=card.short, state=phrase(STATES[card.state])
    )
    return Text(say(line), style=LOOKS[card.state], no_wrap=True, overflow="ellipsis")
