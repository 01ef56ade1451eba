"""Pages of the site (mkdocs.yml) outside docs/, and the lists of chapters and decisions.

mkdocs calls these functions; https://www.mkdocs.org/user-guide/configuration/#hooks lists their
names.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
CHAPTERS = "protocol"
DECISIONS = "decisions"
# files of the top folder -> their paths on the site
TOP = {name: name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")} | {
    "README.md": "index.md"
}
TO_TOP = re.compile(rf"\]\(\.\./((?:\.\./)*)({'|'.join(map(re.escape, TOP))})")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List all chapters and decisions in the navigation, so that mkdocs.yml need not name them."""
    assert config.nav is not None
    config.nav.append({"Specification": [f"{CHAPTERS}/README.md", *_pages(CHAPTERS)]})
    config.nav.append({"Decisions": [f"{DECISIONS}/README.md", *_pages(DECISIONS)]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the top folder as if they were in docs/."""
    for name, page in TOP.items():
        text = (
            (ROOT / name)
            .read_text("utf-8")
            .replace("](docs/", "](")
            .replace("](README.md", "](index.md")
        )
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Use the name of a code block as its title, and redirect links to the top folder to its page
    on the site.
    """
    markdown = re.sub(r"^```(\w+) ([\w. -]+)$", r'```\1 title="\2"', markdown, flags=re.MULTILINE)
    return TO_TOP.sub(lambda link: f"]({link[1]}{TOP[link[2]]}", markdown)


def _pages(folder: str) -> list[str]:
    """Return the numbered pages of a folder in order."""
    return [f"{folder}/{path.name}" for path in sorted((ROOT / "docs" / folder).glob("[0-9]*.md"))]
