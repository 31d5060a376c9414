"""Shortcut cues of a dataset in a minute, for showing its owner: `/demo` of the app, or alone.

`python demo.py [--workspace FOLDER] [--port 7860]` serves it without the rest of the app.
"""

import argparse
import html
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import gradio as gr
import numpy as np
import uvicorn
from fastapi import FastAPI
from gradio.themes import Base
from PIL import Image

from cfr_core.audit.drilldown import Match, drill_down
from cfr_core.audit.plain_words import sentence_of_newcomer, sentence_of_query
from cfr_core.audit.profile import Colours
from cfr_core.audit.queries import query_table
from cfr_core.audit.stored import read_profile
from cfr_core.audit.words import VIEW_CONTENTS
from cfr_core.errors import CfrError, InputError
from cfr_core.masks.grabcut import mask_from_taps
from cfr_core.types import BoolArray, ImageArray, View, ViewSpec
from cfr_core.views import VIEW_NOTES, render_views
from cfr_core.workspace.location import VARIABLE
from components import palette
from server.images import image_url
from server.routes import routes
from server.workspace import workspace

if TYPE_CHECKING:
    from cfr_core.audit.newcomer import KnownPhotos

N_NEAREST = 5
_MAX_PHOTO_PX = 1024
_TITLE = "Animal or scenery?"

_CSS = f"""
.strip {{ display: flex; gap: 8px; overflow-x: auto; padding-bottom: 6px; }}
.strip figure {{ flex: 0 0 128px; margin: 0; font-size: 0.8rem; line-height: 1.3; }}
.strip img {{ width: 128px; height: 96px; object-fit: contain; box-sizing: border-box;
  border: 3px solid transparent; background: var(--background-fill-secondary); }}
.strip .right img {{ border: 3px solid {palette.RIGHT}; }}
.strip .wrong img {{ border: 3px dashed {palette.WRONG}; }}
.four {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 10px; }}
.four figure {{ margin: 0; font-size: 0.8rem; line-height: 1.3; }}
.four img {{ width: 100%; }}
figcaption {{ margin-top: 4px; white-space: pre-line; }}
.said p {{ font-size: 1.1rem; font-weight: 600; }}
footer {{ display: none !important; }}
"""

_NO_RUN = "This workspace holds no finished run yet: open the demo in the app first."

_READ = (
    "A model that tells animals apart should look at the animal. Here the same model looks at the "
    "whole photo, at the **animal alone**, at its **surroundings alone** and at its **outline "
    "alone**. Where the surroundings are enough to find the same animal again, the dataset gives "
    "the answer away."
)


def build() -> gr.Blocks:
    """The page."""
    with gr.Blocks(title=_TITLE, analytics_enabled=False) as page:
        gr.Markdown(f"# {_TITLE}\n\n{_READ}")
        run = gr.Dropdown(label="Dataset and model", choices=[], interactive=True)
        with gr.Tab("Of the dataset"):
            photo = gr.Dropdown(label="Photo, the most suspicious first", choices=[])
            known = _Answer()
        with gr.Tab("Your own"):
            gr.Markdown(
                "Upload or take a photo, then **tap on the animal two or three times**: head, "
                "body, tail. The mask is rough; it is for a first look only."
            )
            own = gr.Image(label="Your photo", type="numpy", height=360, format="jpeg")
            taps = gr.State([])
            again = gr.Button("Forget the taps", size="sm")
            unknown = _Answer()
        page.load(_runs, outputs=run)
        run.change(_photos, run, photo)
        photo.change(_show_known, [run, photo], known.outputs)
        own.upload(lambda: [], outputs=taps)
        own.select(_tapped, [own, taps], taps).then(_show_own, [run, own, taps], unknown.outputs)
        again.click(lambda: [], outputs=taps)
    return page


class _Answer:
    """Where one photo's views, its nearest photos and the sentence on them are shown."""

    def __init__(self) -> None:
        self.said = gr.Markdown(elem_classes="said")
        self.views = gr.HTML()
        self.pictures = gr.Gallery(
            columns=2,
            height="auto",
            object_fit="contain",
            show_label=False,
            visible=False,
            format="jpeg",
        )
        self.nearest = gr.HTML()
        self.outputs = [self.said, self.views, self.pictures, self.nearest]


def _runs() -> gr.Dropdown:
    choices = [(f"{run.dataset}, {run.encoder}", run.run_id) for run in workspace().runs()]
    if not choices:
        return gr.Dropdown(choices=[], value=None, info=_NO_RUN)
    return gr.Dropdown(choices=choices, value=choices[0][1], info=None)


def _photos(run_id: str | None) -> gr.Dropdown:
    if run_id is None:
        return gr.Dropdown(choices=[], value=None)
    with _told():
        table = query_table(_folder(run_id), 1).head(200)
        choices = [
            (f"{line['identity']}: {line['kind']}, {line['path']}", line["row_id"])
            for line in table.to_dict("records")
        ]
        return gr.Dropdown(choices=choices, value=choices[0][1])


def _show_known(run_id: str | None, row_id: int | None) -> list[object]:
    if run_id is None or row_id is None:
        return ["", "", None, ""]
    with _told():
        found = drill_down(_folder(run_id), row_id)
        colours = read_profile(_folder(run_id)).colours
    views = _figures(
        "four",
        (
            (
                image_url(row_id, view=view, size_px=640, **colours),
                f"{view.capitalize()}\n{VIEW_NOTES[view]}",
                "",
            )
            for view in View
        ),
    )
    matches = {view: retrieved.nearest[:N_NEAREST] for view, retrieved in found.views.items()}
    return [sentence_of_query(found), views, None, _nearest(matches, colours, is_known=True)]


