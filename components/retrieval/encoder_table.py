"""The encoders with their licences, and what each needs before it can be used."""

from collections.abc import Collection

import pandas as pd
import streamlit as st

from cfr_core.encoders.status import EncoderStatus
from components.downloads import csv_button


def encoder_table(encoders: Collection[EncoderStatus]) -> None:
    """Draw the encoders of the registry, folded away."""
    table = pd.DataFrame(
        {
            "Encoder": [encoder.name for encoder in encoders],
            "Weights": [
                "on this machine" if encoder.is_present else "to be fetched" for encoder in encoders
            ],
            "Licence of the weights": [encoder.licence for encoder in encoders],
            "Input (px)": [encoder.input_size_px for encoder in encoders],
            "Numbers in an embedding": [encoder.dim for encoder in encoders],
            "How to get the weights": [encoder.needs or "nothing to do" for encoder in encoders],
        }
    )
    with st.expander("Encoders: licence, input size, weights"):
        st.dataframe(table, hide_index=True)
        csv_button(table, "encoders", key="encoders as CSV")
