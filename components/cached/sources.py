"""Sources of photos before they are imported, as they were read last."""

import dataclasses
import json
from pathlib import Path

import streamlit as st

from cfr_core.datasets.choices import source_columns as columns_of_source
from cfr_core.datasets.preview import Preview
from cfr_core.datasets.preview import preview as make_preview
from cfr_core.errors import InputError
from cfr_core.jobs.imports import ImportSpec


def preview(spec: ImportSpec) -> Preview:
    """What an import would start from; read from the files, and again after `read_again`.

    Raises:
        InputError: if the source cannot be read so.
    """
    return _preview(_source_key(spec))


def source_columns(spec: ImportSpec) -> list[str]:
    """Columns of a source, as of the last reading; none if it has none to choose from."""
    return _source_columns(_source_key(spec))


def read_again() -> None:
    """Forget what was read of sources: their files have changed."""
    _preview.clear()
    _source_columns.clear()


def _source_key(spec: ImportSpec) -> str:
    # What is decided after the reading does not change it.
    read = dataclasses.replace(spec, name="", role=None, replace=False)
    return json.dumps(read.to_json(), sort_keys=True)


# For minutes only, since nobody tells when files of a source change.
@st.cache_resource(max_entries=4, ttl=600, show_spinner="Reading the source")
def _preview(source: str) -> Preview:
    spec = ImportSpec.from_json(json.loads(source))
    try:
        return make_preview(spec.read(), spec.unknown_identities)
    except OSError as error:
        raise InputError(f"{spec.source} cannot be read: {error}") from error


@st.cache_resource(max_entries=8, ttl=600, show_spinner=False)
def _source_columns(source: str) -> list[str]:
    spec = ImportSpec.from_json(json.loads(source))
    if spec.wildlife:
        return []
    try:
        return columns_of_source(Path(spec.source), table=spec.table, kind=spec.kind)
    except InputError:
        return []
