"""Tables and plots that can be taken home: every table as CSV, every plot as PNG and HTML."""

import re
from collections.abc import Callable

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

_BOM = "\ufeff"
"""Tells Excel that the text is UTF-8; this product's own reader knows it too."""


def csv_button(table: pd.DataFrame, name: str, *, key: str, label: str = "Download CSV") -> None:
    """Draw a button that saves a table.

    Args:
        table: What to save; its index is left out.
        name: File name without its ending.
        key: Name of the button on the page.
        label: What it says.
    """
    _button(
        label,
        lambda: _BOM + table.to_csv(index=False),
        f"{_file_name(name)}.csv",
        mime="text/csv",
        key=key,
    )


def plot(figure: go.Figure, name: str, *, key: str, alt: str) -> None:
    """Draw a plot that is only looked at; its own tool bar saves a PNG, a button the HTML.

    Args:
        figure: What to draw.
        name: File name without its ending.
        key: Name of the plot on the page.
        alt: What it shows, for those who cannot see it.
    """
    st.plotly_chart(figure, key=key, config=plot_config(name), alt=alt)
    html_button(figure, name, key=f"{key}, HTML")


def plot_config(name: str) -> dict[str, object]:
    """Options of Plotly's tool bar: a sharp PNG under a name of its own, and no advertising."""
    return {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"],
        "toImageButtonOptions": {"format": "png", "filename": _file_name(name), "scale": 2},
    }


def html_button(figure: go.Figure, name: str, *, key: str) -> None:
    """Draw a button that saves a plot as a page that works without a network.

    Args:
        figure: What to save.
        name: File name without its ending.
        key: Name of the button on the page.
    """
    _button(
        "Download plot (HTML)",
        lambda: figure.to_html(include_plotlyjs=True, full_html=True),
        f"{_file_name(name)}.html",
        mime="text/html",
        key=key,
    )


def _button(label: str, text: Callable[[], str], file_name: str, *, mime: str, key: str) -> None:
    """A button for a file whose text is made only when somebody asks for it."""
    st.download_button(
        label,
        lambda: text().encode(),
        file_name=file_name,
        mime=mime,
        key=key,
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
    )


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "download"
