"""One person's correspondence: its matches, what the person does in them, and the letters that go
out.
"""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from bots.registry import Bot
from player.client import events
from player.client.environment import Environment
from player.client.loadouts import NO_OWNED_CARDS, Loadouts
from player.client.seat import NOTHING_BROUGHT, Seat
from player.direct.direct_match import DirectMatch
from player.direct.saved_match import SavedMatch, SavedState, new_saved, saved_path
from player.mail import mail_text
from player.mail.config import Config, Server
from player.mail.letter import Heading, check_address, number_of, open_letter, write_letter
from player.mail.mailbox_files import put_in_box
from player.mail.match_narration import MatchNarration, board, seen
from player.mail.servers import send_mail
from player.presenter import narration
from player.storage import contacts
from player.storage.data_directory import command_text as command_typed
from player.storage.files import write_whole
from protocol.audit.report_text import match_phrase_renderer
from protocol.errors import LocalError, RemoteError
from protocol.games import Action
from protocol.games.decks.deck_hand import Loadout
from protocol.games.registry import BUILT_IN, Games
from protocol.i18n import english
from protocol.identity.keys import Identity
from protocol.limits import MAX_PARCEL
from protocol.match.setup import Person
from protocol.match.terms import Terms
from protocol.messages.parcel import EntriesParcel, invite, split_entries
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Translate, phrase_renderer


class MailStopped(LocalError):
    """A match that cannot go on."""


