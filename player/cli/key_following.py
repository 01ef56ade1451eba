"""Visits to a table that shows another key than it had: the table is asked for its key history, and
the person before a rotation is followed (docs/protocol, 38).
"""

from collections.abc import Callable
from pathlib import Path

from player.client.environment import Environment
from player.client.key_question import ask_history
from player.presenter.match_screen import AskingScreen, MatchScreen
from player.storage.data_directory import command_text
from player.storage.known_tables import ChangedTable, KnownTables
from player.storage.table_keys import TableKeys
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.key_history import KeyHistory, Succession, decode_history
from protocol.identity.keys import JoinLink, fingerprint
from protocol.view.phrase import Phrase, phrase


async def follow_key(
    link: JoinLink, expected: str | None, environment: Environment, data: Path, screen: MatchScreen
) -> None:
    """Note the key that a table has now, if rotations lead to it and the person confirms. Raises:
    ChangedTable, which says why not; LocalError.
    """
    found, history = await _history(link, expected, environment, data)
    if found is not Succession.FOLLOWED or not isinstance(screen, AskingScreen):
        raise _refusal(link, expected, data, found, history)
    assert expected is not None
    assert history is not None
    question = phrase(
        "keys.question", address=link.address_text, old=expected, new=fingerprint(history.key)
    )
    if not await screen.confirm(question):
        raise _refusal(link, expected, data, found, history)
    TableKeys(data).follow(expected, history)
    screen.tell(phrase("keys.followed", new=fingerprint(history.key)), always=True)


async def explain_other_key(link: JoinLink, environment: Environment, data: Path) -> ChangedTable:
    """Return why a table is refused that shows another key than it had. Raises: LocalError."""
    expected = KnownTables(data).expected(link)
    found, history = await _history(link, expected, environment, data)
    return _refusal(link, expected, data, found, history)


async def _history(
    link: JoinLink, expected: str | None, environment: Environment, data: Path
) -> tuple[Succession, KeyHistory | None]:
    history = await ask_history(link, environment.rng, environment.connect)
    if history is None or expected is None:
        return Succession.UNRELATED, None
    return TableKeys(data).consider(expected, history), history


def _refusal(
    link: JoinLink,
    expected: str | None,
    data: Path,
    found: Succession,
    history: KeyHistory | None,
) -> ChangedTable:
    key = {
        Succession.FOLLOWED: "wrong.keys.confirm",
        Succession.NOT_COMMITTED: "wrong.keys.not_committed",
        Succession.CONFLICT: "wrong.keys.conflict",
    }.get(found)
    if key is None or history is None:
        return KnownTables(data).refusal(link)
    return ChangedTable(
        key,
        address=link.address_text,
        before=str(expected),
        new=fingerprint(history.key),
        command=command_text("join", data, str(link)),
    )


def watch_keys(data: Path, tell: Callable[[Phrase], None]) -> Callable[[bytes, bytes], None]:
    """Return a callback for the key history that a visited table shows. Its arguments are the key that
    the table has proved, and the encoded history. It pins the history, and tells if the key has
    signed two statements that differ.

    The callback raises RemoteError for a history of another key, and LocalError.
    """

    def shown(table_key: bytes, encoded: bytes) -> None:
        history = decode_history(encoded)
        if history.key != table_key:
            raise RemoteError(Code.BAD_MESSAGE)
        keys, whose = TableKeys(data), fingerprint(table_key)
        keys.consider(whose, history)
        if keys.is_in_conflict(table_key):
            tell(phrase("keys.conflict", fingerprint=whose))

    return shown
