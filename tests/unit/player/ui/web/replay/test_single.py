"""A match as one page with all frames and the log, and without anything that could run or load
other content.
"""

import json
import re
import subprocess
import sys
from base64 import b64decode, b64encode
from hashlib import sha256
from zlib import decompress

import pytest

from commandline.optional_packages import WEB
from player.ui.web.replay.single import MERGED, TOGETHER, single_page
from protocol.audit.history import MatchHistory
from protocol.audit.replay_frames import ALL_SEATS, replay_frame
from protocol.i18n import load_translator
from tests.support.docs import ROOT
from tests.support.offline import make_offline

pytestmark = pytest.mark.match
HOSTILE = "</script><img src=x onerror=alert(1)>"
OF_THE_PAGE = 85_000  # bytes of its scripts, sheets and texts


@pytest.fixture(scope="module")
def log():
    offline = make_offline(2, 4, "draw-dominoes", {"target": 20})
    offline.play()
    return offline.file()


@pytest.fixture(scope="module")
def page(log):
    return single_page(log, "a.fairdeal")


def block_of(page):
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1]
    )


def frames_of(block):
    return [sides for part in block["frames"] for sides in json.loads(decompress(b64decode(part)))]


def merged(sides, side):
    """Merge frames as `replay/file.js` does."""
    base, over = sides["none"], {} if side == "none" else sides[side]
    return base | over | {key: base[key] | over[key] for key in MERGED if over.get(key)}


def test_single_page_has_every_frame_from_every_side(log):
    history, block = MatchHistory(log).read(), block_of(single_page(log, "a.fairdeal", ("de",)))
    sides = frames_of(block)
    assert len(sides) == len(history.steps) > TOGETHER
    for step in history.steps:
        for name, whose in (("none", None), ("all", ALL_SEATS), ("0", 0), ("1", 1)):
            wanted = json.loads(
                json.dumps(replay_frame(history, step.number, whose, load_translator("de")))
            )
            assert merged(sides[step.number], name) == wanted
    assert b64decode(block["log"]) == log and block["name"] == "a.fairdeal"
    assert block["replay"]["verdict"]["lines"][0].startswith("Gewonnen hat")


def test_single_page_allows_only_own_hashed_script_and_style(page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    script, style = (
        re.search(r"<script>(.*)</script>", page, re.DOTALL)[1],
        re.search(r"<style>(.*?)</style>", page, re.S)[1],
    )
    for name, text in (("script", script), ("style", style)):
        assert f"{name}-src 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert (
        policy.startswith("default-src 'none'; ")
        and "'self'" not in policy
        and "unsafe" not in policy
    )
    outside = page.replace(script, "").replace(style, "")
    assert (
        "src=" not in outside
        and "href=" not in outside
        and "http" not in outside.replace("http-equiv", "")
    )


def test_markup_in_a_name_is_escaped(log):
    page = single_page(log[: len(log) // 8], HOSTILE)
    assert HOSTILE not in page and block_of(page)["name"] == HOSTILE
    assert page.count("<script") == page.count("</script") == 2


def test_invalid_log_still_makes_a_page(log):
    for data in (b"", b"no log", log[:100], log[: len(log) // 2]):
        block = block_of(single_page(data, "a"))
        assert not block["replay"]["verdict"]["clean"] and b64decode(block["log"]) == data
        assert len(frames_of(block)) == block["replay"]["read"]


@pytest.mark.process
def test_single_page_needs_no_extra_packages():
    code = "import sys, player.ui.web.replay.single; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert {name.split(".")[0] for name in run.stdout.split()}.isdisjoint(WEB)


def test_single_page_is_little_larger_than_log(log, page):
    views = 400 * len(frames_of(block_of(page)))
    assert len(page.encode()) < len(b64encode(log)) + views + OF_THE_PAGE
