"""An application that is loaded with its first request."""

import asyncio
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


async def ask(app: LazyApp) -> int:
    sent: list[dict] = []

    async def send(message: dict) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}
    await app(scope, lambda: asyncio.sleep(0, {"type": "http.request"}), send)
    return sent[0]["status"]


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
