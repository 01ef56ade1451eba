"""Documentation as a site: every page is in it, and a broken link is an error."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.docs import ROOT

pytestmark = pytest.mark.process

TOP = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
BUILT_OF = ("mkdocs.yml", *TOP, "scripts/site_pages.py", "docs")


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> tuple[Path, str]:
    """Build the site with two broken links on one page. Return its folder and the builder's
    output.
    """
    place = tmp_path_factory.mktemp("site")
    for name in BUILT_OF:
        (place / name).parent.mkdir(exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, place / name)
    with (place / "docs/host.md").open("a", encoding="utf-8") as page:
        page.write("\n[One](nowhere.md) and [another](play.md#nowhere).\n")
    words = re.search(r"mkdocs ([a-z -]+) 2>&1", (ROOT / "scripts/site").read_text("utf-8"))[
        1
    ].split()
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", *words],
        cwd=place,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )
    assert run.returncode == 1, run.stderr
    return place / "build/site", run.stderr


def test_site_has_no_broken_link_and_checker_finds_one(built):
    warnings = [line for line in built[1].splitlines() if "WARNING" in line]
    assert len(warnings) == 2, built[1]
    assert all("'host.md' contains a link" in line for line in warnings)
    assert "'nowhere.md'" in built[1] and "'play.md#nowhere'" in built[1]


def test_site_has_every_page_and_picture(built):
    pages = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")} - {
        Path("package.md")
    }
    wanted = {
        path.parent / "index.html" if path.name == "README.md" else path.with_suffix(".html")
        for path in pages
    }
    wanted |= {Path("index.html"), *(Path(name).with_suffix(".html") for name in TOP[1:])}
    wanted |= {path.relative_to(ROOT / "docs") for path in (ROOT / "docs/figures").iterdir()}
    assert {str(path) for path in wanted if not (built[0] / path).is_file()} == set()


def test_a_page_looks_as_in_the_repository(built):
    """Names of code blocks, the list of decisions, and pages of the top folder need our code,
    because mkdocs alone would lose them.
    """
    assert 'src="figures/page-dominoes.png"' in (built[0] / "index.html").read_text("utf-8")
    rules = (built[0] / "rules.html").read_text("utf-8")
    assert '<span class="filename">climb.rules</span>' in rules and "```" not in rules
    architecture = (built[0] / "architecture.html").read_text("utf-8")
    assert (
        'href="decisions/index.html"' in architecture and 'href="CONTRIBUTING.html"' in architecture
    )


def test_nothing_of_a_page_is_fetched_from_elsewhere(built):
    pages = list(built[0].rglob("*.html"))
    loaded = re.compile(
        r"""<(?:script|img|iframe|link rel="stylesheet")[^>]*(?:src|href)=["']?(?:https?:)?//"""
    )
    assert len(pages) > 100
    assert [path.name for path in pages if loaded.search(path.read_text("utf-8"))] == []
