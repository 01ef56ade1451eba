"""Commands for the person's settings: trust marks, acceptance policy, links to witnesses."""

import asyncio

from player.cards.opponents import ANY, TRUSTED
from player.cards.trade_warnings import POLICIES, policy_of
from player.cards.witnesses.certification import Certification, find_unsettled, find_witness_link
from player.cli.cards.card_program import CLEAN, FAILED, Program
from player.ui.terminal.cards import card_text
from protocol.codes import code_phrase
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink, fingerprint
from protocol.ledger.witness.acceptance_policy import AcceptancePolicy
from protocol.view.phrase import phrase

OPPONENT_KEYS = {ANY: "cards.opponents.any", TRUSTED: "cards.opponents.trusted"}


def trust(program: Program) -> int:
    """Set the trust mark of a key, or list the creators with their marks."""
    args = program.args
    if args.who is None:
        if args.distrust or args.forget:
            raise LocalError("wrong.cards.trust.whom")
        return _creators(program)
    key = program.key(args.who)
    if key == program.collection.me:
        raise LocalError("wrong.cards.trust.oneself")
    program.collection.store.mark(key, None if args.forget else not args.distrust)
    program.tell(card_text.marked(program.showing().person(key)))
    return CLEAN


def _creators(program: Program) -> int:
    creators = program.showing().creators()
    for creator in creators:
        program.tell(*card_text.creator_lines(creator, program.say))
    if not creators:
        program.tell(phrase("cards.no_creators"))
    return CLEAN


def policy(program: Program) -> int:
    """Set the acceptance policy, and whose cards the person plays against; or print both."""
    store = program.collection.store
    if program.args.opponents is not None:
        store.opponents = program.args.opponents
    if said := " ".join(program.args.policy):
        if said not in list(AcceptancePolicy):
            raise LocalError(
                "wrong.cards.which_policy", text=said, policies=", ".join(AcceptancePolicy)
            )
        store.policy = said
    program.tell(phrase(POLICIES[policy_of(store)]))
    program.tell(phrase(OPPONENT_KEYS[store.opponents or ANY]))
    return CLEAN


def mend(program: Program) -> int:
    """Give up the signatures that an old copy of the data folder lacks."""
    journal = program.collection.store.journal
    if not journal.is_outdated():
        program.tell(phrase("cards.mend.needless"))
    elif program.args.yes:
        journal.mend()
        program.tell(phrase("cards.mend.done"))
    else:
        program.tell(phrase("cards.mend.what"))
        return FAILED
    return CLEAN


def witness(program: Program) -> int:
    """Store the link to a witness, or list the witnesses that creators name."""
    collection = program.collection
    args = program.args
    if args.link is not None:
        link = JoinLink.parse(args.link)
        if link.fingerprint is None or link.direct:
            raise LocalError("wrong.cards.witness.link")
        collection.store.add_witness(link)
        program.tell(phrase("cards.witness.added", fingerprint=link.fingerprint))
        return CLEAN
    named = {key for _, creator in collection.index.creators.values() for key in creator.witnesses}
    for key in sorted(named):
        where = find_witness_link(collection, key)
        program.tell(
            phrase("cards.witness.line", fingerprint=fingerprint(key), where=str(where or "-"))
        )
    if not named:
        program.tell(phrase("cards.witness.none"))
    return CLEAN


def settle(program: Program) -> int:
    """Ask the witnesses of the person's cards to certify the trades behind them."""
    collection = program.collection
    cards = [program.card(text) for text in program.args.cards] or collection.view.held_by(
        collection.me
    )
    trades = find_unsettled(collection, cards)
    if not trades:
        program.tell_as_far(phrase("cards.settle.needless"))
        return CLEAN
    out = asyncio.run(Certification(collection, program.rng).settle(trades))
    if not out.asked_for:
        program.tell(phrase("cards.settle.nobody"))
    for key in sorted(out.unknown):
        program.tell(phrase("cards.settle.unknown", fingerprint=fingerprint(key)))
    for key, error in sorted(out.silent.items()):
        program.tell(phrase("cards.settle.silent", fingerprint=fingerprint(key), why=error.phrase))
    for trade, code in sorted(out.refused.items()):
        program.tell(phrase("cards.settle.refused", trade=trade.hex()[:8], why=code_phrase(code)))
    program.tell_as_far(phrase("cards.settle.done", settled=len(out.trades), asked=len(trades)))
    return CLEAN if len(out.trades) == len(trades) else FAILED
