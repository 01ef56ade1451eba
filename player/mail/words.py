"""The sentences of a match by letters."""

import sys
from dataclasses import replace

from player.peer.match import PeerMatch
from player.peer.saved import SavedMatch, State
from player.screen import narrate
from protocol.codes import Code, sentence
from protocol.identity.keys import fingerprint
from protocol.locale import english
from protocol.match.terms import Terms
from protocol.messages.parcel import Invitation
from protocol.view.words import Translate, plain

READ = "python -m player mail read FILE"
ATTACHMENT = (
    "Only the attachment counts. Nobody checks this text. Neither is secret: who carries the mail can read both."
)


def show(lines: list[str], to_errors: bool) -> None:
    """Print lines."""
    for line in lines:
        print(line, file=sys.stderr if to_errors else sys.stdout, flush=True)


def terms_text(terms: Terms) -> str:
    """What is played: "five-card-draw, hands 1, dealt commutative"."""
    options = [f"{plain(name)} {plain(str(value))}" for name, value in (*terms.game.options, *terms.dealing.options)]
    return ", ".join([plain(terms.game.name), *options, f"dealt {plain(terms.dealing.name)}"])


def invitation(offer: Invitation) -> list[str]:
    """The text of the letter that invites."""
    name = plain(offer.inviter.name)
    return [
        f"{name} invites you to a match by mail: {terms_text(offer.terms)}.",
        "",
        "To play, install fairdeal, save this mail as a file (or the attachment), and type:",
        "",
        f"    {READ}",
        "",
        f"{name}'s fingerprint is {fingerprint(offer.inviter.identity)}.",
        "",
        ATTACHMENT,
    ]


def letter(match: PeerMatch, news: list[str], translate: Translate = english) -> list[str]:
    """The text of any other letter; `news`: what its entries say to everybody."""
    assert match.reader is not None
    over = narrate.verdict(replace(match.outcome(match.stopped), log_path=None), translate)
    end = [over] if match.settled else [f"It is your turn. Save this mail, and type: {READ}"]
    return [*(news or ["The cards are being dealt: nothing to decide yet."]), "", *end, "", ATTACHMENT]


def invited(saved: SavedMatch) -> list[str]:
    """Somebody has invited us."""
    offer = saved.invitation
    return [
        f"{plain(offer.inviter.name)} invites you: {terms_text(offer.terms)}. The match is called {saved.name}.",
        f"Fingerprint: {fingerprint(offer.inviter.identity)}",
    ]


def how_to_accept(saved: SavedMatch, known: bool) -> list[str]:
    """What to type; `known`: whether our own address is, from mail.toml."""
    to = f"The answer goes to {saved.partner}." if saved.partner else "Say with --with ADDRESS where the answer goes."
    return [f"{to} To accept: python -m player mail accept {saved.name}{'' if known else ' --from YOUR-ADDRESS'}"]


def how_to_go_on(saved: SavedMatch, match: PeerMatch) -> list[str]:
    """What to type, or that there is nothing to do."""
    if match.choices:
        return [f"To choose: python -m player mail move {saved.name} CHOICE"]
    if match.settled:
        return []
    return [f"Waiting for {saved.partner}. If your letter was lost: python -m player mail send {saved.name}"]


def status(saved: SavedMatch, match: PeerMatch | None) -> str:
    """One match in a line."""
    about = f"{saved.name}  {terms_text(saved.invitation.terms)}, with {saved.partner or 'somebody'}"
    if saved.state is State.INVITED:
        return f"{about}: you are invited by {plain(saved.invitation.inviter.name)}"
    if saved.state is State.OVER:
        return f"{about}: over, log in {saved.log_path}"
    if match is None or match.reader is None:
        return f"{about}: not yet answered"
    return f"{about}: {match.number} entries, {'your turn' if match.our_turn else 'their turn'}"


def refused(code: Code) -> str:
    """Why a letter is refused, and what to do."""
    more = ""
    if code is Code.GAP:
        more = " A letter is missing, or was not read: read it first, or ask for it again (mail send, there)."
    return f"A letter is refused: {sentence(code)}.{more} Nothing is lost by it."
