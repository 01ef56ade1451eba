"""Frame of all faces: sign, strength and name. Its pattern shows the element without colour."""

from dataclasses import dataclass

from scripts.faces.shapes import disc, line, path


@dataclass(frozen=True)
class Look:
    """Design of an element: colours of the frame and of the sky, sign (in a circle of 30), and
    pattern (of 16).
    """

    name: str
    dark: str
    plain: str
    pale: str
    sky: tuple[str, str]
    sign: str
    pattern: str


LOOKS = {
    look.name: look
    for look in (
        Look("wood", "#123d27", "#2c7a4b", "#e4f3dc", ("#fdf6d8", "#a8d8a0"),
             path("M-7 8C-9-4 0-9 9-9C9 1 4 9-7 8z", "#fff") + line("M-9 11C-4 3 0-1 4-4", "#fff", 1.6),
             line("M3 0q3 4 0 8t0 8M11 0q-3 4 0 8t0 8", "#fff", 1)),
        Look("fire", "#5a1408", "#cf4520", "#fde8d4", ("#4a1630", "#f59a3c"),
             path("M0 11C-8 11-9 3-5-3C-4 0-3 1-2 0C-4-6 0-9 2-12C2-6 8-3 7 4C6 9 3 11 0 11z", "#fff"),
             line("M0 10L4 4L8 10L12 4L16 10", "#fff", 1.2)),
        Look("earth", "#46300f", "#a8741a", "#f8ecd0", ("#fbe3b4", "#e3a86a"),
             path("M-12 9L-3-8L2 1L5-4L12 9z", "#fff"),
             line("M0 4H16M0 12H16M4 4V12M12 12V16M12 0V4", "#fff", 1)),
        Look("metal", "#22282f", "#66727f", "#eceff2", ("#e9edf1", "#9fabb8"),
             path("M-3-11H3L10-5V5L3 11H-3L-10 5V-5zM0-4A4 4 0 1 0 .1-4z", "#fff", ' fill-rule="evenodd"'),
             disc(4, 4, 1.8, "#fff") + disc(12, 12, 1.8, "#fff")),
        Look("water", "#0c2f57", "#1d6cb0", "#dceefb", ("#d9f0fb", "#5aa9dd"),
             path("M0-12C5-4 8-1 8 4A8 8 0 0 1-8 4C-8-1-5-4 0-12z", "#fff"),
             line("M0 5q4-5 8 0t8 0M0 13q4-5 8 0t8 0", "#fff", 1.2)),
    )
}

_SERIF = "Georgia,serif"


def face(look: Look, name: str, strength: int, picture: str) -> str:
    """Draw the whole SVG: 250 by 350, with the picture in a window of 214 by 244."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 250 350" stroke-linecap="round" ' 'stroke-linejoin="round"><defs>'
        f'<linearGradient id="Y" x2="0" y2="1"><stop stop-color="{look.sky[0]}"/><stop ' f'offset="1" stop-color="{look.sky[1]}"/></linearGradient>'
        '<pattern id="P" width="16" height="16" patternUnits="userSpaceOnUse"><g ' f'opacity=".3">{look.pattern}</g></pattern>'
        '<clipPath id="W"><rect width="214" height="244" rx="9"/></clipPath><g ' f'id="S">{look.sign}</g>'
        '<pattern id="Q" x="25" y="312" width="20" height="24" ' 'patternUnits="userSpaceOnUse"><use href="#S" transform="translate(10 ' '12)scale(.55)"/></pattern></defs>'
        f'<rect width="250" height="350" rx="16" fill="{look.dark}"/><rect x="4" y="4" ' f'width="242" height="342" rx="13" fill="{look.plain}"/>'
        '<rect x="4" y="4" width="242" height="342" rx="13" fill="url(#P)"/>'
        f'<rect x="14" y="14" width="222" height="252" rx="12" fill="{look.dark}"/>'
        '<g transform="translate(18 18)" clip-path="url(#W)"><rect width="214" height="244" ' f'fill="url(#Y)"/>{picture}</g>'
        f'<rect x="14" y="272" width="222" height="36" rx="8" fill="{look.pale}"/>'
        f'<rect x="22" y="312" width="206" height="24" rx="12" fill="{look.dark}"/>'
        '<path d="M25 312h200v24h-200z" fill="url(#Q)" opacity=".22"/><path d="M25 ' f'312h{20 * strength}v24H25z" fill="url(#Q)"/>'
        f'<circle cx="34" cy="34" r="22" fill="{look.pale}" stroke="{look.dark}" stroke-width="4"/>'
        f'<g font-family="{_SERIF}" font-weight="bold" text-anchor="middle" ' f'fill="{look.dark}"><text x="125" y="296" font-size="19">{name}</text><text x="34" ' f'y="{43 if strength < 10 else 42}" ' f'font-size="{26 if strength < 10 else 21}">{strength}</text></g>'
        f'<circle cx="216" cy="34" r="22" fill="{look.plain}" stroke="{look.dark}" ' 'stroke-width="4"/><use href="#S" x="216" y="34"/></svg>\n'
    )
