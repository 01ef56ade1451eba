"""The site (mkdocs.yml) beyond the files in docs/: pages from the top folder, and the lists of
chapters and decisions.

mkdocs calls these functions; https://www.mkdocs.org/user-guide/configuration/#hooks names them.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
CHAPTERS = "protocol"
DECISIONS = "decisions"
# files of the top folder, and where they are on the site
TOP = {name: name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")} | {
    "README.md": "index.md"
}
TO_TOP = re.compile(rf"\]\(\.\./((?:\.\./)*)({'|'.join(map(re.escape, TOP))})")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List all chapters and decisions, so that a new one need not be named a second time."""
    assert config.nav is not None
    config.nav.append({"Specification": [f"{CHAPTERS}/README.md", *_pages(CHAPTERS)]})
    config.nav.append({"Decisions": [f"{DECISIONS}/README.md", *_pages(DECISIONS)]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from the top folder, as if they lay in docs/."""
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
    """Make a code block's name its title, and let links to the top folder lead to its page on the
    site.
    """
    markdown = re.sub(r"^```(\w+) ([\w. -]+)$", r'```\1 title="\2"', markdown, flags=re.MULTILINE)
    return TO_TOP.sub(lambda link: f"]({link[1]}{TOP[link[2]]}", markdown)


def _pages(folder: str) -> list[str]:
    """The numbered pages of a folder, in order."""
    return [f"{folder}/{path.name}" for path in sorted((ROOT / "docs" / folder).glob("[0-9]*.md"))]
