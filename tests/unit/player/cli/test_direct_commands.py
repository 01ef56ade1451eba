"""A match without a table: the last entry is lost with the line, and the next run of the program
sends it again.
"""

import argparse
from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest

from bots.random_bot import random_bot
from player.cli.direct_commands import CLEAN, _Program
from player.cli.screen_choice import Screen
from player.client.loadouts import NoOwnedCards
from player.direct.direct_match import DirectMatch
from player.direct.saved_match import SavedState
from player.storage.contacts import read_contacts
from player.ui.terminal.plain_screen import PlainScreen
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import JoinLink, fingerprint
from protocol.messages.parcel import encode_parcel
from tests.support.without_table import Side, terms_for, two

pytestmark = pytest.mark.match


class Noted(PlainScreen):
    """Recorded output."""

    def __init__(self) -> None:
        super().__init__({}, write=self._note)
        self.said = ""

    def _note(self, text: str) -> None:
        self.said += text


class Run:
    """One run of a person's program, with the unfinished match in its folder."""

    def __init__(self, side: Side, partner: Side) -> None:
        args = argparse.Namespace(
            bot="random", data=side.folder, games=BUILT_IN, forget=False, deck=None, rules=None
        )
        self.side, self.view = side, Noted()
        screen = Screen(self.view, random_bot)
        self.program = _Program(args, side.identity, side.rng, screen, loadouts=NoOwnedCards())
        mine = side.saved.mine
        self.program.saved = self.program.unfinished(
            mine=mine, fingerprint=None if mine else fingerprint(partner.identity.public)
        )
        assert self.program.saved is not None
        self.match = DirectMatch(self.program.saved, self.program.environment)
        self.client = self.program.client(self.match)

    def end(self) -> int:
        return self.program.end(self.client)


def connected(one: Run, two: Run) -> list[tuple[Run, deque[bytes]]]:
    """Connect two runs; return the messages to each over the new line."""
    inboxes: list[tuple[Run, deque[bytes]]] = [(one, deque()), (two, deque())]
    for run, other, (_, inbox) in ((one, two, inboxes[1]), (two, one, inboxes[0])):
        run.client.attach(inbox.append, other.side.identity.public)
    return inboxes


def lost_end(folder: Path) -> tuple[Run, Run]:
    """Return the guest, who has sent the last entry, and the host, who lacks it, after the line
    broke and the guest waited.
    """
    ann, bob = two(folder, "connect-four", "none")
    link = JoinLink("127.0.0.1", 7501, fingerprint(ann.identity.public), direct=True)
    for side, partner in ((ann, link.address_text), (bob, str(link))):
        replace(side.saved, address="", partner=partner).save()
    host, guest = Run(ann, bob), Run(bob, ann)
    inboxes = connected(host, guest)
    while not guest.match.settled:
        run, inbox = next(one for one in inboxes if one[1])
        run.client.received(inbox.popleft())
    assert not host.match.settled
    for run in (host, guest):
        run.client.detached(Code.CUT_OFF)
    guest.client.give_up(None)
    return host, guest


def test_goodbye_entry_lost_with_line_is_given_next_run(tmp_path):
    host, guest = lost_end(tmp_path)
    assert guest.end() == CLEAN and "Verdict: no cheating found" in guest.view.said
    assert "start the program again with the same command" in guest.view.said
    assert guest.side.saved.state is SavedState.OPEN
    again = Run(guest.side, host.side)
    (_, inbox), _ = connected(host, again)
    host.client.received(inbox.popleft())
    assert host.client.settled and host.client.complaint is None
    again.client.detached(host.client.complaint)  # the complaint says that everything has arrived
    for run in (host, again):
        assert run.end() == CLEAN and "start the program again" not in run.view.said
        assert run.side.saved.state is SavedState.OVER
        assert [contact.matches for contact in read_contacts(run.side.folder).values()] == [1]
    assert host.side.log() == guest.side.log() and audit(host.side.log()).verdict is Verdict.CLEAN


def test_host_inviting_again_lacks_no_entry(tmp_path):
    """Only the host's goodbye was lost: the old match is over for the guest too, who needs no
    option for the new one.
    """
    host, guest = lost_end(tmp_path)
    guest.end()
    again = Run(guest.side, host.side)
    again.client.attach(lambda _: None, host.side.identity.public)
    again.client.received(encode_parcel(host.side.invite(terms_for("nim", "none"))))
    assert again.end() == CLEAN and guest.side.saved.state is SavedState.OVER
    host.match.close()