@dataclass(frozen=True)
class Correspondence:
    """The owner of a correspondence, and the ways in which letters come in and go out."""

    data: Path
    identity: Identity
    rng: Random
    config: Config
    bot: Bot | None = None
    out: str | None = None  # where letters go instead of where the configuration says
    quiet: bool = False
    translate: Translate = english
    games: Games = BUILT_IN
    brings: Loadout = NOTHING_BROUGHT  # what our seat plays with, in a match that begins
    loadouts: Loadouts = NO_OWNED_CARDS  # checks the cards of `brings` when a match begins

    # --- what a person does ---

    def invite(self, name: str, terms: Terms, partner: str, address: str) -> None:
        """Make an invitation and the letter that carries it. Raises: LocalError, RemoteError."""
        invitation = invite(
            self.identity, name, terms, self.rng.randbytes(32), int(time.time()), self.games
        )
        saved = new_saved(
            self.data, invitation, invitation.inviter, partner, address, SavedState.OPEN
        )
        saved = saved.opened(invitation.inviter, self.rng, self.brings, self.loadouts)
        lines = mail_text.invitation(invitation, self.translate)
        heading = self._heading(saved, "0", "")
        self._keep_letter(saved, write_letter(heading, lines, invitation))
        self.send(saved)
        if self.config.incoming is None:
            read = mail_text.READ
        else:
            read = mail_text.READ.removesuffix(" FILE")
        self.tell(phrase("letter.called", name=saved.name, command=read))

    def accept(self, saved: SavedMatch, name: str, address: str, partner: str | None) -> None:
        """Accept an invitation. Raises: LocalError, RemoteError."""
        if saved.state is not SavedState.INVITED:
            raise LocalError("wrong.mail.answered", name=saved.name)
        if not (partner or saved.partner):
            raise LocalError("wrong.mail.where")
        person = Person(name, self.identity.public)
        saved.invitation.check_guest(person)
        where = replace(saved, partner=partner or saved.partner, address=address)
        self.go_on(where.opened(person, self.rng, self.brings, self.loadouts))

    def move(self, saved: SavedMatch, line: str) -> None:
        """Make the choice that a line says. Raises: LocalError."""
        self.go_on(saved, line=line)

    def leave(self, saved: SavedMatch) -> None:
        """Leave the match, which ends it. Raises: LocalError if it is not this seat's turn."""
        self.go_on(saved, leaving=True)

    def send(self, saved: SavedMatch, since: int | None = None) -> None:
        """Send the newest letter again, the same bytes; or one with all entries from a number
        on.
        """
        if saved.state is SavedState.OPEN:
            story = MatchNarration({}, self.translate)
            match = DirectMatch(saved, self._environment(story))
            if match.reader is None:
                match.post()  # our acceptance, if a crash came before it was written
            match.close()
            if since is not None:
                self._send_since(saved, match, story, since)
                return
            self._write_if_due(saved, match, story)
        try:
            raw = self._letter_path(saved).read_bytes()
        except OSError:
            raise LocalError("wrong.mail.no_letter", name=saved.name) from None
        self._deliver(saved, raw)

    def _send_since(
        self, saved: SavedMatch, match: DirectMatch, story: MatchNarration, since: int
    ) -> None:
        parcel = match.give(since) if since >= 0 else None
        if parcel is None:
            raise LocalError("wrong.mail.entries", entries=match.number)
        for part in split_entries(parcel, MAX_PARCEL):
            self._deliver(saved, self._write(saved, match, story, part))

    def show(self, saved: SavedMatch) -> None:
        """Print the state of a match."""
        if saved.state is not SavedState.OPEN:
            self.say([mail_text.status(saved, None, self.said)])
            return
        story = MatchNarration(contacts.read_contacts(self.data), self.translate)
        match = DirectMatch(saved, self._environment(story))
        match.close()
        self.say(
            [
                mail_text.status(saved, match, self.said),
                *board(match, self.translate),
                *mail_text.how_to_go_on(saved, match, self.said),
            ]
        )

    # --- a match ---

    def _environment(self, story: MatchNarration) -> Environment:
        return Environment(
            self.identity,
            self.rng,
            Seat,
            self.bot,
            story.tell,
            games=self.games,
            brings=self.brings,
            loadouts=self.loadouts,
        )

    def go_on(
        self,
        saved: SavedMatch,
        parcel: EntriesParcel | None = None,
        *,
        line: str = "",
        leaving: bool = False,
        meant: bool = True,
    ) -> None:
        """Take in a letter, or do what the person says; then say what is for us to say, and write
        if it is their turn.

        Raises: LocalError, RemoteError (what went before the wrong entry is kept, and answered).
        """
        story = MatchNarration(contacts.read_contacts(self.data), self.translate)
        match = DirectMatch(saved, self._environment(story))
        story.news.clear()
        before = match.number
        refused = None
        try:
            try:
                if parcel is not None:
                    match.take(parcel)
            except RemoteError as error:
                refused = error
            if match.stopped:
                raise MailStopped("wrong.mail.stopped", name=saved.name, why=match.stopped)
            if leaving and not match.our_turn:
                drop = command_typed("mail drop", self.data, saved.name)
                raise LocalError("wrong.mail.leave", command=drop)
            match.leaving = leaving
            self._post(match, line)
        finally:
            match.close()
        if match.number > before or match.settled or self._letter_due(saved, match):
            self._went_on(saved, match, story)
        elif refused is None and parcel is not None and meant:
            self.tell(phrase("letter.nothing_new"))
        if refused is not None:
            raise refused

    def _post(self, match: DirectMatch, line: str) -> None:
        """Post everything that this seat must post. A line is the choice for the present turn."""
        match.post()
        if line:
            match.choose(_typed(match, line, self.translate))
            match.post()
        while match.choices == (events.DENIAL,):
            match.choose(events.DENIAL)
            match.post()

    def _went_on(self, saved: SavedMatch, match: DirectMatch, story: MatchNarration) -> None:
        self.say(story.news)
        if match.settled:
            if match.reader is not None:
                contacts.note_players(
                    self.data, match.reader.match, self.identity.public, saved.partner
                )
            self.say(
                [narration.verdict_text(match.outcome(match.stopped), self.translate)], always=True
            )
        letter = self._write_if_due(saved, match, story)
        if match.settled:
            saved.ended(match.found)
        if letter is not None:
            self._deliver(saved, letter)
        if not match.settled:
            self.say(
                [*board(match, self.translate), *mail_text.how_to_go_on(saved, match, self.said)]
            )

    # --- letters that go out ---

    def _write_if_due(
        self, saved: SavedMatch, match: DirectMatch, story: MatchNarration
    ) -> bytes | None:
        """The letter that must go out now, on disk; None if it is there already, or none must."""
        parcel = self._letter_due(saved, match)
        if parcel is None:
            return None
        raw = self._write(saved, match, story, parcel)
        self._keep_letter(saved, raw)
        return raw

    def _letter_due(self, saved: SavedMatch, match: DirectMatch) -> EntriesParcel | None:
        """Return the parcel that the other side must get, if no letter with it has been written."""
        parcel = match.give()
        if parcel is None or match.our_turn or match.found or not match.said_last:
            return None
        try:
            written = open_letter(self._letter_path(saved).read_bytes(), self.games)
        except (OSError, RemoteError):
            return parcel
        return None if written == parcel else parcel

    def _write(
        self, saved: SavedMatch, match: DirectMatch, story: MatchNarration, parcel: EntriesParcel
    ) -> bytes:
        heard = match.heard()
        answers = number_of(heard) if heard else "0"
        lines = mail_text.letter(match, story.since(parcel.first), self.translate)
        return write_letter(self._heading(saved, number_of(parcel), answers), lines, parcel)

    def _heading(self, saved: SavedMatch, number: str, answers: str) -> Heading:
        subject = (
            f"{'Re: ' if answers else ''}fairdeal: {saved.invitation.terms.game.name} "
            f"({saved.name})"
        )
        thread = saved.invitation.nonce.hex()[:32]
        return Heading(saved.address, saved.partner, subject, thread, number, answers, time.time())

    def _keep_letter(self, saved: SavedMatch, raw: bytes) -> None:
        write_whole(self._letter_path(saved), raw)

    def _letter_path(self, saved: SavedMatch) -> Path:
        return saved_path(self.data, saved.invitation.nonce).with_suffix(".eml")

    def _deliver(self, saved: SavedMatch, raw: bytes) -> None:
        target = self.out or self.config.outgoing
        again = command_typed("mail send", self.data, saved.name)
        if isinstance(target, Server):
            sender = check_address(saved.address)
            receiver = check_address(saved.partner)
            self.tell(send_mail(target, (sender, receiver), raw, again))
        elif target is not None:
            told = put_in_box(target, raw, again)
            self.say([self.said(told)] if told else [])
        else:
            self.tell(
                phrase("letter.yours", partner=saved.partner, path=str(self._letter_path(saved)))
            )

    def said(self, told: Phrase) -> str:
        """A phrase in the person's language."""
        return phrase_renderer(self.translate, ())(told)

    def tell(self, told: Phrase, always: bool = False) -> None:
        """Tell the person one thing."""
        self.say([self.said(told)], always)

    def say(self, lines: list[str], always: bool = False) -> None:
        """Tell the person. To standard error when letters go to standard output."""
        if not self.quiet or always:
            mail_text.show([line for line in lines if line], self.out == "-")


def _typed(match: DirectMatch, line: str, translate: Translate) -> Action:
    """The choice that a line says. Raises: LocalError."""
    if match.reader is None or match.settled:
        raise LocalError("wrong.nothing_to_choose")
    state = match.reader.match
    if state.game is None:
        raise LocalError("typed.not_your_turn")
    view = seen(match, state)
    say = match_phrase_renderer(state, translate=translate)
    action = state.setup.text.parse_choice(view, say, line)
    if action is None:
        raise LocalError("wrong.no_choice", help=state.setup.text.help_text(view, say))
    return action
