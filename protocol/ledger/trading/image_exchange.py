"""Images of cards that lie on the table, and of who made them: asked for beside a trade, which
never needs them.

One image at a time, so that no more than one ever stands before a signature on the line (chapter
25.6).
"""

from collections import deque
from collections.abc import Collection

from protocol.errors import LocalError
from protocol.ledger.merge.image_transfer import ImageTransfer
from protocol.ledger.trading.card_store import CardStore
from protocol.limits import MAX_MERGE_IMAGES, MAX_TRADE_IMAGES


class ImageExchange:
    """One side of a session. The other may have the images of cards that lie, or lay, on the table,
    and no others.

    A disk that fails ends nothing here: the image counts as one that is not there.
    """

    def __init__(self, book: CardStore) -> None:
        self._book = book
        self._may_have: set[bytes] = set()  # digests that the other may ask for
        self._looked_for: set[bytes] = set()  # digests, here or not
        self._wanted: deque[bytes] = deque()
        self._given = self._taken = 0  # bytes
        self._images = ImageTransfer(self._give, self._may_have)

    def allow_images(self, cards: Collection[bytes]) -> None:
        """These cards lie on the table, as far as they are known."""
        self._may_have.update(self._book.image_digests(cards))

    def request_images(self, cards: Collection[bytes]) -> None:
        """All about these cards is here: ask for the images that are not."""
        for digest in self._book.image_digests(cards):
            if digest not in self._looked_for and len(self._looked_for) < MAX_MERGE_IMAGES:
                self._looked_for.add(digest)
                if self._held(digest) is None:
                    self._wanted.append(digest)

    def outgoing(self) -> list[bytes]:
        """What to send."""
        if self._wanted and not self._images.waiting and self._taken < MAX_TRADE_IMAGES:
            self._images.ask([self._wanted.popleft()])
        return self._images.outgoing()

    def received(self, message: bytes) -> int:
        """Take a message; how many images it has brought. Raises: RemoteError as
        `ImageTransfer.received`.
        """
        images = self._images.received(message)
        self._taken += sum(map(len, images))
        try:
            return self._book.store_images(images) if images else 0
        except LocalError:
            return 0

    def _give(self, digest: bytes) -> bytes | None:
        """An image for the other, while it has not had too much."""
        image = self._held(digest) if self._given < MAX_TRADE_IMAGES else None
        self._given += len(image or b"")
        return image

    def _held(self, digest: bytes) -> bytes | None:
        try:
            return self._book.image(digest)
        except LocalError:
            return None
