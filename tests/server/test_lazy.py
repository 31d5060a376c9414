"""An application that is loaded with its first request."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from server.lazy import LazyApp


class Made:
    """Counts what happens to an application."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def load(self) -> Starlette:
        self.events.append("loaded")
        return Starlette(routes=[Route("/", self.answer)], lifespan=self.lifespan)

    async def answer(self, _: Request) -> PlainTextResponse:
        self.events.append("asked")
        return PlainTextResponse("here")

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self.events.append("entered")
        yield
        self.events.append("left")


async def ask(app: LazyApp, accept: str = "*/*") -> int:
    return (await answer(app, accept))[0]["status"]


async def answer(app: LazyApp, accept: str) -> list[dict]:
    """The messages of a response."""
    sent: list[dict] = []

    async def send(message: dict) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b""}
    scope["headers"] = [(b"accept", accept.encode())]
    await app(scope, lambda: asyncio.sleep(0, {"type": "http.request"}), send)
    return sent


def test_it_is_loaded_once_and_its_lifespan_surrounds_all_requests() -> None:
    made = Made()

    async def visit() -> None:
        app = LazyApp(made.load)
        assert made.events == []
        assert await asyncio.gather(ask(app), ask(app)) == [200, 200]
        await ask(app)
        await app.close()

    asyncio.run(visit())
    assert made.events == ["loaded", "entered", "asked", "asked", "asked", "left"]


def test_nobody_asking_costs_nothing() -> None:
    made = Made()
    asyncio.run(LazyApp(made.load).close())
    assert made.events == []


def test_what_goes_wrong_is_raised_and_the_next_request_tries_again() -> None:
    made = Made()
    failures = [OSError("no disk")]

    def load() -> Starlette:
        if failures:
            raise failures.pop()
        return made.load()

    async def visit() -> None:
        app = LazyApp(load)
        with pytest.raises(OSError, match="no disk"):
            await ask(app)
        assert await ask(app) == 200
        await app.close()

    asyncio.run(visit())
    assert made.events == ["loaded", "entered", "asked", "left"]


def test_who_opens_the_page_while_it_loads_is_told() -> None:
    made, may_load = Made(), threading.Event()

    def load() -> Starlette:
        may_load.wait(60)
        return made.load()

    async def visit() -> None:
        app = LazyApp(load, opening="<p>soon</p>")
        assert [m.get("body") for m in await answer(app, "text/html")][1] == b"<p>soon</p>"
        other = asyncio.create_task(answer(app, "image/png"))
        may_load.set()
        assert (await other)[1]["body"] == b"here"
        assert (await answer(app, "text/html"))[1]["body"] == b"here"
        await app.close()

    asyncio.run(visit())
    assert made.events == ["loaded", "entered", "asked", "asked", "left"]


@pytest.mark.parametrize("seconds", [0, 0.8])
def test_a_page_that_cannot_be_loaded_does_not_say_soon_for_ever(seconds: float) -> None:
    def load() -> Starlette:
        time.sleep(seconds)
        raise OSError("no disk")

    async def visit() -> None:
        app = LazyApp(load, opening="<p>soon</p>")
        for _ in range(120):
            assert await ask(app, "text/html") == 200

    with pytest.raises(OSError, match="no disk"):
        asyncio.run(visit())
