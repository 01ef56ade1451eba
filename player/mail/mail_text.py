"""The sentences of a match by letters."""

import sys
from dataclasses import replace

from player.direct.direct_match import DirectMatch
from player.direct.saved_match import SavedMatch, SavedState
from player.presenter import narration
from player.presenter.terms_text import game_text, rules_lines, trust_lines
from player.storage.data_directory import command_text
from protocol.codes import Code, code_phrase
from protocol.i18n import english
from protocol.identity.keys import fingerprint
from protocol.match.terms import Terms, dealing_phrase
from protocol.messages.parcel import Invitation
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say, Translate, phrase_renderer

READ = "fairdeal mail read FILE"


def show(lines: list[str], to_errors: bool) -> None:
    """Print lines."""
    for line in lines:
        print(line, file=sys.stderr if to_errors else sys.stdout, flush=True)


def terms_phrase(terms: Terms) -> Phrase:
    """Return the terms in short: "five-card-draw, hands 1, dealt commutative"."""
    return phrase("terms.dealt", game=game_text(terms), dealt=dealing_phrase(terms))


def invitation(offer: Invitation, translate: Translate = english) -> list[str]:
    """The text of the letter that invites."""
    say = phrase_renderer(translate, ())
    name = offer.inviter.name
    return [
        say(phrase("letter.invites", name=name, terms=terms_phrase(offer.terms))),
        "",
        say(phrase("letter.install")),
        "",
        f"    {READ}",
        "",
        say(
            phrase(
                "letter.fingerprint.of", name=name, fingerprint=fingerprint(offer.inviter.identity)
            )
        ),
        "",
        say(phrase("letter.attachment")),
    ]


def letter(match: DirectMatch, news: list[str], translate: Translate = english) -> list[str]:
    """The text of any other letter; `news`: what its entries say to everybody."""
    assert match.reader is not None
    say = phrase_renderer(translate, ())
    over = narration.verdict_text(replace(match.outcome(match.stopped), log_path=None), translate)
    if match.settled:
        end = over
    else:
        end = say(phrase("letter.your_turn", command=READ))
    return [
        *(news or [say(phrase("letter.dealing"))]),
        "",
        end,
        "",
        say(phrase("letter.attachment")),
    ]


def invitation_status(saved: SavedMatch, say: Say) -> list[str]:
    """Return the lines about an invitation from another person."""
    offer = saved.invitation
    terms = terms_phrase(offer.terms)
    return [
        say(phrase("letter.invited", name=offer.inviter.name, terms=terms, match=saved.name)),
        f"  {say(phrase('terms.clockless'))}",
        *rules_lines(offer.terms, say),
        *trust_lines(offer.terms, say),
        say(phrase("letter.fingerprint", fingerprint=fingerprint(offer.inviter.identity))),
    ]


def how_to_accept(saved: SavedMatch, known: bool, say: Say) -> list[str]:
    """Return the command that accepts. `known`: the own address is known from mail.toml."""
    if saved.partner:
        to = phrase("letter.answer_to", partner=saved.partner)
    else:
        to = phrase("letter.answer_where")
    command = command_text(
        "mail accept", saved.data, f"{saved.name}{'' if known else ' --from YOUR-ADDRESS'}"
    )
    return [say(phrase("letter.accept", to=to, command=command))]


def how_to_go_on(saved: SavedMatch, match: DirectMatch, say: Say) -> list[str]:
    """Return the command to type next, or a line that says that none is needed."""
    if match.choices:
        return [
            say(
                phrase(
                    "letter.choose",
                    command=command_text("mail move", saved.data, f"{saved.name} CHOICE"),
                )
            )
        ]
    if match.settled:
        return []
    again = command_text("mail send", saved.data, saved.name)
    return [say(phrase("letter.waiting", partner=saved.partner, command=again))]


def status(saved: SavedMatch, match: DirectMatch | None, say: Say) -> str:
    """Return one match in a line."""
    partner = saved.partner or say(phrase("letter.somebody"))
    about = say(
        phrase(
            "letter.about",
            match=saved.name,
            terms=terms_phrase(saved.invitation.terms),
            partner=partner,
        )
    )
    if saved.state is SavedState.INVITED:
        return say(phrase("letter.is_invitation", about=about, name=saved.invitation.inviter.name))
    if saved.state is SavedState.OVER:
        return say(phrase("letter.is_over", about=about, path=str(saved.log_path)))
    if match is None or match.reader is None:
        return say(phrase("letter.is_open", about=about))
    return say(
        phrase(
            "letter.is_ours" if match.our_turn else "letter.is_theirs",
            about=about,
            entries=match.number,
        )
    )


def refused(code: Code, say: Say) -> str:
    """Return why a letter is refused, and what to do."""
    return say(
        phrase(
            "letter.refused.gap" if code is Code.GAP else "letter.refused", why=code_phrase(code)
        )
    )
