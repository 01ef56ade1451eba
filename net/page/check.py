"""Comparison of a folder on a web server with a manifest. Files are fetched as by a browser."""

import asyncio
from collections.abc import Iterator
from hashlib import sha256

from net.page.fetch import Answer, NoAnswer, Place, fetch
from net.page.manifest import DOCUMENT, Manifest, PageFile
from protocol.limits import CHECK_SECONDS
from protocol.view.phrase import Phrase, phrase

AT_ONCE = 4  # requests at one time, as browsers send them
# fields of an answer by which a server redirects a browser, or adds to a document
REDIRECTING_FIELDS = ("refresh", "link", "location")
# encodings that requests for the document accept: a server can have another document for each, and
# the document pins all other files
ENCODINGS = ("identity", "gzip", "gzip, deflate, br, zstd")
READABLE = ("", "identity", "gzip")
OK = 200


async def differences(
    place: Place, manifest: Manifest, seconds: float = CHECK_SECONDS
) -> list[Phrase]:
    """Return a sentence for each difference between the place and the manifest, none if there is
    no difference.

    Raises: NoAnswer if nothing of the place could be fetched.
    """
    free = asyncio.Semaphore(AT_ONCE)
    answered = False
    why = ""

    async def check(asked: str, name: str, encoding: str) -> list[Phrase]:
        nonlocal answered, why
        file = manifest.files[name]
        async with free:
            try:
                answer = await fetch(place, asked, file.size, encoding)
            except NoAnswer as error:
                why = str(error)
                return [phrase("web.check.silent", file=asked or "/", why=why)]
            answered = True
            return list(_compare(asked or "/", name, file, answer))

    asked = [
        *(("", DOCUMENT, encoding) for encoding in ENCODINGS),
        *((name, name, "gzip") for name in sorted(manifest.files)),
    ]
    found: dict[int, list[Phrase]] = {}

    async def check_one(index: int) -> None:
        found[index] = await check(*asked[index])

    tasks = [asyncio.ensure_future(check_one(index)) for index in range(len(asked))]
    done, late = await asyncio.wait(tasks, timeout=seconds)
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    for task in done:
        task.result()
    said = [told for index in sorted(found) for told in found[index]]
    if late:
        said.append(phrase("web.check.late", files=len(late), seconds=round(seconds)))
    if not answered:
        raise NoAnswer(why)
    return said


def _compare(shown: str, name: str, file: PageFile, answer: Answer) -> Iterator[Phrase]:
    leads = answer.fields.get("location", "")
    if answer.status in range(300, 400):
        yield phrase("web.check.leads", file=shown, where=_plain(leads))
        return
    if answer.status != OK:
        yield phrase("web.check.status", file=shown, status=answer.status)
        return
    for field in REDIRECTING_FIELDS:
        if field in answer.fields:
            value = _plain(answer.fields[field])
            yield phrase("web.check.field", file=shown, field=field, value=value)
    if name == DOCUMENT and not _is_html(answer.fields.get("content-type", "")):
        kind = _plain(answer.fields.get("content-type", ""))
        yield phrase("web.check.kind", file=shown, kind=kind)
    packed = answer.fields.get("content-encoding", "identity")
    if packed not in READABLE:
        yield phrase("web.check.packed", file=shown, encoding=_plain(packed))
    elif len(answer.body) > file.size:
        yield phrase("web.check.long", file=shown, size=file.size)
    elif not answer.whole:
        yield phrase("web.check.short", file=shown, size=file.size, come=len(answer.body))
    elif (digest := sha256(answer.body).digest()) != file.digest:
        yield phrase("web.check.bytes", file=shown, right=file.digest.hex(), found=digest.hex())


def _is_html(kind: str) -> bool:
    return kind.replace(" ", "").lower() in ("text/html", "text/html;charset=utf-8")


def _plain(text: str) -> str:
    """Return a server's text for a terminal: short, and without control characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:100])
