"""A link as people type and paste it: in quotes or brackets, in a sentence, with a full stop."""

import re
from unicodedata import category, normalize

_WHOLE = re.compile(
    r"(?<![\w,:/.+-])(?:fairdeal(?:-direct|\+wss?)?://|https?://[^\s<>\"'#]+#(?:fairdeal\+)?wss?://)"
    r"[^\s<>\"']+/[a-z2-7]{40}(?:/[a-z2-7]{32})?"
    r"(?![\w/?#&=%-])",
    re.IGNORECASE,
)
_BEFORE = "<([{\"'`“”„‚‘’«»‹›*"
_AFTER = ">)}\"'`“”„‚‘’«»‹›*.,;!?…"
_HOSTS = re.compile(r"(fairdeal(?:-direct|\+wss?)?://)([^/]+)(.*)", re.IGNORECASE | re.DOTALL)
# a part of a host name with letters beyond ASCII
_NAMES = re.compile(r"[^\[\]:,.\s]*[^\x00-\x7f][^\[\]:,.\s]*")


def tidy_link(text: str) -> str:
    """Return the link in a text that a person has typed or pasted; else the text, trimmed.

    Invisible characters go, and quotes, brackets and full stops around it. A link with its
    fingerprint is found in a sentence, and joined again where a letter has broken it over lines. A
    host name of other letters than ASCII becomes the name that the network knows (IDNA).
    """
    shown = "".join(char for char in text if category(char) != "Cf").strip()
    for candidate in (shown, re.sub(r"\s*\n\s*", "", shown)):
        found = set(_WHOLE.findall(candidate))
        if len(found) == 1:
            return _with_ascii_hosts(found.pop())
    shown = shown.lstrip(_BEFORE)
    while shown and (shown[-1] in _AFTER or (shown[-1] == "]" and "[" not in shown)):
        shown = shown[:-1]
    return _with_ascii_hosts(shown)


def _with_ascii_hosts(text: str) -> str:
    found = None if text.isascii() else _HOSTS.fullmatch(text)
    # letters of full width or in circles are nobody's spelling of a name
    if found is None or any(normalize("NFKC", char) != char for char in text):
        return text
    scheme, hosts, rest = found.groups()
    try:
        return scheme + _NAMES.sub(_encode_name, normalize("NFC", hosts)) + rest
    except UnicodeError:
        return text


def _encode_name(found: re.Match[str]) -> str:
    return found.group().encode("idna").decode("ascii")
