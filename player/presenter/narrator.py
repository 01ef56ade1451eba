"""The lines in which a screen reports a client's events to people."""

from enum import Enum
from typing import NamedTuple

from player.client import events
from player.client.match_replica import MatchReplica
from player.presenter import narration
from player.presenter.terms_text import terms_lines
from player.presenter.wait_status import PresenceNews
from player.storage.contacts import Contact
from protocol.audit.report_text import match_phrase_renderer
from protocol.codes import code_phrase
from protocol.i18n import english
from protocol.identity.keys import short_fingerprint
from protocol.match.terms import Terms
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.text import Say, Translate, phrase_renderer


class Style(Enum):
    """Look of a line. The kind of event decides it, never its words, which may be somebody else's."""

    PLAIN = ""
    GOOD = "bold green"
    BAD = "bold red"
    TURN = "bold"


class StyledLine(NamedTuple):
    """A line of text for people."""

    text: str
    style: Style = Style.PLAIN


class Narrator:
    """Makes lines of events, in the language of a person. It prints nothing."""

    def __init__(self, contacts: dict[str, Contact], translate: Translate = english) -> None:
        self.translate = translate
        self.columns: int | None = None  # width of remarks of other people; None: no limit
        self._contacts = contacts
        self._presence = PresenceNews()
        self._known_terms: Terms | None = None  # the terms that were reported before the match

    def lines(
        self, event: events.Event, playing: MatchReplica | None, *, moves: bool = True
    ) -> list[StyledLine]:
        """Return the lines for an event. Without `moves`: none for moves of the game.

        `playing`: the match that the client follows, if there is one.
        """
        if isinstance(event, events.Started):
            return self._introduction(event)
        return [StyledLine(text) for text in self._texts(event, playing, moves)]

    def presence_lines(self, event: events.Event, now: float) -> list[StyledLine]:
        """Return the lines that say which players have gone or come back.

        Call this after each event, because an absence is reported only after a while. `now`: seconds
        of a clock that only goes forward.
        """
        match event:
            case events.Started():
                self._presence = PresenceNews()
            case events.Presence():
                self._presence.hear(event)
        match_now = self._presence.match
        if match_now is None:
            return []
        say = match_phrase_renderer(match_now, translate=self.translate)
        return [StyledLine(say(change)) for change in self._presence.news(now)]

    def say(self, sentence: Phrase) -> str:
        """Return a sentence that names nobody at the table."""
        return phrase_renderer(self.translate, ())(sentence)

    def say_of(self, playing: MatchReplica | None) -> Say:
        """Return the function that speaks of the people of a match, once there is one."""
        if playing is None or playing.reader is None:
            return phrase_renderer(self.translate, ())
        return match_phrase_renderer(playing.reader.match, playing.own, self.translate)

    def _introduction(self, event: events.Started) -> list[StyledLine]:
        setup = event.match.setup
        begins, *people = narration.introduction_lines(event, self._contacts, self.translate)
        lines = [StyledLine(begins)]
        if setup.terms != self._known_terms:  # otherwise they have just been reported
            say = match_phrase_renderer(event.match, translate=self.translate)
            terms = terms_lines(setup.terms, say, games=setup.games)[1:]
            lines += [StyledLine(text) for text in terms]
        # lines about people are indented, warnings are not
        styles = (Style.PLAIN if text.startswith(" ") else Style.BAD for text in people)
        return lines + [StyledLine(*each) for each in zip(people, styles, strict=True)]

    def _texts(self, event: events.Event, playing: MatchReplica | None, moves: bool) -> list[str]:
        say = self.say
        match event:
            case events.Happened():
                own = playing.own if playing else None
                return narration.entry_lines(event, own, self.translate, moves=moves)
            case events.Offered():
                self._known_terms = event.terms
                return terms_lines(
                    event.terms,
                    say,
                    event.table_id,
                    offered=event.rules,
                    creators=event.creators,
                )
            case events.Welcomed():
                return [narration.greeting_line(event, short_fingerprint(event.table_key), say)]
            case events.Waiting():
                return [narration.waiting_line(event, say)]
            case events.Listed():
                return narration.table_lines(event, say)
            case events.Roster():
                return narration.roster_lines(event, self.translate)
            case events.Said() if playing and playing.reader:
                speak = match_phrase_renderer(playing.reader.match, translate=self.translate)
                remark = phrase("match.said", who=SeatRef(event.seat), remark=event.remark)
                return narration.remark_lines(speak(remark), self.columns)
            case events.Unheard():
                return [say(phrase("match.unheard", seat=event.seat + 1))]
            case events.Declined():
                return [say(phrase("lobby.declined", why=code_phrase(event.code)))]
            case events.Announced():
                line = narration.announcement_text(event.said, self.say_of(playing))
                return narration.remark_lines(line, self.columns)
            case events.Notice():
                return [self.say_of(playing)(event.phrase)]
        return []
