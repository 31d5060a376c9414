"""Requests straight into the routes, without a socket."""

import asyncio
import json
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.applications import Starlette

from server.routes import routes


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


async def ask(
    url: str, headers: dict[str, str] | None = None, method: str = "GET", body: bytes = b""
) -> Answer:
    """One request straight into the application, without a socket."""
    sent: list[dict] = []

    async def receive() -> dict:
        return {"type": "http.request", "body": body}

    async def send(message: dict) -> None:
        sent.append(message)

    parts = urlsplit(url)
    scope = {
        "type": "http",
        "method": method,
        "path": parts.path,
        "query_string": parts.query.encode(),
        "headers": [(k.lower().encode(), v.encode()) for k, v in (headers or {}).items()],
    }
    await Starlette(routes=routes())(scope, receive, send)
    return Answer(
        sent[0]["status"],
        {name.decode(): value.decode() for name, value in sent[0]["headers"]},
        b"".join(message.get("body", b"") for message in sent[1:]),
    )


def get(url: str, headers: dict[str, str] | None = None) -> Answer:
    return asyncio.run(ask(url, headers))


def post(url: str, content: object, headers: dict[str, str] | None = None) -> Answer:
    """Send JSON, as a page of the server does."""
    own = {"host": "here", "origin": "http://here", "content-type": "application/json"}
    body = json.dumps(content).encode()
    return asyncio.run(ask(url, own | (headers or {}), "POST", body))
