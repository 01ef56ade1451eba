"""The simulation service over HTTP: 202 with a link, progress, the result; every other request gets
its status and message.
"""

import asyncio
import json
from contextlib import suppress
from urllib.parse import quote, urlencode
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.limits import (
    MAX_PAGE_HEADERS,
    MAX_SIMULATION_BODY,
    MAX_SIMULATIONS_KEPT,
    MAX_SIMULATIONS_WAITING,
    SIMULATION_HOURS,
)
from protocol.view.phrase import phrase
from simulation.pages.markup import KIND, XHTML
from simulation.task.task_parser import task_of
from simulation.web.app import HEADERS, POLICY
from simulation.web.content_negotiation import best_of
from simulation.web.job_queue import JobQueue, QueueFull
from simulation.web.server import ServerAddress
from simulation.web.worker_process import JobOutcome
from tests.support.simulations import FORM, SMALL, at_once, offered

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
LINK = "/simulations/" + "0" * 32
DECK = list(range(40))
FOREIGN = (
    {"sec_fetch_site": "cross-site"},
    {"sec_fetch_site": "none"},
    {"origin": "http://evil.test"},
    {"origin": "null"},
)


@pytest.fixture
async def service():
    async with offered() as made:
        yield made


class Gate:
    """Job that waits for the test's signal."""

    def __init__(self, outcome=None):
        self.begun, self.open, self.outcome = asyncio.Event(), asyncio.Event(), outcome

    async def __call__(self, task, hear):
        hear(2)
        self.begun.set()
        await self.open.wait()
        return self.outcome or await at_once(task, hear)


def well_formed(answer):
    """Parse the page of an answer strictly: XHTML, complete, without script, in its declared
    language.
    """
    assert answer.headers["content-type"] == KIND
    tree = ElementTree.fromstring(answer.body)
    assert tree.tag == f"{{{XHTML}}}html" and answer.body.endswith(b"</html>\n")
    assert tree.get("lang") == answer.headers["content-language"]
    assert not [element for element in tree.iter() if element.tag.endswith("}script")]
    assert not [
        name
        for element in tree.iter()
        for name in element.attrib
        if name.startswith("on") or name == "style"
    ]
    return tree


def text_of(answer):
    return " ".join("".join(well_formed(answer).itertext()).split())


async def test_posted_task_leads_to_a_result(service):
    answer = await service.post(SMALL)
    assert answer.status == 202 and answer.headers["vary"] == "Accept, Accept-Language"
    path = answer.headers["location"]
    assert path.startswith("/simulations/") and len(bytes.fromhex(path.rpartition("/")[2])) == 16
    assert path in [element.get("href") for element in well_formed(answer).iter()]
    data = (await service.result(path)).json
    assert data["state"] == "done" and data["report"]["played"] == 3
    page = await service.get(path, accept=BROWSER)
    assert page.status == 200 and "rounds played3" in text_of(page)
    head = await service.request(f"HEAD {path}")
    assert (
        head.status == 200
        and head.body == b""
        and int(head.headers["content-length"]) == len(page.body)
    )


async def test_form_works_without_a_script(service):
    form = well_formed(await service.get("/", accept=BROWSER))
    kinds = [
        one.get("value") for one in form.iter(f"{{{XHTML}}}input") if one.get("name") == "model"
    ]
    assert kinds == ["table", "machines"]
    table = next(form.iter(f"{{{XHTML}}}form"))
    assert (table.get("method"), table.get("action")) == ("post", "/simulations")
    fields = {one.get("name"): value_of(one) for one in table.iter() if one.get("name")}
    assert not any("".join(area.itertext()) for area in form.iter(f"{{{XHTML}}}textarea"))
    labels = {label.get("for") for label in table.iter(f"{{{XHTML}}}label")}
    assert {
        one.get("id") for one in table.iter() if one.get("name") and one.get("type") != "hidden"
    } == labels
    answer = await service.post(
        urlencode(fields | {"rounds": "3"}).encode(), content_type=FORM, accept=BROWSER
    )
    assert (
        answer.status == 202 and answer.headers["refresh"] == f"1; url={answer.headers['location']}"
    )
    report = (await service.result(answer.headers["location"])).json["report"]
    assert report["task"] == (await asked(service, SMALL | {"seed": 1}))["task"]


