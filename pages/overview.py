"""What is in this workspace."""

import streamlit as st

from components import cached, state
from components.gallery import gallery

st.title("Overview")
st.write(
    "Does a re-identification model recognise the animal, or the place where it was photographed? "
    "This workbench runs the same retrieval on the whole photo, on the animal alone, on its "
    "surroundings and on its outline, and compares the four."
)

datasets = cached.datasets()
if not datasets:
    st.info("This workspace holds no dataset yet.")
    st.stop()

st.subheader("Datasets")
names = [dataset.name for dataset in datasets]
st.dataframe(
    {
        "Dataset": names,
        "Rows": [dataset.n_rows for dataset in datasets],
        "Identities": [dataset.n_identities for dataset in datasets],
        "Rows of unknown identity": [dataset.n_unknown for dataset in datasets],
        "Accepted masks": [dataset.n_accepted_masks for dataset in datasets],
        "Role of the outline": [str(dataset.silhouette_role) for dataset in datasets],
    },
    hide_index=True,
    column_config={
        name: st.column_config.NumberColumn(format="localized")
        for name in ("Rows", "Identities", "Rows of unknown identity", "Accepted masks")
    },
)
name = st.selectbox("Dataset", names, **state.bound(state.DATASET, among=names))
clicked = gallery(
    cached.gallery_rows(name), key=f"rows of {name}", current=state.get(state.ROW)
).opened
if clicked is not None:
    state.put(state.ROW, clicked)
    st.rerun()
