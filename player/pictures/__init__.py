"""Pictures of cards that come with the program, and media types of pictures for a browser.

The element set (`player.cards.creator.element_set`) and the page of a match use the same pictures.
`scripts/faces` draws them.
"""

from importlib.resources import files
from pathlib import Path

FACES = Path(str(files(__name__))) / "faces"