def value_of(field):
    """Return the value that a browser sends for an untouched field."""
    chosen = [option.get("value") for option in field if option.get("selected")]
    return chosen[0] if chosen else field.get("value", "")


async def asked(service, task):
    return (await service.result(await service.begin(task))).json["report"]


@pytest.mark.slow
async def test_repeated_request_returns_identical_bytes():
    told = []
    for _ in range(2):
        async with offered() as service:
            path = await service.begin(SMALL | {"seed": 5, "names": ["Ann", "Bob", "Cem", "Dan"]})
            told.append([(await service.result(path)).body])
            told[-1] += [
                (await service.get(path, accept_language=language)).body
                for language in ("en", "de")
            ]
    assert told[0] == told[1] and len(set(told[0])) == 3


@pytest.mark.slow
async def test_unfinished_job_is_in_progress():
    gate = Gate()
    async with offered(gate) as service:
        first, second, third = [await service.begin(SMALL) for _ in range(3)]
        await gate.begun.wait()
        answer = await service.get(first, accept=BROWSER)
        assert answer.status == 200 and int(answer.headers["retry-after"]) > 0
        assert answer.headers["refresh"] == answer.headers["retry-after"]
        assert "2 of 3 rounds" in text_of(answer)
        assert "refresh" not in (await service.get(f"{first}?still")).headers
        answer = await service.get(first, accept="application/json")
        assert (
            answer.json == {"state": "running", "done": 2, "rounds": 3}
            and "refresh" not in answer.headers
        )
        assert (await service.get(second, accept="application/json")).json == {
            "state": "waiting",
            "before": 1,
        }
        assert (await service.get(third, accept="application/json")).json == {
            "state": "waiting",
            "before": 2,
        }
        assert "waits for 1 other simulation." in text_of(await service.get(second))
        gate.open.set()
        assert (await service.result(second)).json["state"] == "done"


@pytest.mark.slow
async def test_failed_job_says_why_and_next_one_runs():
    gate = Gate(JobOutcome({}, phrase("simulate.failed.slow", seconds="60")))
    async with offered(gate) as service:
        path = await service.begin(SMALL)
        gate.open.set()
        answer = await service.result(path)
        assert (answer.status, answer.json["state"]) == (
            200,
            "failed",
        ) and "longer than the 60 s" in answer.json["error"]
        assert "longer than the 60 s" in text_of(await service.get(path))
        gate.outcome = None
        assert (await service.result(await service.begin(SMALL))).json["state"] == "done"


WRONG = (
    (SMALL | {"decks": [DECK, DECK[:39]]}, 400, "Seat 2: card 39 is missing"),
    (SMALL | {"decks": [DECK, [0, *DECK[:39]]]}, 400, "Seat 2: card 0 is in its deck twice"),
    (SMALL | {"seats": 1}, 400, "`seats` must be a whole number from 2 to 100, not 1"),
    (SMALL | {"<img src=x onerror=alert(1)>": 1}, 400, "no setting `<img src=x onerror=alert(1)>`"),
    ([], 400, "Send one JSON object"),
    (b"{", 400, "not JSON"),
    (b" " * (MAX_SIMULATION_BODY + 1), 413, f"{MAX_SIMULATION_BODY} bytes at most"),
)


@pytest.mark.parametrize(("body", "status", "said"), WRONG, ids=range(len(WRONG)))
@pytest.mark.slow
async def test_wrong_body_has_status_and_message(service, body, status, said):
    answer = await service.post(body)
    assert answer.status == status and said in text_of(answer)
    answer = await service.post(body, accept="application/json")
    assert answer.status == status and said in answer.json["error"]


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (b"model=table&seats=x", "`seats` must be a whole number"),
        (b"model=table&model=table", "each field once"),
        (b"seats=4", "`model` must be table or machines"),
        (b"", "`model` must be table or machines"),
        (b"model=table&x=1", "no setting `x`"),
        (b"model=table&names=%ff", "This is not the form"),
        (b"model", "This is not the form"),
        (b"\xff", "This is not the form"),
        (b"&".join(b"a%d=1" % place for place in range(40)), "This is not the form"),
        (
            b"model=table&decks=" + quote("0 1 2\n3").encode(),
            "Seat 1: card 3 is missing. The deck has 3",
        ),
    ],
)
async def test_wrong_form_has_a_message(service, form, said):
    answer = await service.post(form, content_type=FORM)
    assert answer.status == 400 and said in text_of(answer)


