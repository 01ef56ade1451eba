"""The client's end of the table's protocol."""

import pytest

from player.client.table_protocol import TableProtocol
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import INVITE_SIZE
from protocol.messages import table as messages
from protocol.messages.table import VERSION, ConnectionPhase, Sender


def _greeted(invite=b""):
    sent = []
    protocol = TableProtocol("Ann", invite)
    protocol.attach(sent.append)
    return protocol, sent


def _decoded(sent):
    return [messages.decode(each, Sender.PLAYER, ConnectionPhase.GREETING).name for each in sent]


@pytest.mark.parametrize(
    ("invite", "names"),
    [(b"", ["hello"]), (bytes(INVITE_SIZE), ["invite", "hello"])],
    ids=["open", "link"],
)
def test_attach_greets_with_the_secret_of_the_link_first(invite, names):
    _, sent = _greeted(invite)
    assert _decoded(sent) == names


def test_welcome_of_another_version_is_refused():
    protocol, _ = _greeted()
    with pytest.raises(RemoteError) as refused:
        protocol.receive(messages.encode("welcome", VERSION + 1, "table", []))
    assert refused.value.code is Code.WRONG_VERSION
    assert protocol.phase is ConnectionPhase.GREETING


@pytest.mark.parametrize(
    "before",
    [messages.encode("keys", b"k"), messages.encode("error", str(Code.TOO_MANY))],
    ids=["history", "error"],
)
def test_history_is_the_first_message_or_refused(before):
    protocol, sent = _greeted()
    protocol.receive(before)
    with pytest.raises(RemoteError) as refused:
        protocol.receive(messages.encode("keys", b"k"))
    assert refused.value.code is Code.BAD_MESSAGE
    protocol.detach()
    protocol.attach(sent.append)
    assert protocol.receive(messages.encode("keys", b"k")).name == "keys"


def test_lobby_message_before_the_welcome_is_refused():
    protocol, _ = _greeted()
    with pytest.raises(RemoteError):
        protocol.receive(messages.encode("tables", []))
    protocol.receive(messages.encode("welcome", VERSION, "table", []))
    assert protocol.receive(messages.encode("tables", [])).name == "tables"


def test_new_connection_begins_with_a_greeting():
    protocol, sent = _greeted()
    protocol.receive(messages.encode("welcome", VERSION, "table", []))
    protocol.detach()
    protocol.post("list")
    assert _decoded(sent) == ["hello"]
    protocol.attach(sent.append)
    assert protocol.phase is ConnectionPhase.GREETING
    assert _decoded(sent) == ["hello", "hello"]
