"""The web application: routes, methods and answers, refusals too.

All who can reach the service may ask it. A result is found only by its link, and links cannot be
guessed. Pages of other sites may not ask: the service refuses a request for another host name, and
a POST that comes from a foreign page.
"""

from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl
from xml.etree.ElementTree import Element  # only built, never parsed

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from net.http.policy import is_own_page, response_headers
from net.http.requests import HttpError, check_request_headers, read_body
from protocol.errors import LocalError
from protocol.i18n import available_languages, best_language, load_translator
from protocol.i18n.language_choice import parse_accept_language
from protocol.limits import (
    MAX_SIMULATION_BODY,
    MAX_SIMULATIONS_WAITING,
    SIMULATION_HOURS,
    SIMULATION_POLL_SECONDS,
)
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say, phrase_renderer
from simulation.pages.markup import KIND, STYLE, style_sheet
from simulation.task import KINDS, SimulationTask
from simulation.task.task_parser import MODEL, task_of_json, task_of_texts
from simulation.web import status_pages
from simulation.web.content_negotiation import best_of, kind_of
from simulation.web.form import SIMULATIONS, form_page, model_form
from simulation.web.job_queue import JobQueue, QueueFull, SimulationJob
from simulation.web.worker_program import JSON as DATA

POLICY = (
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors "
    "'none'"
)
HEADERS = response_headers(POLICY, "same-origin")
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
CSS = "text/css"
MOST_FIELDS = 32  # of a form; our own forms have half as many
WEB = {400: "simulate.web.wrong", 404: "simulate.web.nothing", 405: "simulate.web.method"}


def make_app(simulations: JobQueue, ours: Callable[[str], bool]) -> ASGIApp:
    """Make the application; `ours` tells whether a host name is the service's own."""
    service = _Service(simulations)
    app = Starlette(
        routes=[
            Route("/", service.form, methods=["GET"]),
            Route(f"/{STYLE}", service.style, methods=["GET"]),
            Route(SIMULATIONS, service.begin, methods=["POST"]),
            Route(SIMULATIONS + "/{name}", service.look, methods=["GET"]),
        ],
        exception_handlers={HttpError: _answer_http_error, HTTPException: _answer_unrouted},
    )
    app.router.redirect_slashes = False
    return _HostCheck(app, ours)


