"""Transfer of images, which records name by their digests, in small batches during or after a
merge.
"""

from collections import deque
from collections.abc import Callable, Container, Iterable

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.merge.messages import decode, encode
from protocol.ledger.records import image_digest
from protocol.limits import MAX_CARD_IMAGE, MAX_MERGE_IMAGES, MERGE_IMAGES, MERGE_MESSAGE


class ImageTransfer:
    """A side of a transfer.

    `held` returns the image of a digest, if this side has it. `may_have` contains the digests that
    the other side may ask for: those in records that it has sent or received. About other digests
    it learns nothing.
    """

    def __init__(self, held: Callable[[bytes], bytes | None], may_have: Container[bytes]) -> None:
        self._held = held
        self._may_have = may_have
        self._answers: deque[bytes] = deque()  # queued messages
        self._given: set[bytes] = set()  # digests that the other side has asked for
        self._wanted: deque[bytes] = deque()
        # requested digests, in the order in which the other side answers them
        self._asked: deque[bytes] = deque()
        self._coming = bytearray()  # bytes received of the first requested image

    @property
    def waiting(self) -> int:
        """Number of images that are not requested or not received yet."""
        return len(self._wanted) + len(self._asked)

    def ask(self, digests: Iterable[bytes]) -> None:
        """Request these images, in this order."""
        self._wanted += digests

    def outgoing(self) -> list[bytes]:
        """Return the messages to send: answers, and the next request after the previous one has
        been answered.
        """
        out = [*self._answers]
        self._answers.clear()
        if self._wanted and not self._asked:
            self._asked += [
                self._wanted.popleft() for _ in range(min(MERGE_IMAGES, len(self._wanted)))
            ]
            out.append(encode("images", list(self._asked)))
        return out

    def received(self, message: bytes) -> list[bytes]:
        """Process a message. Returns the image if its last part has arrived.

        Raises: RemoteError(BAD_MESSAGE) for a message without a request, or the wrong image;
        RemoteError(TOO_MANY).
        """
        name, values = decode(message)
        if name == "images":
            for digest in values[0]:
                self._give(digest)
            return []
        if name not in ("image", "no_image") or not self._asked or values[0] != self._asked[0]:
            raise RemoteError(Code.BAD_MESSAGE)
        if name == "image":
            return self._take(*values)
        if self._coming:
            raise RemoteError(Code.BAD_MESSAGE)
        self._asked.popleft()
        return []

    def _give(self, digest: bytes) -> None:
        if digest in self._given:
            raise RemoteError(Code.BAD_MESSAGE)
        if len(self._given) == MAX_MERGE_IMAGES:
            raise RemoteError(Code.TOO_MANY)
        self._given.add(digest)
        if digest in self._may_have:
            image = self._held(digest)
        else:
            image = None
        if image is None:
            self._answers.append(encode("no_image", digest))
            return
        for at in range(0, len(image), MERGE_MESSAGE):
            self._answers.append(
                encode("image", digest, len(image), image[at : at + MERGE_MESSAGE])
            )

    def _take(self, digest: bytes, size: int, part: bytes) -> list[bytes]:
        self._coming += part
        if len(self._coming) > min(size, MAX_CARD_IMAGE):
            raise RemoteError(Code.BAD_MESSAGE)
        if len(self._coming) < size:
            return []
        image = bytes(self._coming)
        self._coming = bytearray()
        self._asked.popleft()
        if image_digest(image) != digest:
            raise RemoteError(Code.BAD_MESSAGE)
        return [image]
