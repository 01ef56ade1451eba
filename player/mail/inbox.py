"""The letters that come in: read from boxes and servers, opened, and taken in by the matches that
they belong to.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from player.direct.saved_match import SavedMatch, SavedState, new_saved, read_all_saved, read_saved
from player.mail import mail_text
from player.mail.correspondence import Correspondence, MailStopped
from player.mail.letter import open_letter, sender_of
from player.mail.mailbox_files import read_box
from player.mail.servers import fetch_mails
from player.storage import contacts
from player.storage.contacts import introduce
from player.storage.data_directory import command_text
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_INVITATIONS, MAX_LETTERS_HELD
from protocol.match.log import NO_HASH, decode_entry
from protocol.match.setup import Person, parse_setup
from protocol.messages.parcel import EntriesParcel, Invitation, Parcel
from protocol.view.phrase import phrase

MONTH = 31 * 24 * 3600  # seconds; an invitation that is older has to be given as a file


def read(to: Correspondence, where: Sequence[str]) -> int:
    """Read letters from these places, or from where the configuration says; how many were
    refused.
    """
    opened, refused = _open_all(to, where)
    opened.sort(
        key=lambda letter: (0,) if isinstance(letter[0], Invitation) else (1, letter[0].first)
    )
    for parcel, sender, meant in opened:
        try:
            _take(to, parcel, sender, meant)
        except RemoteError as error:
            to.say([mail_text.refused(error.code, to.said)], always=True)
            refused += 1
        except MailStopped as error:  # one match; the letters of others are read all the same
            to.tell(error.phrase, always=True)
            refused += 1
    return refused


def _open_all(
    to: Correspondence, where: Sequence[str]
) -> tuple[list[tuple[Parcel, str, bool]], int]:
    """The letters there, as far as they fit into memory: parcel, sender, meant; and how many were
    refused.

    A mail that cannot be read is set aside with its reason. Whoever fills a box with letters that
    concern no match of ours keeps nobody from the others: those are not held.
    """
    opened: list[tuple[Parcel, str, bool]] = []
    held = refused = 0
    mails = (letter for place in where for letter in _one_or_many(read_box(place)))
    for raw, meant in mails if where else ((raw, False) for raw in _incoming(to)):
        try:
            parcel = open_letter(raw, to.games)
            if isinstance(parcel, EntriesParcel) and not meant and parcel.first:
                _saved_of(to, parcel)
        except RemoteError as error:
            if meant or error.code is not Code.NO_PARCEL:
                to.say([mail_text.refused(error.code, to.said)], always=True)
                refused += 1
            continue
        held += len(raw)
        if held > MAX_LETTERS_HELD:
            to.tell(phrase("letter.too_many"), always=True)
            break
        opened.append((parcel, sender_of(raw) if isinstance(parcel, Invitation) else "", meant))
    return opened, refused


def _incoming(to: Correspondence) -> Iterable[bytes]:
    source = to.config.incoming
    if source is None:
        raise LocalError("wrong.mail.which")
    if isinstance(source, str):
        return read_box(source)
    saved_matches = [
        saved for saved in read_all_saved(to.data, to.games) if saved.state is not SavedState.OVER
    ]
    oldest = min(
        (saved.invitation.created for saved in saved_matches), default=int(time.time()) - MONTH
    )
    return fetch_mails(source, min(oldest, time.time() - MONTH))


def _take(to: Correspondence, parcel: Parcel, sender: str, meant: bool) -> None:
    if isinstance(parcel, Invitation):
        _take_invitation(to, parcel, sender, meant)
        return
    saved = _saved_of(to, parcel)
    if saved.state is SavedState.OVER:
        if meant:
            to.tell(phrase("letter.changes_nothing", name=saved.name))
        return
    if not meant and _answered(saved, parcel):
        return
    to.go_on(saved, parcel, meant=meant)


def _take_invitation(to: Correspondence, invitation: Invitation, sender: str, meant: bool) -> None:
    known = read_saved(to.data, invitation.nonce, to.games)
    if known is not None or invitation.inviter.identity == to.identity.public:
        if meant:
            own = known is None or known.mine
            to.tell(phrase("letter.own_invitation" if own else "letter.read_before"))
        return
    waiting = sum(saved.state is SavedState.INVITED for saved in read_all_saved(to.data, to.games))
    if waiting >= MAX_INVITATIONS:
        drop = command_text("mail drop", to.data)
        to.tell(phrase("letter.not_kept", waiting=waiting, command=drop), always=True)
        return
    nobody = Person(invitation.inviter.name, to.identity.public)  # until we accept, with a name
    saved = new_saved(to.data, invitation, nobody, sender, "", SavedState.INVITED)
    saved.save()
    about = introduce(contacts.read_contacts(to.data), invitation.inviter, to.translate)
    to.say(
        [
            *mail_text.invitation_status(saved, to.said),
            *about,
            *mail_text.how_to_accept(saved, bool(to.config.address), to.said),
        ]
    )


def _saved_of(to: Correspondence, parcel: EntriesParcel) -> SavedMatch:
    """The match that entries belong to. Raises: RemoteError if there is none."""
    if parcel.first == 0:
        first = decode_entry(parcel.records[0][0])
        saved = read_saved(to.data, parse_setup(first.body, to.games).nonce, to.games)
        if saved is None:
            raise RemoteError(Code.NOT_INVITED)
        # not accepted yet, or played over a connection
        if not saved.by_mail and saved.state is not SavedState.OVER:
            raise RemoteError(Code.WRONG_MATCH)
        return saved
    for saved in read_all_saved(to.data, to.games):
        records = saved.records() if saved.by_mail else []
        if records and digest("chain", NO_HASH, 0, records[0][0]) == parcel.match_id:
            return saved
    raise RemoteError(Code.WRONG_MATCH)


def _one_or_many(mails: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Mails, and whether each was meant: it was given alone, not with the mailbox that it lies
    in.
    """
    first = list(islice(mails, 2))
    for raw in chain(first, mails):
        yield raw, len(first) == 1


def _answered(saved: SavedMatch, parcel: EntriesParcel) -> bool:
    """Check that the whole letter stands in the own log, with more after it, without checking the
    log again.
    """
    records = saved.records()
    end = parcel.first + len(parcel.records)
    return len(records) > end and tuple(records[parcel.first : end]) == parcel.records