class _HostCheck:
    """Middleware that refuses requests for other host names, and changing requests from foreign
    pages.
    """

    def __init__(self, app: ASGIApp, ours: Callable[[str], bool]) -> None:
        self._app = app
        self._ours = ours

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check and pass on a request."""
        headers = Headers(scope=scope)
        error = check_request_headers(headers, self._ours) or self._foreign(scope, headers)
        if error is None:
            await self._app(scope, receive, send)
        else:
            await (await _answer_http_error(Request(scope), error))(scope, receive, send)

    def _foreign(self, scope: Scope, headers: Headers) -> HttpError | None:
        asks = scope["method"] in ("GET", "HEAD")
        own = is_own_page(
            headers["host"], headers.getlist("sec-fetch-site"), headers.getlist("origin")
        )
        return None if asks or own else HttpError(403, "web.foreign")


class _Service:
    """Handlers of the routes."""

    def __init__(self, simulations: JobQueue) -> None:
        self._simulations = simulations
        self._style = style_sheet()

    async def form(self, request: Request) -> Response:
        """Answer with the page of forms."""
        if best_of((KIND,), _accept(request)) is None:
            raise HttpError(406, "simulate.web.accept")
        return _response(200, form_page(*_speech(request)), KIND, request)

    async def style(self, request: Request) -> Response:
        """Answer with the style sheet of all pages."""
        return Response(self._style, media_type=CSS)

    async def begin(self, request: Request) -> Response:
        """Add a simulation to the queue."""
        _wanted_kind(request)
        sent = await _body(request)
        try:
            name = self._simulations.add(_task(sent))
        except LocalError as error:
            return _refusal(400, error.phrase, request, again=_filled_form(sent, request))
        except QueueFull:
            raise HttpError(429, "simulate.web.full", most=MAX_SIMULATIONS_WAITING) from None
        more = {"Location": status_pages.where(name)}
        if _wanted_kind(request) == KIND:
            more["Refresh"] = f"1; url={status_pages.where(name)}"
        return _answer(202, status_pages.accepted_page(name, *_speech(request)), request, more)

    async def look(self, request: Request) -> Response:
        """Answer with the progress or the result of a simulation."""
        kind = _wanted_kind(request)
        found = self._simulations.find(request.path_params["name"])
        if found is None:
            raise HttpError(404, "simulate.web.unknown", hours=SIMULATION_HOURS)
        if found.outcome is None:
            return self._progress(found, request)
        language, say = _speech(request)
        if found.outcome.failed is not None:
            return _answer(
                200, status_pages.failed_page(found.outcome.failed, language, say), request
            )
        answers = found.outcome.answers
        return _response(200, answers[DATA] if kind == JSON else answers[language], kind, request)

    def _progress(self, found: SimulationJob, request: Request) -> Response:
        more = {"Retry-After": str(SIMULATION_POLL_SECONDS)}
        if "still" not in request.query_params and _wanted_kind(request) == KIND:
            more["Refresh"] = str(SIMULATION_POLL_SECONDS)
        answer = status_pages.progress_page(
            found, self._simulations.before(found), *_speech(request)
        )
        return _answer(200, answer, request, more)


class _FormFields(dict[str, str]):
    """Fields of a form."""


async def _body(request: Request) -> bytes | _FormFields:
    """Read the body: JSON as bytes, or the fields of a form. Raises: HttpError."""
    if request.headers.get("content-encoding", "identity") != "identity":
        raise HttpError(415, "simulate.web.encoded")
    kind = kind_of(request.headers.get("content-type", ""))
    if kind not in (JSON, FORM):
        raise HttpError(415, "simulate.web.kind")
    data = await read_body(request, MAX_SIMULATION_BODY)
    return data if kind == JSON else _form(data)


def _form(data: bytes) -> _FormFields:
    try:
        pairs = parse_qsl(
            data.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(data),
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError:
        raise HttpError(400, "simulate.web.form") from None
    sent = _FormFields(pairs)
    if len(sent) != len(pairs):
        raise HttpError(400, "simulate.web.form")
    return sent


def _task(sent: bytes | _FormFields) -> SimulationTask:
    """Make the task of a request. Raises: LocalError."""
    if isinstance(sent, bytes):
        return task_of_json(sent)
    return task_of_texts(
        sent.get(MODEL, ""), {name: text for name, text in sent.items() if name != MODEL}
    )


def _filled_form(sent: bytes | _FormFields, request: Request) -> Element | None:
    """Make the form of a request again, with its values."""
    if isinstance(sent, bytes) or sent.get(MODEL) not in KINDS:
        return None
    return model_form(sent[MODEL], _speech(request)[1], sent)


def _accept(request: Request) -> str:
    return ",".join(request.headers.getlist("accept"))


def _wanted_kind(request: Request) -> str:
    """Choose XHTML or JSON. Raises: HttpError if the client accepts neither."""
    kind = best_of((KIND, JSON), _accept(request))
    if kind is None:
        raise HttpError(406, "simulate.web.accept")
    return kind


def _speech(request: Request) -> tuple[str, Say]:
    wishes = parse_accept_language(",".join(request.headers.getlist("accept-language")))
    languages = [language for language in wishes if language in available_languages()]
    return best_language(*languages), phrase_renderer(load_translator(*languages), ())


def _answer(
    status: int,
    answer: status_pages.WebAnswer,
    request: Request,
    more: Mapping[str, str] | None = None,
) -> Response:
    """Answer in the form that the client prefers; in XHTML if it accepts neither."""
    if best_of((KIND, JSON), _accept(request)) == JSON:
        return _response(status, status_pages.as_json(answer), JSON, request, more)
    return _response(status, answer.page, KIND, request, more)


def _response(
    status: int, content: bytes, kind: str, request: Request, more: Mapping[str, str] | None = None
) -> Response:
    headers = {
        "Content-Type": kind,
        "Content-Language": _speech(request)[0],
        "Vary": "Accept, Accept-Language",
    }
    return Response(content, status, headers | dict(more or {}))


def _refusal(
    status: int,
    why: Phrase,
    request: Request,
    more: Mapping[str, str] | None = None,
    again: Element | None = None,
) -> Response:
    return _answer(status, status_pages.refused_page(why, *_speech(request), again), request, more)


async def _answer_http_error(request: Request, error: Exception) -> Response:
    """Answer for an `HttpError` of a handler."""
    assert isinstance(error, HttpError)
    more = {429: {"Retry-After": str(SIMULATION_POLL_SECONDS)}, 415: {"Accept": f"{JSON}, {FORM}"}}
    return _refusal(error.status, phrase(error.key, **error.args_), request, more.get(error.status))


async def _answer_unrouted(request: Request, error: Exception) -> Response:
    """Answer for a request without a handler."""
    assert isinstance(error, HTTPException)
    key = WEB.get(error.status_code, WEB[400])
    return _refusal(error.status_code, phrase(key), request, error.headers)
