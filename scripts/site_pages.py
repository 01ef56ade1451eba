"""What the site (mkdocs.yml) has beyond the files in docs/: a home page, and the lists of chapters and decisions.

mkdocs calls these functions; https://www.mkdocs.org/user-guide/configuration/#hooks names them.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
CHAPTERS, DECISIONS, LIST = "protocol", "decisions", "decisions/index.md"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Whoever adds a chapter or a decision need not name it a second time."""
    assert config.nav is not None
    config.nav.append({"Specification": [f"{CHAPTERS}/README.md", *_pages(CHAPTERS)]})
    config.nav.append({"Decisions": [LIST, *_pages(DECISIONS)]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The home page is the repository's."""
    home = (ROOT / "README.md").read_text("utf-8").replace("](docs/", "](")
    rows = [f"- [{_title(ROOT / 'docs' / page)}]({Path(page).name})" for page in _pages(DECISIONS)]
    lines = ["# Decisions", "", "Why things are as they are.", "", *rows]
    files.append(File.generated(config, "index.md", content=home))
    files.append(File.generated(config, LIST, content="\n".join(lines)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A link to the folder, which the repository shows as a list, is to our list; a block's name becomes its title."""
    markdown = re.sub(r"^```(\w+) ([\w. -]+)$", r'```\1 title="\2"', markdown, flags=re.MULTILINE)
    return re.sub(rf"\]\(((?:\.\./)?){DECISIONS}/\)", rf"](\1{LIST})", markdown)


def _pages(folder: str) -> list[str]:
    """The numbered ones, in order."""
    return [f"{folder}/{path.name}" for path in sorted((ROOT / "docs" / folder).glob("[0-9]*.md"))]


def _title(path: Path) -> str:
    return path.read_text("utf-8").partition("\n")[0].lstrip("# ")
