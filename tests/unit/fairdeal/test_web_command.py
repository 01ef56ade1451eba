"""`fairdeal web build` and `fairdeal web check`, and the wheel that they take the page from."""

import asyncio
import threading
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairdeal.web_command import DIFFERENT, SAME, UNREACHED, USAGE, main
from net.page.folder import load_page
from net.page.manifest import MANIFEST, SIGNATURE, Manifest
from net.page.server import PageServer
from protocol.identity.keys import Identity
from tests.support.page_gate import OpenGate
from tests.support.site_folder import FILES, write_folder
from web.build import ROOT
from web.release import sign_folder, write_wheel

KEY = Identity(bytes([7]) * 32)


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "en")


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """Return a small folder of a page."""
    write_folder(tmp_path / "built")
    return tmp_path / "built"


@pytest.fixture
def installed(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the wheel of the small page."""
    wheel = write_wheel(built, tmp_path / "wheels")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder from a thread. Yield the address."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def start() -> PageServer:
        return PageServer("127.0.0.1", 0, load_page(folder)[1], OpenGate())

    server = asyncio.run_coroutine_threadsafe(start(), loop).result()

    async def stop() -> None:
        server.close()
        await asyncio.sleep(0)
        loop.call_soon(loop.stop)

    try:
        yield f"http://127.0.0.1:{server.port}/"
    finally:
        asyncio.run_coroutine_threadsafe(stop(), loop).result()
        thread.join()
        loop.close()


def test_build_writes_installed_page(installed: None, tmp_path: Path, capsys) -> None:
    folder = tmp_path / "page"
    assert main(["build", str(folder)]) == SAME
    manifest, files = load_page(folder)
    assert {name: files[name].data for name in FILES} == FILES
    assert files["index.html"].packed
    assert manifest.digest in capsys.readouterr().out


def test_build_into_full_folder_is_refused(installed: None, built: Path, capsys) -> None:
    assert main(["build", str(built)]) == USAGE
    assert "empty or new" in capsys.readouterr().err


def test_two_wheels_of_one_folder_are_equal(built: Path, tmp_path: Path) -> None:
    one, two = (write_wheel(built, tmp_path / name).read_bytes() for name in ("one", "two"))
    assert one == two


def test_place_with_installed_page_is_the_same(installed: None, built: Path, capsys) -> None:
    with serving(built) as place:
        assert main(["check", place]) == SAME
    assert "exactly the 3 files of fairdeal 0.1.0" in capsys.readouterr().out


def test_place_with_other_byte_is_different(installed: None, tmp_path: Path, capsys) -> None:
    other = {**FILES, "files/elements-0123456789abcdef/one.svg": b"<svg />"}
    write_folder(tmp_path / "other", other)
    with serving(tmp_path / "other") as place:
        assert main(["check", place]) == DIFFERENT
    assert "one.svg: is longer than 6 bytes" in capsys.readouterr().out


def test_place_that_does_not_answer_is_unreached(installed: None, capsys) -> None:
    assert main(["check", "http://127.0.0.1:1/"]) == UNREACHED
    assert "cannot be reached" in capsys.readouterr().err


def test_manifest_of_other_version_is_found_to_lie(built: Path, tmp_path: Path, capsys) -> None:
    lie = Manifest.of("0.1.0", {**FILES, "index.html": b"<!doctype html><title>A page</title>\n"})
    (tmp_path / MANIFEST).write_bytes(lie.to_bytes())
    with serving(built) as place:
        words = ["check", place, "--manifest", str(tmp_path / MANIFEST), "--unsigned"]
        assert main(words) == DIFFERENT
    assert "index.html: has other bytes" in capsys.readouterr().out


def test_signed_manifest_is_taken_with_named_key(built: Path, capsys) -> None:
    sign_folder(built, KEY)
    words = ["--manifest", str(built / MANIFEST), "--key", KEY.public.hex()]
    with serving(built) as place:
        assert main(["check", place, *words]) == SAME
    assert "is signed by the key" in capsys.readouterr().out


@pytest.mark.parametrize("words", ([], ["--key", Identity(bytes(32)).public.hex()], ["--key", "x"]))
def test_manifest_signed_by_nobody_known_is_refused(built: Path, words: list[str], capsys) -> None:
    sign_folder(built, KEY)
    given = ["check", "http://127.0.0.1:1/", "--manifest", str(built / MANIFEST), *words]
    assert main(given) == USAGE
    assert capsys.readouterr().err


def test_manifest_without_signature_is_refused(built: Path, capsys) -> None:
    words = ["--manifest", str(built / MANIFEST), "--key", KEY.public.hex()]
    assert main(["check", "http://127.0.0.1:1/", *words]) == USAGE
    assert SIGNATURE in capsys.readouterr().err


def test_changed_manifest_does_not_fit_signature(built: Path, capsys) -> None:
    sign_folder(built, KEY)
    (built / MANIFEST).write_bytes(Manifest.of("0.1.1", FILES).to_bytes())
    words = ["--manifest", str(built / MANIFEST), "--key", KEY.public.hex()]
    assert main(["check", "http://127.0.0.1:1/", *words]) == USAGE
    assert "does not fit" in capsys.readouterr().err


def test_extra_asks_for_page_of_this_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = f"fairdeal-web=={project['version']}"
    assert project["optional-dependencies"]["page"] == [wanted]
