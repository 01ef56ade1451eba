"""Simulation service in a real browser: a form, its progress, its result; and without scripts."""

import asyncio

import pytest_asyncio

from tests.page.visits import NARROW, PHONE, sideways, violations
from tests.support.simulations import SMALL, at_once, offered

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest_asyncio.fixture(loop_scope="session")
async def service():
    async with offered() as made:
        yield made


async def test_from_the_form_to_the_result_without_a_script(visits):
    let_go = asyncio.Event()

    async def do(task, hear):
        hear(10)
        await let_go.wait()
        return await at_once(task, hear)

    async with offered(do) as service:
        page = await visits.open(service.address, java_script_enabled=False)
        form = page.locator("form").first
        await form.locator("[name=rounds]").fill("30")
        await form.locator("[name=names]").fill(f"{HOSTILE[:24]},Bob,Cem,Dan")
        await form.locator("button").click()
        await page.wait_for_url("**/simulations/*")  # the page redirects by itself
        await page.wait_for_selector("main:has-text('10 of 30 rounds')")
        let_go.set()
        await page.wait_for_selector("table")  # the page reloads by itself
        assert (
            HOSTILE[:24] in await page.inner_text("table")
            and await page.locator("img").count() == 0
        )
        assert await page.locator("svg[role=img]").count() == 2
        assert await page.evaluate("document.contentType") == "application/xhtml+xml"


async def test_wrong_form_returns_with_typed_values(visits, service):
    page = await visits.open(service.address)
    form = page.locator("form").first
    await form.locator("[name=think]").fill("1 1")
    await form.locator("[name=decks]").fill("")
    await form.locator("button").click()
    assert "each of the 4 seats" in await page.inner_text("[role=alert]")
    visits.forgive("400 (Bad Request)")
    assert await page.evaluate("() => document.querySelector('[name=think]').value") == "1 1"
    await form.locator("[name=think]").fill("1")
    await form.locator("[name=rounds]").fill("3")
    await form.locator("button").click()
    await page.wait_for_selector("table")


async def test_simulation_pages_are_readable_in_all_themes_and_widths(visits, service):
    done = await service.begin(SMALL | {"seats": 12, "latency": [0.1] * 11 + [0]})
    await service.result(done)
    for dark, size in ((False, NARROW), (True, PHONE)):
        page = await visits.open(dark=dark, size=size)
        for path in ("", done[1:], "x"):
            await page.goto(service.address + path)
            assert await sideways(page) == "" and await page.locator("h1").count() == 1
            assert await violations(page) == [], (path, dark)
    visits.forgive("404 (Not Found)")


async def test_nothing_is_fetched_from_elsewhere_and_no_script_runs(visits, service):
    page = await visits.open()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(service.address)
    assert asked == [service.address, f"{service.address}style.css"]
    assert await page.evaluate("() => getComputedStyle(document.body).margin") == "0px"
