"""Translation of channels with guarantees into encryption. All agents know the right public keys
for channels.

After the translation every message goes over the insecure network, so the search needs no rule for
channels. The translation follows the cryptographic channels of S. Mödersheim, L. Viganò, "Secure
pseudonymous channels", ESORICS 2009.
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

# These names end in a star, which no name in a text can. SIGNING(agent) is the key that verifies
# the agent's authentic messages.
SIGNING: Final = constant("signing*", Sort.FUNCTION)
# SEALING(agent): key that encrypts for the agent
SEALING: Final = constant("sealing*", Sort.FUNCTION)
_TAGS: Final = {arrow: constant(f"{arrow.name.lower()}*", Sort.FORMAT) for arrow in ChannelKind}


def without_channels(protocol: Protocol) -> Protocol:
    """Return an equivalent protocol with insecure channels only."""
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
    """Return the name of a channel's end for the others. A pseudonym is a fresh public key of its
    owner.
    """
    if end.pseudonymous:
        return variable(f"{end.agent.name}*", Sort.PUBLIC_KEY)
    return end.agent
