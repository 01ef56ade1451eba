"""The page's modules as one script: each a function, in the order of their imports."""

import pytest

from player.ui.web.bundle import bundle, modules, static, style
from player.ui.web.replay.single import FIRST

MODULES = {
    "one.js": "const same = 1;\nexport const a = same;\nexport function b() {\n  return same;\n}\n",
    "in/two.js": 'import { a, b as renamed } from "../one.js";\nconst same = 2;\nexport const c = a + '
    "renamed();\n",
    "in/three.js": 'import * as one from "../one.js";\nimport {\n  c,\n} from "./two.js";\nuse(one.a, c);\n',
}


def test_bundle_orders_modules_by_import_and_isolates_names():
    script = bundle("in/three.js", MODULES.__getitem__)
    assert script == (
        '"use strict";\nconst m = [];\n'
        "m[0] = (() => {\nconst same = 1;\nconst a = same;\nfunction b() {\nreturn "
        "same;\n}\n"
        "return { a, b };\n})();\n"
        "m[1] = (() => {\nconst { a, b: renamed } = m[0];\nconst same = 2;\n"
        "const c = a + renamed();\nreturn { c };\n})();\n"
        "m[2] = (() => {\nconst one = m[0],{ c } = m[1];\nuse(one.a, c);\n"
        "return {  };\n})();\n"
    )


def test_bundle_leaves_out_comments_of_lines_and_at_their_ends():
    text = """/** What it does,
 * at length. **/
const a = "/** kept */"; // left out
  /** Inside. */
// A line.
const b = "http://kept; // kept"; // say "kept"
const c = [
  1, // left out
];
const d = 1; /** kept */
"""
    script = bundle("one.js", {"one.js": text}.__getitem__)
    assert (
        'const a = "/** kept */";\nconst b = "http://kept; // kept"; // say "kept"\n'
        "const c = [\n1,\n];\nconst d = 1; /** kept */\n"
    ) in script
    assert "at length" not in script and "Inside" not in script and "A line" not in script


@pytest.mark.parametrize(
    "text",
    [
        'import a from "./one.js";\n',
        'import "./one.js";\n',
        'const a = await import("./one.js");\n',
        "export default 1;\n",
        "const a = 1;\nexport { a };\n",
        'export * from "./one.js";\n',
        'import { a } from "https://example.org/one.js";\n',
        'const a = "</script>";\n',
        'import { a } from "./it.js";\n',
        "const a = `one\n  two`;\n",
    ],
)
def test_bundle_refuses_unsupported_module_syntax(text):
    with pytest.raises(
        ValueError, match=r"not understood|ends a script|imports itself|several lines"
    ):
        bundle("it.js", {**MODULES, "it.js": text}.__getitem__)


def test_page_modules_have_supported_syntax():
    assert bundle(FIRST, static)
    assert {"dom.js", "boards/line.js"} <= modules(FIRST, static).keys()


def test_style_has_no_comments_and_no_indentation():
    text = style(["match/match.css", "home/home.css"])
    assert "/*" in static("match/match.css") and "/*" not in text
    assert not any(line != line.strip() or not line for line in text.splitlines())


def test_style_says_the_same_in_less_space():
    text = style(["match/match.css"])
    assert "; " not in text
    rule = ".seat[data-turn]{border-color:var(--turn);box-shadow:inset 0 0 0 1px var(--turn);}"
    assert rule in text and "@media (forced-colors: active){" in text