async def test_wrong_form_is_shown_again_as_filled_in(service):
    sent = {
        "model": "machines",
        "players": "1",
        "look": "yes",
        "to_end": "no",
        "decks": 'a\n"<b>',
        "names": "<i>",
    }
    tree = well_formed(await service.post(urlencode(sent).encode(), content_type=FORM))
    inputs = {one.get("name"): one for one in tree.iter(f"{{{XHTML}}}input")}
    assert {name: inputs[name].get("value") for name in ("model", "players", "names")} == {
        name: sent[name] for name in ("model", "players", "names")
    }
    chosen = {
        one.get("name"): [option.get("value") for option in one if option.get("selected")]
        for one in tree.iter(f"{{{XHTML}}}select")
    }
    assert chosen == {"look": ["yes"], "instants": ["no"], "to_end": ["no"]}
    assert next(tree.iter(f"{{{XHTML}}}textarea")).text == sent["decks"]


async def test_service_follows_http_rules(service):
    for method in ("GET", "PUT", "DELETE"):
        answer = await service.request(f"{method} /simulations")
        assert (answer.status, answer.headers["allow"]) == (405, "POST") and "by POST" in text_of(
            answer
        )
    answer = await service.post(SMALL, path=LINK)
    assert answer.status == 405 and set(answer.headers["allow"].split(", ")) == {"GET", "HEAD"}
    for kind in ("text/plain", "", "multipart/form-data; boundary=x"):
        answer = await service.post(SMALL, content_type=kind)
        assert (
            answer.status == 415
            and "json" in answer.headers["accept"]
            and "application/json" in text_of(answer)
        )
    assert (await service.post(SMALL, content_encoding="gzip")).status == 415
    assert (await service.post(SMALL, content_type="Application/JSON; charset=utf-8")).status == 202
    for path in (LINK, "/simulations/x", "/x", "/simulations/", "/style.css/", "/simulations/../x"):
        answer = await service.get(path)
        assert answer.status == 404 and text_of(answer), path
    assert f"{SIMULATION_HOURS} hours" in text_of(await service.get(LINK))
    for path in ("/", LINK):
        assert (await service.get(path, accept="image/png")).status == 406
    assert (await service.post(SMALL, accept="text/plain")).status == 406
    style = await service.get("/style.css")
    assert style.status == 200 and style.headers["content-type"].startswith("text/css")


@pytest.mark.slow
async def test_waiting_jobs_are_bounded():
    gate = Gate()
    async with offered(gate) as service:
        await service.begin(SMALL)
        await gate.begun.wait()
        for _ in range(MAX_SIMULATIONS_WAITING):
            await service.begin(SMALL)
        answer = await service.post(SMALL)
        assert (
            answer.status == 429
            and int(answer.headers["retry-after"]) > 0
            and "are waiting already" in text_of(answer)
        )


async def test_service_answers_have_headers_and_no_cookie(service):
    asking = [
        ("GET /", {}),
        ("GET /style.css", {}),
        (f"GET {LINK}", {}),
        ("PUT /", {}),
        ("GET /", {"host": "evil.test"}),
    ]
    for what, headers in asking:
        answer = await service.request(what, **headers)
        assert {name.lower(): value for name, value in HEADERS}.items() <= answer.headers.items(), (
            what
        )
        assert "set-cookie" not in answer.headers and "server" not in answer.headers
    answer = await service.raw(b"nonsense\r\n\r\n")
    assert answer.status == 400 and answer.headers["content-security-policy"] == POLICY
    assert "script-src" not in POLICY and "default-src 'none'" in POLICY


