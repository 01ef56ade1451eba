"""Elements and pages, serialised by `xml.etree`, so that strict XML parsers accept them."""

from importlib.resources import files
from xml.etree.ElementTree import Element, tostring  # only built, never parsed

from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say, sanitize

XHTML = "http://www.w3.org/1999/xhtml"
SVG = "http://www.w3.org/2000/svg"
KIND = "application/xhtml+xml"
HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
NARROW = "width=device-width, initial-scale=1"
STYLE = "style.css"
Child = Element | str | None


def made(tag: str, *children: Child, **attributes: str) -> Element:
    """Make an element. `class_` is the attribute `class`, `for_` is `for`, `aria_label` is
    `aria-label`.
    """
    named = {
        name.rstrip("_").replace("_", "-"): sanitize(value) for name, value in attributes.items()
    }
    element = Element(tag, named)
    last: Element | None = None
    for child in children:
        if isinstance(child, Element):
            element.append(child)
            last = child
        elif child and last is None:
            element.text = (element.text or "") + sanitize(child)
        elif child and last is not None:
            last.tail = (last.tail or "") + sanitize(child)
    return element


def page(
    title: Phrase, language: str, say: Say, *body: Child, style: Element | None = None
) -> bytes:
    """Make a page; `style` replaces the link to the style sheet of the service."""
    said = say(title)
    head = made(
        "head",
        made("meta", charset="utf-8"),
        made("title", f"{said} — fairdeal"),
        made("meta", name="viewport", content=NARROW),
        made("link", rel="stylesheet", href=f"/{STYLE}") if style is None else style,
    )
    main = made("main", made("h1", said), *body)
    html = made("html", head, made("body", main), xmlns=XHTML, lang=language)
    html.set("xml:lang", language)
    return (HEAD + tostring(html, encoding="unicode") + "\n").encode()


def inline_style() -> Element:
    """Make a style element for a page that stands alone. The style sheet has no character that XML
    escapes, because HTML would not undo that.
    """
    made_ = Element("style")
    made_.text = style_sheet()
    return made_


def style_sheet() -> str:
    """Read the style sheet."""
    return files(__package__).joinpath("static", STYLE).read_text("utf-8")


def sentence(say: Say, key: Phrase, **attributes: str) -> Element:
    """Make a paragraph."""
    return made("p", say(key), **attributes)


def link(say: Say, key: str, where: str) -> Element:
    """Make a paragraph with a link."""
    return made("p", made("a", say(phrase(key)), href=where))
