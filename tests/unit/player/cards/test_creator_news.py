"""News from creators' links: valid ones are accepted within bounds, and no request reveals which
cards the person owns.
"""

import datetime
import ipaddress
import socket
import ssl
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from player.cards.collection import Collection
from player.cards.creator_news import FetchSettings, creator_links, fetch_news, fetch_over_https
from player.cards.storage.ledger_store import LedgerStore
from protocol.errors import LocalError
from protocol.ledger.bundle import write_bundle
from protocol.ledger.records import image_digest, sign_record
from protocol.limits import MAX_UPDATE
from tests.support.ledger import ANN, BOB, MAKER, TYPE, card, maker, traded
from tests.support.stores import left_open

LINK = "https://example.org/news.cards"
WITH_LINK = sign_record(replace(maker().content, link=LINK), MAKER)


@pytest.fixture
def collection(tmp_path):
    store = left_open(LedgerStore(tmp_path, ANN.public, None))
    made = Collection(store, ANN.public)
    made.add([WITH_LINK, TYPE])
    yield made
    store.close()


def test_only_trusted_creators_are_asked_unless_one_is_named(collection):
    assert creator_links(collection) == {}
    collection.store.mark(MAKER.public, True)
    assert creator_links(collection) == {MAKER.public: LINK}
    collection.store.mark(MAKER.public, False)
    assert creator_links(collection) == {} and creator_links(
        collection, [MAKER.public, BOB.public]
    ) == {MAKER.public: LINK}


def test_newer_revisions_and_missing_records_are_taken_with_their_images(collection):
    face = b"<svg/>"
    revised = replace(
        TYPE.content,
        type=TYPE.id,
        revision=1,
        previous=TYPE.id,
        text="new",
        image=image_digest(face),
    )
    news = [sign_record(revised, MAKER), card(1)]
    found = fetch_news(
        collection, MAKER.public, LINK, lambda link: write_bundle(news, [face, b"not asked for"])
    )
    assert (found.new, found.refused, found.failed) == (2, 0, None)
    assert collection.index.types[TYPE.id][1].text == "new"
    assert collection.store.image(image_digest(face)) == face
    assert collection.store.image(image_digest(b"not asked for")) is None


def test_records_of_other_creators_and_forged_ones_are_left_alone(collection):
    foreign = sign_record(replace(TYPE.content, creator=BOB.public), BOB)
    forged = replace(card(2), raw=card(2).raw[:-1] + bytes([card(2).raw[-1] ^ 1]))
    found = fetch_news(
        collection, MAKER.public, LINK, lambda link: write_bundle([foreign, forged, card(3)], [])
    )
    assert (found.new, found.refused) == (1, 2)
    assert foreign.id not in collection.records and card(2).id not in collection.records


def test_trade_in_the_news_is_judged_like_others(collection):
    collection.add([card(1)])
    collection.add([traded(MAKER, ANN, [collection.view.next_transfer(card(1).id, 0)])])
    before = collection.view.held_by(ANN.public)
    stolen = traded(MAKER, BOB, [collection.view.next_transfer(card(1).id, 0)])
    fetch_news(collection, MAKER.public, LINK, lambda link: write_bundle([stolen], []))
    assert before == collection.view.held_by(ANN.public) == (card(1).id,)


def test_malformed_news_changes_nothing(collection):
    before = len(collection.records)
    for data in (b"", b"<html>", write_bundle([card(1)], [])[:-1]):
        assert (
            fetch_news(collection, MAKER.public, LINK, lambda link, data=data: data).failed
            is not None
        )
    assert len(collection.records) == before


class Site(BaseHTTPRequestHandler):
    """Records behind a link; `asked` has all requests."""

    asked: list[str] = []  # noqa: RUF012
    silent = threading.Event()

    def do_GET(self):
        Site.asked.append(f"{self.requestline}\n{self.headers}")
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/news")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header(
            "Content-Length", str({"/huge": MAX_UPDATE + 1, "/short": 10}.get(self.path, 4))
        )
        self.end_headers()
        if self.path == "/slow":
            Site.silent.wait(60)
        self.wfile.write(bytes(MAX_UPDATE + 1) if self.path == "/huge" else b"news")

    def log_message(self, *args):
        pass


