"""An application beside the pages that is loaded when somebody first asks for it."""

import asyncio
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import Receive, Scope, Send

_PATIENCE_S = 0.5


class LazyApp:
    """An ASGI application that costs nothing until its first request.

    A mounted application's lifespan is entered by nobody else: without it, Gradio's page opens but
    its events never answer. It is entered and left in one task, as its task groups demand.
    """

    def __init__(self, load: Callable[[], Starlette], *, opening: str = "") -> None:
        """Nothing is loaded yet.

        Args:
            load: Imports and makes the application; it runs in a thread.
            opening: HTML that asks again by itself, shown to who comes before it is loaded; if it
                is empty, they wait.
        """
        self._load = load
        self._opening = opening
        self._task: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Starlette] | None = None
        self._loading: asyncio.Task[Starlette] | None = None
        self._stop = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, once the application is there."""
        if self._opening and _asks_for_a_page(scope) and not await self._is_loaded():
            page = HTMLResponse(self._opening, headers={"Cache-Control": "no-store"})
            await page(scope, receive, send)
            return
        application = await self._application()
        await application(scope, receive, send)

    async def close(self) -> None:
        """Leave the lifespan, if it was entered."""
        self._stop.set()
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _is_loaded(self) -> bool:
        """Whether the application is there, now or in a moment; what went wrong is told once."""
        loading = self._loading
        if loading is None:
            loading = self._loading = asyncio.create_task(self._application())
        done, _ = await asyncio.wait([loading], timeout=_PATIENCE_S)
        if done:
            self._loading = None
            loading.result()
        return bool(done)

    async def _application(self) -> Starlette:
        if self._task is None or self._ready is None or self._task.done():
            self._ready = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._run(self._ready))
        waiting: set[asyncio.Future[Any]] = {self._task, self._ready}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if not self._ready.done():
            self._task.result()  # raises what went wrong; the next request tries again
        return self._ready.result()

    async def _run(self, ready: "asyncio.Future[Starlette]") -> None:
        application = await asyncio.to_thread(self._load)
        async with application.router.lifespan_context(application):
            ready.set_result(application)
            await self._stop.wait()


def _asks_for_a_page(scope: Scope) -> bool:
    return scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", "")
