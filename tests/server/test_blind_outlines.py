"""Both masks of a blind audit on their photo, and not before they are drawn."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cfr_core.workspace.location import VARIABLE
from server import workspace as served
from server.blind_outlines import blind_outlines_url
from tests.made_dataset import made_dataset
from tests.server.asking import get


@pytest.fixture
def audit_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "workspace"))
    served.workspace().add_dataset(made_dataset(tmp_path / "photos"))
    yield served.workspace().blind_audits.draw("discs", 2, seed=0, author="").audit_id
    served.close()


def test_a_photo_has_its_outlines_once_it_is_drawn(audit_id: str) -> None:
    row = served.workspace().blind_audits.row_ids(audit_id)[0]
    refused = get(blind_outlines_url(audit_id, row))
    assert refused.status == 404
    assert b"has not been drawn" in refused.body
    _, mask = served.workspace().mask_history.current(row)
    served.workspace().blind_audits.add(audit_id, mask)
    answer = get(blind_outlines_url(audit_id, row))
    assert answer.status == 200
    with Image.open(io.BytesIO(answer.body)) as image:
        drawn = np.asarray(image)
    assert drawn.shape == (90, 120, 3)
    assert get(blind_outlines_url(audit_id, 10**6)).status == 404
    assert get(blind_outlines_url("lost", row)).status == 400
