"""The server: pages and HTTP routes in one process. `streamlit run app.py [-- --workspace FOLDER]`.

Streamlit finds `app` by reading this file, and runs `pages/main.py` for each session.
"""

import argparse
import asyncio
import importlib
import logging
import os
import sys
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.applications import Starlette
from starlette.routing import Mount

from cfr_core.errors import CfrError
from cfr_core.workspace.location import VARIABLE
from server import workspace
from server.lazy import LazyApp
from server.routes import routes

_LOG = logging.getLogger("cfr")


def _read_arguments() -> None:
    """Take the workspace from the command line, if this file was started from there."""
    if not sys.argv or Path(sys.argv[0]).resolve() != Path(__file__).resolve():
        return
    parser = argparse.ArgumentParser(prog="streamlit run app.py --")
    parser.add_argument(
        "-w", "--workspace", metavar="FOLDER", help="folder of datasets, masks and runs"
    )
    folder = parser.parse_args().workspace
    if folder:
        os.environ[VARIABLE] = folder


@asynccontextmanager
async def _lifespan(_: st.App) -> AsyncIterator[dict[str, Any]]:
    try:
        _LOG.info("workspace %s", workspace.workspace().root)
    except CfrError as error:
        # The pages say so too, and try again: the other program may be closed meanwhile.
        _LOG.error("%s", error)
    if not st.get_option("server.headless"):
        # Streamlit opens a browser for plain scripts only.
        asyncio.get_running_loop().run_in_executor(None, webbrowser.open, _address())
    yield {}
    await _demo.close()
    workspace.close()


def _load_demo() -> Starlette:
    # Gradio takes seconds to import, and most visits never see it.
    return importlib.import_module("demo").app()  # type: ignore[no-any-return]


def _address() -> str:
    host = st.get_option("server.address")
    host = "localhost" if host in (None, "0.0.0.0", "::") else host
    return f"http://{host}:{st.get_option('server.port')}"


_read_arguments()
_demo = LazyApp(
    _load_demo,
    opening=(Path(__file__).parent / "server" / "opening.html").read_text(encoding="utf-8"),
)
app = st.App(
    Path(__file__).parent / "pages" / "main.py",
    routes=[*routes(), Mount("/demo", app=_demo)],
    lifespan=_lifespan,
)