class Server(HTTPServer):
    """Server for which a hang-up during the TLS handshake is no error of the site."""

    def __init__(self, certificate):
        super().__init__(("127.0.0.1", 0), Site)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)

    def get_request(self):
        line, address = self.socket.accept()
        try:
            return self.context.wrap_socket(line, server_side=True), address
        except OSError:
            line.close()
            raise

    def handle_error(self, *args):
        pass


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Make a certificate of this machine, and a context that trusts it."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    )
    made = (
        made.serial_number(1)
        .not_valid_before(now - datetime.timedelta(1))
        .not_valid_after(now + datetime.timedelta(1))
    )
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    signed = made.add_extension(address, critical=True).sign(key, hashes.SHA256())
    path = tmp_path_factory.mktemp("site") / "site.pem"
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(secret + signed.public_bytes(pem))
    return path


@contextmanager
def site(certificate):
    server = Server(certificate)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"https://127.0.0.1:{server.server_port}"
    finally:
        Site.silent.set()
        server.shutdown()
        thread.join()
        server.server_close()
        Site.silent.clear()


def trusting(certificate, seconds=30):
    return FetchSettings(
        lambda address: address == "127.0.0.1",
        ssl.create_default_context(cafile=certificate),
        seconds,
    )


@pytest.mark.slow
def test_news_link_is_fetched_without_identifying_the_reader(certificate):
    with site(certificate) as base:
        Site.asked.clear()
        assert fetch_over_https(f"{base}/news?edition=1", trusting(certificate)) == b"news"
        (asked,) = Site.asked
        assert asked.startswith("GET /news?edition=1 HTTP/1.1")
        said = {line.partition(":")[0].lower() for line in asked.splitlines()[1:] if line}
        assert said == {"host", "accept", "accept-encoding", "user-agent"}


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/huge", "/moved", "/short"])
def test_large_redirected_or_truncated_news_is_refused(certificate, path):
    with site(certificate) as base, pytest.raises(LocalError):
        fetch_over_https(base + path, trusting(certificate))


@pytest.mark.slow
def test_silent_site_is_given_up(certificate):
    with site(certificate) as base, pytest.raises(LocalError) as error:
        fetch_over_https(f"{base}/slow", trusting(certificate, 0.5))
    assert error.value.phrase.key == "wrong.update.slow"


@pytest.mark.slow
def test_private_addresses_under_any_name_are_never_requested(certificate):
    with site(certificate) as base:
        Site.asked.clear()
        own = trusting(certificate)
        for link in (base, base.replace("127.0.0.1", "localhost")):
            with pytest.raises(LocalError):
                fetch_over_https(link, FetchSettings(None, own.trusting))
        assert not Site.asked


def silent_address():
    """Return a port that neither answers nor refuses, because its accept queue is full; and the
    sockets that fill it.
    """
    ear, callers = socket.create_server(("127.0.0.1", 0), backlog=0), []
    for _ in range(4):
        callers.append(socket.socket())
        callers[-1].setblocking(False)
        callers[-1].connect_ex(ear.getsockname())
    return ear.getsockname()[1], [ear, *callers]


@pytest.mark.slow
def test_name_with_many_addresses_takes_no_longer():
    port, kept = silent_address()
    began = time.monotonic()
    with pytest.raises(LocalError) as error:
        line = FetchSettings(
            lambda address: True, None, 0.2, lambda host, port: ["127.0.0.1"] * 200
        )
        fetch_over_https(f"https://example.org:{port}/", line)
    assert error.value.phrase.key == "wrong.update.slow"
    assert time.monotonic() - began < 20  # and not 200 times the timeout of one address
    for one in kept:
        one.close()


def test_news_from_forbidden_address_is_never_requested():
    called = [
        "127.0.0.1",
        "::1",
        "10.0.0.1",
        "fec0::1",
        "::ffff:100.64.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "224.0.0.1",
    ]
    with socket.create_server(("127.0.0.1", 0)) as ear:
        ear.setblocking(False)
        with pytest.raises(LocalError) as error:
            link = f"https://example.org:{ear.getsockname()[1]}/"
            fetch_over_https(link, FetchSettings(seconds=5, resolve=lambda host, port: called))
        assert error.value.phrase.key == "wrong.update.reach"
        with pytest.raises(BlockingIOError):
            ear.accept()


def test_unsupported_links_are_refused_without_a_request():
    strange = (
        "http://example.org",
        "ftp://example.org",
        "https://",
        "https://ann:secret@example.org",
        "https://[",
        "https://a b.example.org",
        "x",
    )
    for link in (*strange, "https://example.org:99999999"):
        with pytest.raises(LocalError) as error:
            fetch_over_https(link)
        assert error.value.phrase.key == "wrong.update.link"


@pytest.mark.slow
def test_untrusted_certificate_is_refused(certificate):
    with site(certificate) as base, pytest.raises(LocalError):
        fetch_over_https(base, FetchSettings(lambda address: True))
