"""Choices that people type as their number in a list, or as words of their label."""

from collections.abc import Sequence

from protocol.errors import LocalError
from protocol.games import Action
from protocol.i18n import english
from protocol.view.board import Offer
from protocol.view.phrase import phrase
from protocol.view.text import Say, phrase_renderer, strip_isolates
from protocol.view.view import View


def menu_text(view: View, say: Say) -> list[str]:
    """List the choices with their numbers."""
    return [
        say(phrase("seat.turn")),
        *(f"  {offer.id + 1}  {say(offer.label)}" for offer in view.offers),
    ]


def help_text(view: View, say: Say) -> str:
    return say(phrase("typed.help.number"))


def parse_choice(view: View, say: Say, line: str) -> Action | None:
    """Find the choice by a typed number, or by typed words of its label in the shown language or in
    English. None if neither matches.

    Raises: LocalError if the number is not on the list, or if the words match several choices.
    """
    if line.isascii() and line.isdigit():
        return _by_number(view, int(line[:9])).build_action()
    words = line.casefold().split()
    in_english = phrase_renderer(english, [seat.name for seat in view.seats])
    meant = _by_words(view.offers, say, words) or _by_words(view.offers, in_english, words)
    if len(meant) > 1:
        raise LocalError("typed.which", offers=tuple(offer.label for offer in meant))
    return meant[0].build_action() if meant else None


def _by_number(view: View, number: int) -> Offer:
    if not view.offers:
        raise LocalError("typed.not_your_turn")
    if not 1 <= number <= len(view.offers):
        raise LocalError("typed.number", most=len(view.offers))
    return view.offers[number - 1]


def _by_words(offers: Sequence[Offer], say: Say, words: Sequence[str]) -> list[Offer]:
    """Find the offers whose label equals the words. If none does, find labels that begin with the
    first word and contain the others after it: "6-0 left" matches "6-0 on the left".
    """
    labels = [(offer, strip_isolates(say(offer.label)).casefold().split()) for offer in offers]
    whole = [offer for offer, label in labels if label == words]
    return whole or [
        offer
        for offer, label in labels
        if words and label[:1] == words[:1] and _contains_in_order(label, words)
    ]


def _contains_in_order(label: Sequence[str], words: Sequence[str]) -> bool:
    """Check whether `label` contains the words in this order."""
    rest = iter(label)
    return all(word in rest for word in words)
