"""Signed rule sets of a data folder: those that the person has made, and those that tables offered.

A set is stored before anybody is asked about it. Nothing of its rules is parsed here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from player.cards.storage.database import FILE, Database
from player.client.rule_sets import OfferedRules, Standing
from player.storage.contacts import read_contacts
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN, Games
from protocol.games.scripted.rule_file.rule_set import RuleSet, read_rule_set
from protocol.i18n import available_languages, labels
from protocol.identity.keys import fingerprint
from protocol.identity.names import name_problem, name_skeleton
from protocol.limits import MAX_RULE_SETS_KNOWN, MAX_RULE_SETS_STORED, MAX_STRANGE_RULE_SETS
from protocol.view.phrase import Phrase, phrase

_OWN_NAME = "fairdeal"
# the rows of an author that are no newest number of their name go first
_FORGET = """
    DELETE FROM rule_sets WHERE number IN (
        SELECT number FROM rule_sets AS one WHERE author = ? AND digest != ? ORDER BY revision = (
            SELECT max(revision) FROM rule_sets WHERE author = one.author AND name = one.name
        ), number LIMIT max(0, (SELECT count(*) FROM rule_sets WHERE author = ?) - ?)
    )
"""


class _Row(NamedTuple):
    """A stored set. `text` is None if only its number is remembered."""

    number: int
    digest: str
    author: bytes
    name: str
    revision: int
    body: bytes  # digest of the text that the author has signed
    text: bytes | None
    chosen: int

    @property
    def rules(self) -> RuleSet | None:
        """The set; None if its text is gone."""
        return None if self.text is None else read_rule_set(self.text.decode())


def rule_set_name_problem(name: str, games: Games = BUILT_IN) -> Phrase | None:
    """Say why a rule set may not have this name; None if it may.

    A name is one that a person may have, and does not look like that of a game which comes along.
    """
    if (wrong := name_problem(name)) is not None:
        return wrong
    if name_skeleton(name) in _shipped() | {name_skeleton(game) for game in games.specs}:
        return phrase("rule_set.name.shipped", name=name)
    return None


@cache
def _shipped() -> frozenset[str]:
    """Skeletons of the names of games that come along, in all languages."""
    titles = (
        title
        for language in available_languages()
        for key, title in labels(language, area="page").items()
        if key.split(".")[1] == "game"
    )
    return frozenset(name_skeleton(name) for name in (_OWN_NAME, *BUILT_IN.specs, *titles))


class RuleSetStore:
    """The `player.client.rule_sets.RuleSets` of a data folder."""

    def __init__(
        self, data: Path, me: bytes = b"", *, older: bool = False, games: Games = BUILT_IN
    ) -> None:
        """`me`: the person's key, empty if it is not known. `older`: the person has said that sets
        may have lower numbers than the newest one met.
        """
        self._data = data
        self._me = me
        self._older = older
        self._games = games
        self._answered: tuple[object, dict[str, OfferedRules | None]] = (None, {})

    def offered(self, digest: str) -> OfferedRules | None:
        """Implement `RuleSets.offered`. The last answers are stored: a page asks at every change."""
        stamp = self._stamp()
        if self._answered[0] != stamp:
            self._answered = (stamp, {})
        answers = self._answered[1]
        if digest not in answers:
            answers[digest] = next(self._offers(digest), None)
        return answers[digest]

    def all(self) -> list[OfferedRules]:
        """Return the sets with a text, by author, name and number. Raises: LocalError."""
        return list(self._offers())

    def _offers(self, digest: str | None = None) -> Iterator[OfferedRules]:
        if not (self._data / FILE).exists():
            return
        with self._open() as database:
            rows, marks = _rows(database), _marks(database)
        known = read_contacts(self._data)
        for row in sorted(rows, key=lambda row: (row.author, row.name, row.revision)):
            if digest in (None, row.digest) and (rules := row.rules) is not None:
                contact = known.get(fingerprint(row.author))
                author = contact.names[-1] if contact and contact.names else ""
                namesakes = self._namesakes(row, rows, marks)
                newest = 1 + max(
                    other.revision
                    for other in rows
                    if (other.author, other.name) == (row.author, row.name)
                )
                standing = self._standing(row, rows, marks)
                yield OfferedRules(rules, standing, author, newest, namesakes)

    def own(self, name: str) -> RuleSet | None:
        """Return the person's newest set of this name. Raises: LocalError."""
        mine = [
            one.rules
            for one in self.all()
            if (one.rules.author, one.rules.name) == (self._me, name)
        ]
        return max(mine, key=lambda rules: rules.number, default=None)

    def keep(self, rules: RuleSet) -> None:
        """Implement `RuleSets.keep`."""
        author = rules.author
        with self._open() as database, database.transaction():
            database.run(
                "INSERT INTO rule_sets (digest, author, name, revision, body, text) VALUES "
                "(?, ?, ?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET text = excluded.text",
                rules.digest,
                author,
                rules.name,
                rules.header.revision,
                rules.header.text,
                rules.text.encode(),
            )
            if author == self._me or _marks(database).get(author):
                _limit_author(database, rules)
            else:
                database.run(
                    "DELETE FROM rule_sets WHERE number IN (SELECT number FROM rule_sets WHERE "
                    "author != ? AND author NOT IN (SELECT key FROM trust WHERE trusted) "
                    "ORDER BY number DESC LIMIT -1 OFFSET ?)",
                    self._me,
                    MAX_STRANGE_RULE_SETS,
                )

    def trust(self, offered: OfferedRules) -> None:
        """Implement `RuleSets.trust`."""
        rules = offered.rules
        match offered.standing:
            case Standing.STRANGE:
                self.mark(rules.author, True)
            case Standing.OLDER | Standing.DISPUTED:
                self.choose(rules)
            case Standing.DISTRUSTED | Standing.NAMED:
                problem = offered.problem()
                assert problem is not None
                raise LocalError(problem)

    def mark(self, author: bytes, trusted: bool | None) -> None:
        """Trust or distrust an author, as `fairdeal cards trust`. Raises: LocalError."""
        with self._open() as database:
            if trusted is None:
                database.run("DELETE FROM trust WHERE key = ?", author)
            else:
                database.run("INSERT OR REPLACE INTO trust VALUES (?, ?)", author, int(trusted))

    def choose(self, rules: RuleSet) -> None:
        """Let this set be played although its author has signed another one with its number, or one
        with a higher number. Raises: LocalError.
        """
        with self._open() as database, database.transaction():
            key = rules.author, rules.name, rules.header.revision
            database.run(
                "UPDATE rule_sets SET chosen = 0 WHERE author = ? AND name = ? AND revision = ?",
                *key,
            )
            database.run("UPDATE rule_sets SET chosen = 1 WHERE digest = ?", rules.digest)

    def _standing(self, row: _Row, rows: list[_Row], marks: dict[bytes, bool]) -> Standing:
        own = row.author == self._me
        mark = True if own else marks.get(row.author)
        same = [one for one in rows if (one.author, one.name) == (row.author, row.name)]
        if rule_set_name_problem(row.name, self._games) is not None:
            return Standing.NAMED
        if mark is False:
            return Standing.DISTRUSTED
        if not row.chosen and any(
            other.revision == row.revision and other.body != row.body for other in same
        ):
            return Standing.DISPUTED
        if mark is None:
            return Standing.STRANGE
        if not (row.chosen or self._older or own) and any(
            other.revision > row.revision for other in same
        ):
            return Standing.OLDER
        return Standing.FIT

    def _namesakes(self, row: _Row, rows: list[_Row], marks: dict[bytes, bool]) -> tuple[str, ...]:
        """Return the fingerprints of other trusted authors who have a set of a similar name."""
        skeleton = name_skeleton(row.name)
        return tuple(
            sorted(
                {
                    fingerprint(other.author)
                    for other in rows
                    if other.author != row.author
                    and (other.author == self._me or marks.get(other.author))
                    and name_skeleton(other.name) == skeleton
                }
            )
        )

    def _stamp(self) -> tuple[int, ...]:
        """Return the times at which any program has changed the stored sets or marks."""
        paths = (self._data / f"{FILE}{suffix}" for suffix in ("", "-wal"))
        return tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in paths)

    @contextmanager
    def _open(self) -> Iterator[Database]:
        database = Database(self._data / FILE)
        try:
            yield database
        finally:
            database.close()


def _limit_author(database: Database, newest: RuleSet) -> None:
    """Forget the oldest texts of an author, and then the oldest numbers, but not those of the set
    that was just stored.
    """
    author = newest.author
    database.run(
        "UPDATE rule_sets SET text = NULL WHERE number IN (SELECT number FROM rule_sets WHERE "
        "author = ? AND digest != ? AND text IS NOT NULL ORDER BY number DESC LIMIT -1 OFFSET ?)",
        author,
        newest.digest,
        MAX_RULE_SETS_STORED - 1,
    )
    database.run(
        _FORGET,
        author,
        newest.digest,
        author,
        MAX_RULE_SETS_KNOWN,
    )


def _rows(database: Database) -> list[_Row]:
    query = "SELECT number, digest, author, name, revision, body, text, chosen FROM rule_sets"
    return [_Row(*row) for row in database.rows(query)]


def _marks(database: Database) -> dict[bytes, bool]:
    rows: list[tuple[Any, ...]] = database.rows("SELECT key, trusted FROM trust")
    return {key: bool(trusted) for key, trusted in rows}
