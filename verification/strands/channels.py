"""Channels that promise something by themselves, as encryption with keys that nobody can get wrong.

A message over a channel becomes an ordinary one, so that the search needs no rule for channels.
After S. Mödersheim, L. Viganò, "Secure pseudonymous channels", ESORICS 2009, whose cryptographic
channels these are.
"""

from dataclasses import replace
from typing import Final

from verification.protocol_model import (
    ChannelEnd,
    ChannelKind,
    InitialKnowledge,
    MessageAction,
    Protocol,
)
from verification.terms import (
    Sort,
    Term,
    application,
    asymmetric,
    constant,
    inverse,
    pair,
    variable,
)

# No name in a text has a star, so none of these is anybody's.
# of an agent: the key that opens what it says authentically
SIGNING: Final = constant("signing*", Sort.FUNCTION)
SEALING: Final = constant("sealing*", Sort.FUNCTION)  # of an agent: the key for what it alone reads
_TAGS: Final = {arrow: constant(f"{arrow.name.lower()}*", Sort.FORMAT) for arrow in ChannelKind}


def without_channels(protocol: Protocol) -> Protocol:
    """The same protocol over the intruder's net alone."""
    if all(action.arrow is ChannelKind.INSECURE for action in protocol.actions):
        return protocol
    return replace(
        protocol,
        knowledge=tuple(_with_keys(knowledge) for knowledge in protocol.knowledge),
        actions=tuple(_encrypted(action) for action in protocol.actions),
    )


def _with_keys(knowledge: InitialKnowledge) -> InitialKnowledge:
    own = [inverse(application(function, knowledge.role)) for function in (SIGNING, SEALING)]
    return replace(knowledge, terms=(*knowledge.terms, SIGNING, SEALING, *own))


def _encrypted(action: MessageAction) -> MessageAction:
    sender = action.sender
    receiver = action.receiver
    message = action.message
    if action.arrow is ChannelKind.INSECURE:
        return action
    if action.arrow is ChannelKind.CONFIDENTIAL:
        message = application(_TAGS[action.arrow], message)
    else:
        said = application(_TAGS[action.arrow], _name(receiver), message)
        message = pair(_name(sender), asymmetric(said, inverse(_key(SIGNING, sender))))
    if action.arrow is not ChannelKind.AUTHENTIC:
        message = asymmetric(message, _key(SEALING, receiver))
    return replace(action, message=message, arrow=ChannelKind.INSECURE)


def _key(function: Term, end: ChannelEnd) -> Term:
    if end.pseudonymous:
        return _name(end)
    return application(function, end.agent)


def _name(end: ChannelEnd) -> Term:
    """What the others know an end by: a pseudonym is a key that its owner makes anew."""
    if end.pseudonymous:
        return variable(f"{end.agent.name}*", Sort.PUBLIC_KEY)
    return end.agent
