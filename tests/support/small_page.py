"""Smallest page for browsers: it starts the worker, and shows what the program says."""

from web.page import STATIC, WEB_MANIFEST

DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="POLICY">
<title>small page</title>
<link rel="icon" href="icon.svg">
<link rel="manifest" href="installed.webmanifest">
<link rel="stylesheet" href="small.css">
<script src="small.js" defer></script>
</head>
<body data-size="1"><p id="said">starts</p><img alt=""></body>
</html>
"""
SCRIPT = """{
const said = document.getElementById("said");
document.images[0].src = `${document.body.dataset.pictures}one.svg`;
const hear = (worker) => {
  worker.onmessage = ({ data }) => (said.textContent = data);
  worker.onerror = ({ message }) => (said.textContent = `failed: ${message}`);
};
startWorker().then(hear, (error) => (said.textContent = `refused: ${error}`));
}
"""
WORKER = """import { startPython } from "./python.js";
let against = ""; // what the browser has reported against the policy
self.addEventListener("securitypolicyviolation", (event) => (against += ` against ${event.violatedDirective}`));
try {
  const python = await startPython(["program.zip"]);
  postMessage(against || python.runPython(`
from random import Random
from protocol.identity.keys import Identity, fingerprint
from player.client.seat import Seat
from protocol.games.registry import BUILT_IN
f"{fingerprint(Identity(bytes(32)).public)} {len(BUILT_IN.specs)}"
`));
} catch (error) {
  postMessage(`failed: ${error}`);
}
"""
PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>'


def small_page(loaded: int) -> dict[str, bytes]:
    """Return the files of the page, for `web.site.build_site`."""
    start = (STATIC / "tab" / "worker_start.js").read_text("utf-8").replace("export async", "async")
    modules = ("archive.js", "files.js", "no_scripts.js", "primitives.js", "python.js")
    return {
        "index.html": DOCUMENT.encode(),
        "small.js": (start + SCRIPT).encode(),
        "worker.js": WORKER.encode(),
        "small.css": b"p { color: black; }\n",
        "icon.svg": PICTURE,
        WEB_MANIFEST: (STATIC / "tab" / WEB_MANIFEST).read_bytes(),
        "elements/one.svg": PICTURE,
        **{name: (STATIC / name).read_bytes() for name in modules},
    }
