"""Program that ends while its page is open: requests in transit are answered, and the page sends no
more.
"""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Route

from tests.page.collectors import album, people
from tests.page.visits import Visits


@pytest.mark.match
async def test_request_before_end_is_answered_and_none_follows(visits: Visits, tmp_path: Path):
    link: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    over, asked, free = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def program() -> None:
        async with album(ann) as (_, made):
            link.set_result(made)
            await over.wait()

    async def hold(route: Route) -> None:
        asked.set()
        await free.wait()
        await route.continue_()

    with people(tmp_path) as (ann, _):
        async with asyncio.timeout(240), asyncio.TaskGroup() as tasks:
            tasks.create_task(program())
            tab = await visits.open(await link)
            await tab.click("[data-view=creators]")
            await tab.route("**/api/policy", hold)
            await tab.check("input[value='certified only']")
            await asked.wait()
            over.set()
            await tab.wait_for_selector("#program:has-text('has ended')")
            free.set()
        assert ann.collection.store.policy == "certified only"
        await tab.check("input[value=distrusted]")
        await tab.wait_for_selector(".wrong:has-text('has ended')")