def _tapped(
    photo: ImageArray, taps: list[tuple[int, int]], event: gr.SelectData
) -> list[tuple[int, int]]:
    del photo  # Gradio sends what the event is bound to.
    x, y = event.index
    return [*taps, (int(x), int(y))]


def _show_own(
    run_id: str | None, photo: ImageArray | None, taps: list[tuple[int, int]]
) -> list[object]:
    if photo is None or not taps:
        return ["", "", gr.Gallery(value=None, visible=False), ""]
    with _told():
        animal, mask = _masked(photo, taps)
        if run_id is None:
            raise InputError("choose a dataset and model above to see which photos are nearest")
        colours = read_profile(_folder(run_id)).colours
        pictures = _drawn(animal, mask, colours)
        found = _matches(run_id, animal, mask)
    said = sentence_of_newcomer(found)
    return [
        said,
        "",
        gr.Gallery(value=pictures, visible=True),
        _nearest(found, colours, is_known=False),
    ]


def _masked(photo: ImageArray, taps: list[tuple[int, int]]) -> tuple[ImageArray, BoolArray]:
    """The photo, made smaller if it is large, with the mask of the tapped animal."""
    image = Image.fromarray(photo)
    image.thumbnail((_MAX_PHOTO_PX, _MAX_PHOTO_PX))
    scale = image.width / photo.shape[1]
    small = np.asarray(image)
    edge = np.array([small.shape[1] - 1, small.shape[0] - 1])
    places = [np.minimum(np.multiply(tap, scale), edge).astype(int) for tap in taps]
    return small, mask_from_taps(small, [(int(x), int(y)) for x, y in places])


def _drawn(image: ImageArray, mask: BoolArray, colours: Colours) -> list[tuple[ImageArray, str]]:
    drawn = render_views(image, mask, [ViewSpec(view, **colours) for view in View])
    return [(picture, view.capitalize()) for view, picture in zip(View, drawn, strict=True)]


def _nearest(found: dict[View, tuple[Match, ...]], colours: Colours, *, is_known: bool) -> str:
    """What each view takes for the same animal, one line a view."""
    parts = []
    for view, matches in found.items():
        parts.append(f"<h4>Nearest by {html.escape(VIEW_CONTENTS[view])}</h4>")
        parts.append(
            _figures(
                "strip",
                (
                    (
                        image_url(match.photo.row_id, view=view, **colours),
                        _caption(match, is_known=is_known),
                        ("right" if match.is_right else "wrong") if is_known else "",
                    )
                    for match in matches
                ),
            )
        )
    return "".join(parts)


def _caption(match: Match, *, is_known: bool) -> str:
    sign = ("✓ " if match.is_right else "✗ ") if is_known else ""
    similarity = "" if match.similarity is None else f", {match.similarity:.2f}"
    # A line each, so that no date is broken at its hyphens.
    return f"{sign}{match.photo.identity}{similarity}\n{match.photo.date}"


def _figures(kind: str, pictures: Iterable[tuple[str, str, str]]) -> str:
    """Pictures, each an address, words and state, in a "strip" that scrolls or as "four"."""
    figures = "".join(
        f'<figure class="{state}"><img loading="lazy" src="{html.escape(url)}" '
        f'alt="{html.escape(words)}"><figcaption>{html.escape(words)}</figcaption></figure>'
        for url, words, state in pictures
    )
    return f'<div class="{kind}">{figures}</div>'


@contextmanager
def _told() -> Iterator[None]:
    """Show what the product can explain as Gradio's own message."""
    try:
        yield
    except CfrError as error:
        raise gr.Error(str(error)) from error


def _folder(run_id: str) -> Path:
    # What comes from a browser names a run that exists, and no other folder.
    if run_id not in {run.run_id for run in workspace().runs()}:
        raise InputError("this run is not there any more; reload the page")
    return workspace().runs_dir / run_id


def _matches(run_id: str, animal: ImageArray, mask: BoolArray) -> dict[View, tuple[Match, ...]]:
    # PyTorch takes seconds to import, and only photos of one's own need it.
    from cfr_core.audit.newcomer import matches_of

    return matches_of(_known(run_id), animal, mask, N_NEAREST)


@lru_cache(maxsize=2)
def _known(run_id: str) -> "KnownPhotos":
    from cfr_core.audit.newcomer import known_photos

    return known_photos(_folder(run_id))


def app() -> FastAPI:
    """The page as an application to be mounted; its lifespan must be entered."""
    theme = Base(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"])
    return gr.mount_gradio_app(
        FastAPI(),
        build(),
        path="/",
        theme=theme,
        css=_CSS,
        footer_links=[],
        run_history=False,
        max_file_size="30mb",
    )


def _main() -> None:
    parser = argparse.ArgumentParser(prog="python demo.py", description=__doc__)
    parser.add_argument("-w", "--workspace", metavar="FOLDER", help="folder of datasets and runs")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=7860)
    arguments = parser.parse_args()
    if arguments.workspace:
        os.environ[VARIABLE] = arguments.workspace
    alone = app()
    # In front of the page's own routes, which answer every address.
    alone.router.routes[:0] = routes()
    uvicorn.run(alone, host=arguments.host, port=arguments.port)


if __name__ == "__main__":
    _main()
