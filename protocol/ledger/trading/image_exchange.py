"""Exchange of images of offered cards and their creators during a trade, which never depends on
them.

Images are sent one at a time, so that at most one delays a signature on the line (chapter 25.6).
"""

from collections import deque
from collections.abc import Collection

from protocol.errors import LocalError
from protocol.ledger.merge.image_transfer import ImageTransfer
from protocol.ledger.trading.card_store import CardStore
from protocol.limits import MAX_MERGE_IMAGES, MAX_TRADE_IMAGES


class ImageExchange:
    """A side of a session. The other side may have only the images of cards that are or were on
    offer.

    A disk error does not end the session: the image counts as missing.
    """

    def __init__(self, book: CardStore) -> None:
        self._book = book
        self._may_have: set[bytes] = set()  # digests that the other side may ask for
        self._looked_for: set[bytes] = set()  # digests that were looked up, found or not
        self._wanted: deque[bytes] = deque()
        self._given = self._taken = 0  # bytes of images sent and received
        self._images = ImageTransfer(self._give, self._may_have)

    def allow_images(self, cards: Collection[bytes]) -> None:
        """Let the other side ask for the images of these cards."""
        self._may_have.update(self._book.image_digests(cards))

    def request_images(self, cards: Collection[bytes]) -> None:
        """Request the missing images of these cards, whose records are complete."""
        for digest in self._book.image_digests(cards):
            if digest not in self._looked_for and len(self._looked_for) < MAX_MERGE_IMAGES:
                self._looked_for.add(digest)
                if self._held(digest) is None:
                    self._wanted.append(digest)

    def outgoing(self) -> list[bytes]:
        """Return the messages to send."""
        if self._wanted and not self._images.waiting and self._taken < MAX_TRADE_IMAGES:
            self._images.ask([self._wanted.popleft()])
        return self._images.outgoing()

    def received(self, message: bytes) -> int:
        """Process a message, and return the number of new images. Raises: RemoteError as in
        `ImageTransfer.received`.
        """
        images = self._images.received(message)
        self._taken += sum(map(len, images))
        try:
            return self._book.store_images(images) if images else 0
        except LocalError:
            return 0

    def _give(self, digest: bytes) -> bytes | None:
        """Return an image for the other side, up to MAX_TRADE_IMAGES bytes in total."""
        if self._given < MAX_TRADE_IMAGES:
            image = self._held(digest)
        else:
            image = None
        self._given += len(image or b"")
        return image

    def _held(self, digest: bytes) -> bytes | None:
        try:
            return self._book.image(digest)
        except LocalError:
            return None
