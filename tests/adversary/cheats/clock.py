"""Cheats of a table with its clock: false statements about time."""

from protocol.codes import Code
from protocol.dealing import TABLE, Post
from protocol.limits import DEFAULT_EXTENSIONS
from protocol.match.log import EntryContent, make_entry
from tests.adversary.cheats.table import LONG, EntryCheatTable

WARNED = ("warning",)
ALL_EXTENDED = ("warning", "extension") * DEFAULT_EXTENSIONS + WARNED


class ClockCheat(EntryCheatTable):
    """Table that says `honest` on a seat's turn as soon as it may, then `false` after a wait that
    is `short` milliseconds too short.
    """

    honest: tuple[str, ...] = ()
    false = "lapse"
    short = 1  # milliseconds

    def cheat(self, raw, entry):
        if entry.kind != "move":
            return None
        for kind in self.honest:
            due = self.match.next_clock_entry(entry.author)
            assert due.kind == kind
            self.post_clock(Post(kind, [entry.author, due.after]))
        after = self.match.next_clock_entry(entry.author).after
        return [self.say(self.false, [entry.author, after - self.short])]

    def say(self, kind, body):
        """Post this even if the fold refuses it."""
        sequence = self.log.sequence(TABLE)
        return self.log_anyway(
            make_entry(
                self._identity,
                self.log.match_id,
                EntryContent(TABLE, sequence, self.log.newest_head, kind, body),
            )
        )


class WarnsTooEarly(ClockCheat):
    """Warns a seat that has more time left than a warning gives notice."""

    code, false = Code.TOO_EARLY, "warning"


class ExtendsTooEarly(ClockCheat):
    """Uses up a seat's extension before its time is over."""

    code, honest, false = Code.TOO_EARLY, WARNED, "extension"


class LapsesTooEarly(ClockCheat):
    """Ends a turn one millisecond before its time."""

    code, honest = Code.TOO_EARLY, ALL_EXTENDED


class LapsesUnwarned(ClockCheat):
    """Ends a turn without a warning, after any wait."""

    code, short = Code.NOT_NOW, -LONG


class LapsesWithExtensionsLeft(ClockCheat):
    """Ends the turn of a seat that has extensions left."""

    code, honest, short = Code.NOT_NOW, WARNED, -LONG


class LapsesOnTheOldWarning(ClockCheat):
    """Ends a turn without a second warning after the time was extended."""

    code, honest, short = Code.NOT_NOW, ALL_EXTENDED[:-1], -LONG


class ExtendsBeyondTheBank(ClockCheat):
    """Gives a colluding seat more extensions than the match has."""

    code, honest, false, short = Code.NOT_NOW, ALL_EXTENDED, "extension", -LONG


class WarnsTwice(ClockCheat):
    """Warns a seat of the same limit again."""

    code, honest, false, short = Code.NOT_NOW, WARNED, "warning", -LONG


class WarnsWhoOwesNothing(ClockCheat):
    """Warns a seat without a duty."""

    code = Code.NOT_NOW

    def cheat(self, raw, entry):
        if entry.kind != "move":
            return None
        return [self.say("warning", [(entry.author + 1) % self.match.setup.seats, LONG])]


class WarnsNobody(ClockCheat):
    """Warns a seat that does not exist."""

    code = Code.NOT_NOW

    def cheat(self, raw, entry):
        return (
            [self.say("warning", [self.match.setup.seats, LONG])] if entry.kind == "move" else None
        )


TABLE_CHEATS = [
    WarnsTooEarly,
    ExtendsTooEarly,
    LapsesTooEarly,
    LapsesUnwarned,
    LapsesWithExtensionsLeft,
    LapsesOnTheOldWarning,
    ExtendsBeyondTheBank,
    WarnsTwice,
    WarnsWhoOwesNothing,
    WarnsNobody,
]
