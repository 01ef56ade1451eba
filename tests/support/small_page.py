"""Smallest page for browsers: it starts the worker, and shows what the program says."""

DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>small page</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="small.css">
<script type="module" src="small.js"></script>
</head>
<body><p id="said">starts</p></body>
</html>
"""
SCRIPT = """import { folderAddress, startWorker } from "./files.js";
const said = document.getElementById("said");
try {
  const worker = await startWorker();
  worker.onmessage = ({ data }) => (said.textContent = data);
  worker.onerror = ({ message }) => (said.textContent = `failed: ${message}`);
  const picture = document.createElement("img");
  picture.src = `${folderAddress("elements")}one.svg`;
  document.body.append(picture);
} catch (error) {
  said.textContent = `refused: ${error}`;
}
"""
WORKER = """import { startPython } from "./python.js";
try {
  const python = await startPython(["program.zip"]);
  postMessage(python.runPython(`
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
SMALL_PAGE = {
    "index.html": DOCUMENT.encode(),
    "small.js": SCRIPT.encode(),
    "worker.js": WORKER.encode(),
    "small.css": b"p { color: black; }\n",
    "icon.svg": PICTURE,
    "elements/one.svg": PICTURE,
}