async def test_request_for_foreign_name_is_misdirected(service):
    port = service.host.rpartition(":")[2]
    for host in ("evil.test", f"evil.test:{port}", "127.0.0.1", "127.0.0.1:1"):
        answer = await service.get("/", host=host)
        assert answer.status == 421 and text_of(answer)
        assert (await service.post(SMALL, host=host)).status == 421
    assert (await service.get("/", host=f"localhost:{port}")).status == 200
    assert (await service.get("/", x="a" * MAX_PAGE_HEADERS)).status in (400, 431)


@pytest.mark.slow
async def test_service_accepts_configured_names():
    async with offered(place=ServerAddress(names=("sim.test", "sim.test:8000"))) as service:
        assert (await service.get("/", host="sim.test")).status == (
            await service.get("/", host="sim.test:8000")
        ).status
        assert (await service.get("/", host="sim.test")).status == 200
        assert (await service.post(SMALL, host="sim.test", origin="https://sim.test")).status == 202
        assert (await service.get("/", host="sim.test:1")).status == 421


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_foreign_page_may_link_but_not_post(service, headers):
    for kind, body in (
        (FORM, b"model=table&rounds=3"),
        ("application/json", json.dumps(SMALL).encode()),
    ):
        answer = await service.post(body, content_type=kind, **headers)
        assert answer.status == 403 and text_of(answer)
    assert (await service.get("/", **headers)).status == 200
    own = {"origin": f"http://{service.host}", "sec_fetch_site": "same-origin"}
    assert (await service.post(b"model=table&rounds=3", content_type=FORM, **own)).status == 202


@pytest.mark.slow
async def test_service_uses_language_of_browser(service):
    german = await service.get("/", accept_language="de-AT, en;q=0.5")
    assert german.headers["content-language"] == "de" and "Beginnen" in text_of(german)
    path = await service.begin(SMALL)
    await service.result(path)
    assert "gespielte Runden" in text_of(await service.get(path, accept_language="de"))
    for language in ("qps", "fr", "../..", "*;q=x"):
        answer = await service.get(path, accept_language=language)
        assert answer.status == 200 and well_formed(answer) is not None
    assert "ein JSON-Objekt" in text_of(await service.post([], accept_language="de"))


@pytest.mark.parametrize(
    ("accept", "best"),
    [
        ("", KIND),
        ("*/*", KIND),
        (BROWSER, KIND),
        ("application/json", "application/json"),
        ("text/html", None),
        ("application/*;q=0.1, application/json;q=0.2", "application/json"),
        ("application/json;q=0", None),
        ("*/*, application/xhtml+xml;q=0", "application/json"),
        ("application/json;q=0.5, */*;q=0.5", KIND),
        ("nonsense, ;;", None),
        ("APPLICATION/JSON; Q=1", "application/json"),
        ("text/html, */*;q=0.1", KIND),
    ],
)
def test_answer_format_follows_accept_header(accept, best):
    assert best_of((KIND, "application/json"), accept) == best


@given(st.text(max_size=80))
@pytest.mark.slow
def test_random_accept_header_is_handled(accept):
    assert best_of((KIND, "application/json"), accept) in (KIND, "application/json", None)


async def run_through(simulations):
    working = asyncio.create_task(simulations.work())
    for _ in range(3 * MAX_SIMULATIONS_WAITING):
        await asyncio.sleep(0)
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working


async def done(task, hear):
    return JobOutcome({})


async def test_results_expire_and_waiting_jobs_stay():
    now = 0.0
    simulations = JobQueue(done, lambda: now)
    first = simulations.add(task_of(SMALL))
    await run_through(simulations)
    now = SIMULATION_HOURS * 3600.0
    waits = simulations.add(task_of(SMALL))
    assert simulations.find(first) is not None
    now += 1
    assert simulations.find(first) is None
    now *= 100
    assert simulations.find(waits) is not None


async def test_stored_results_are_bounded_and_oldest_removed():
    simulations = JobQueue(done)
    links = []
    while len(links) < MAX_SIMULATIONS_KEPT + 5:
        with suppress(QueueFull):
            links.append(simulations.add(task_of(SMALL)))
            continue
        await run_through(simulations)
    await run_through(simulations)
    kept = [simulations.find(link) is not None for link in links]
    assert kept == [False] * 5 + [True] * MAX_SIMULATIONS_KEPT and len(set(links)) == len(links)
