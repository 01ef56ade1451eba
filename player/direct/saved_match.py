"""The stored state of a match without a table, beside the identity that it belongs to.

    peers/<nonce of the invitation>.json   the invitation, the own seat, the place of the log, and the seed

It is on disk before the first own entry is sent. The log file itself is the outbox: an own entry is
in it before it goes out. When the match is over the seed is deleted. The rest stays, so that the
last letter can be sent again.
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from random import Random

from player.client.loadouts import NO_OWNED_CARDS, Loadouts
from player.storage.files import read_json, write_json
from player.storage.log_store import StoredLog, damaged, usual_path
from player.storage.recovery_state import PEERS
from protocol.codes import Code
from protocol.crypto.seeded_random import SEED
from protocol.dealing import Fault
from protocol.errors import LocalError, RemoteError
from protocol.games.decks.deck_hand import Loadout, loadout_bytes, read_loadout
from protocol.games.decks.ownership import Ownership
from protocol.games.registry import BUILT_IN, Games, UnknownRules, unknown_rules_phrase
from protocol.identity.names import check_name
from protocol.match.setup import Person
from protocol.messages.parcel import Invitation, decode_parcel, encode_parcel

NOTHING_BROUGHT = Loadout()
NOTHING = loadout_bytes(NOTHING_BROUGHT)


class SavedState(StrEnum):
    """The state of a saved match."""

    INVITED = "invited"  # somebody has invited us, and we have not answered
    OPEN = "open"  # we have invited, or accepted
    OVER = "over"


@dataclass(frozen=True)
class SavedMatch(StoredLog):
    """One match with one other person. Not shown by `repr`: the seed."""

    invitation: Invitation
    person: Person  # ourselves
    partner: str  # where the other side is: a mail address, a join link, or where we listen for it
    address: str  # our own mail address; empty over a connection
    state: SavedState
    seed: bytes = field(default=b"", repr=False)
    # what our seat plays with (`protocol.games.decks.deck_hand`)
    brings: bytes = field(default=NOTHING, repr=False)
    found: tuple[Fault, ...] = ()  # faults that the log itself does not show

    @property
    def name(self) -> str:
        """Return the match's name for people: the first letters of its file's name."""
        return self.invitation.nonce.hex()[:8]

    @property
    def mine(self) -> bool:
        """Return True if this side invited."""
        return self.invitation.inviter == self.person

    @property
    def by_mail(self) -> bool:
        """Return True if the match is played by letters."""
        return bool(self.address)

    def save(self) -> None:
        """Put it on disk. Raises: LocalError."""
        value = {
            "invitation": encode_parcel(self.invitation).hex(),
            "name": self.person.name,
            "identity": self.person.identity.hex(),
            "partner": self.partner,
            "address": self.address,
            "log": str(self.log),
            "state": str(self.state),
            "seed": self.seed.hex(),
            "brings": self.brings.hex(),
            "found": [[fault.seat, fault.entry, str(fault.code)] for fault in self.found],
        }
        write_json(saved_path(self.data, self.invitation.nonce), value)

    def opened(
        self,
        person: Person,
        rng: Random,
        brings: Loadout = NOTHING_BROUGHT,
        loadouts: Loadouts = NO_OWNED_CARDS,
    ) -> "SavedMatch":
        """Accept the match as `person` with the loadout `brings`, and save it with a new seed.

        `loadouts` checks the cards after the match is on disk, so that no trade begins after the
        check. Raises: LocalError, also for a card that was traded away after the choice. Then the
        files are as before.
        """
        kept = loadout_bytes(brings)
        saved = replace(
            self, person=person, state=SavedState.OPEN, seed=rng.randbytes(SEED), brings=kept
        )
        saved.save()
        try:
            loadouts.check_free(person.identity, brings)
        except LocalError:
            self._take_back()
            raise
        return saved

    def _take_back(self) -> None:
        """Take back an acceptance that was sent to nobody."""
        if self.state is SavedState.INVITED:
            self.save()
        else:
            saved_path(self.data, self.invitation.nonce).unlink(missing_ok=True)

    def brought(self, knows: Ownership) -> Loadout:
        """Return the loadout of the own seat, with what its program knows now. Raises: LocalError."""
        try:
            return read_loadout(self.brings, knows)
        except RemoteError:
            raise damaged(saved_path(self.data, self.invitation.nonce)) from None

    def ended(self, found: tuple[Fault, ...]) -> "SavedMatch":
        """The match is over: without the seed, and on disk. Raises: LocalError."""
        saved = replace(self, state=SavedState.OVER, seed=b"", brings=NOTHING, found=found)
        saved.save()
        return saved

    def forget(self) -> None:
        """Drop the match. The log stays, and so does the note that this invitation was answered.

        Accepted again, with another seed, it would make this seat sign two entries with one
        number.
        """
        self.ended(self.found)


def new_saved(
    data: Path,
    invitation: Invitation,
    person: Person,
    partner: str,
    address: str,
    state: SavedState,
) -> SavedMatch:
    """Not on disk yet. The log's name has all of the nonce, of which the inviter may choose any
    part.
    """
    usual = usual_path(Path(), invitation.nonce, person.identity)
    log = usual.with_stem(f"{usual.stem}-{invitation.nonce.hex()[8:]}")
    return SavedMatch(data.resolve(), log, invitation, person, partner, address, state)


def saved_path(data: Path, nonce: bytes) -> Path:
    """Return the file of an invitation's match."""
    return data / PEERS / f"{nonce.hex()}.json"


def read_saved(data: Path, nonce: bytes, games: Games = BUILT_IN) -> SavedMatch | None:
    """The match of this invitation. Raises: LocalError for a damaged one."""
    path = saved_path(data, nonce)
    if path.exists():
        return _saved(data.resolve(), path, games)
    return None


def read_all_saved(data: Path, games: Games = BUILT_IN) -> list[SavedMatch]:
    """All saved matches, the oldest first. Raises: LocalError for a damaged one."""
    saved_matches = [_saved(data.resolve(), path, games) for path in (data / PEERS).glob("*.json")]
    return sorted(
        saved_matches, key=lambda saved: (saved.invitation.created, saved.invitation.nonce)
    )


def _saved(data: Path, path: Path, games: Games) -> SavedMatch:
    value = read_json(path)
    try:
        invitation = decode_parcel(bytes.fromhex(value["invitation"]), games)
        if not isinstance(invitation, Invitation) or path.stem != invitation.nonce.hex():
            raise ValueError("another invitation than the file's name says")
        check_name(value["name"])
        person = Person(value["name"], bytes.fromhex(value["identity"]))
        state = SavedState(value["state"])
        seed = bytes.fromhex(value["seed"])
        brings = bytes.fromhex(value["brings"])
        if (len(seed) == SEED) is not (state is SavedState.OPEN):
            raise ValueError("a seed of the wrong size")
        found = tuple(
            Fault(int(seat), int(entry), Code(code)) for seat, entry, code in value["found"]
        )
        partner = str(value["partner"])
        address = str(value["address"])
        log = Path(value["log"])
    except UnknownRules as unknown:
        raise LocalError("wrong.saved", path=str(path), why=unknown_rules_phrase(unknown)) from None
    except (KeyError, TypeError, ValueError, RemoteError):
        raise damaged(path) from None
    return SavedMatch(data, log, invitation, person, partner, address, state, seed, brings, found)
