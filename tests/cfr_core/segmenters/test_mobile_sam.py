"""MobileSAM on timm's TinyViT against its own package."""

import warnings
from types import ModuleType

import pytest
import torch

from cfr_core.segmenters.mobile_sam import build_mobile_sam, with_timm_names
from tests.cfr_core.encoders.conftest import lively


@pytest.fixture(scope="module")
def mobile_sam() -> ModuleType:
    """The package of MobileSAM, kept from replacing models in timm's registry."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it imports by names that timm has left
        import timm.models.registry

        patch.setattr(timm.models.registry, "register_model", lambda function: function)
        import mobile_sam
    return mobile_sam


def test_mobile_sam_computes_what_its_package_computes(mobile_sam: ModuleType) -> None:
    """Layer by layer on a smaller picture, since the package knows one size of output only."""
    theirs = mobile_sam.modeling.TinyViT(
        img_size=256,
        embed_dims=[64, 128, 160, 320],
        depths=[2, 2, 6, 2],
        num_heads=[2, 4, 5, 10],
        window_sizes=[7, 7, 14, 7],
        drop_path_rate=0.0,
    )
    lively(theirs, seed=5).train()
    theirs.eval()  # it computes its position biases on the change
    state = {f"image_encoder.{key}": value for key, value in theirs.state_dict().items()}
    ours = build_mobile_sam().image_encoder
    names = with_timm_names(state)
    ours.load_state_dict({key.removeprefix("image_encoder."): names[key] for key in names})
    image = torch.randn((1, 3, 256, 256), generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        rows = theirs.patch_embed(image)
        for layer in theirs.layers:
            rows = layer(rows)
        expected = theirs.neck(rows.view(1, 16, 16, 320).permute(0, 3, 1, 2))
        torch.testing.assert_close(ours.eval()(image), expected, rtol=1e-3, atol=1e-4)


def test_the_published_file_of_mobile_sam_fits(mobile_sam: ModuleType) -> None:
    theirs = mobile_sam.sam_model_registry["vit_t"]()
    with torch.device("meta"):
        ours = build_mobile_sam()
    shapes = {key: value.shape for key, value in ours.state_dict().items()}
    assert {key: v.shape for key, v in with_timm_names(theirs.state_dict()).items()} == shapes
