"""A match in sentences, for the person here and for the letter to the other side."""

from dataclasses import replace

from player.client import events
from player.direct.direct_match import DirectMatch
from player.presenter import narration
from player.storage.contacts import Contact
from protocol.audit.report_text import match_phrase_renderer
from protocol.i18n import english
from protocol.match.seat_view import view_of
from protocol.match.state import Match, MatchStage
from protocol.view.text import Translate, phrase_renderer
from protocol.view.view import View

WIDTH = 80  # characters of a line


class MatchNarration:
    """Collects what a match tells."""

    def __init__(self, contacts: dict[str, Contact], translate: Translate = english) -> None:
        self.news: list[str] = []  # for the person here, since `news` was last cleared
        self._contacts = contacts
        self._translate = translate
        self._public: list[tuple[int, str]] = []  # what everybody may read, by the entry's number

    def tell(self, event: events.Event) -> None:
        """Take note of an event."""
        match event:
            case events.Happened():
                lines = narration.entry_lines(event, translate=self._translate)
                self._public += [(event.match.next_number - 1, line) for line in lines]
                self.news += lines
            case events.Started():
                self.news += narration.introduction_lines(event, self._contacts, self._translate)
            case events.Roster():
                self.news += narration.roster_lines(event, self._translate)
            case events.Notice():
                self.news.append(phrase_renderer(self._translate, ())(event.phrase))

    def since(self, number: int) -> list[str]:
        """Return sentences, for everybody, about the entries from this number on."""
        return [line for at, line in self._public if at >= number]


def board(match: DirectMatch, translate: Translate = english) -> list[str]:
    """Return the own seat's view, with its actions if a person is to choose."""
    if (
        match.reader is None
        or match.seat is None
        or match.reader.match.stage is not MatchStage.PLAYING
    ):
        return []
    state = match.reader.match
    view = seen(match, state)
    say = match_phrase_renderer(state, translate=translate)
    text = state.setup.text
    return [*text.table_text(view, say, WIDTH), *(text.menu_text(view, say) if view.offers else [])]


def seen(match: DirectMatch, state: Match) -> View:
    """Return the own seat's view, without actions while no person is to choose."""
    view = match.seat.view(state) if match.seat else view_of(state)
    return view if match.choices else replace(view, offers=())
