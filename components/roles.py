"""The role of the outline, in words for people who know the animals."""

from dataclasses import dataclass
from types import MappingProxyType

from cfr_core.types import SilhouetteRole


@dataclass(frozen=True)
class RoleMeaning:
    """A role as a choice on a screen.

    Attributes:
        short: As the answer to "outline as evidence?".
        title: As the answer to "does the outline of the body tell who it is?".
        words: What follows from it.
    """

    short: str
    title: str
    words: str


ROLE_MEANINGS = MappingProxyType(
    {
        SilhouetteRole.SHORTCUT: RoleMeaning(
            "no",
            "No, it is a shortcut",
            "Individuals are told by coat, face or scars; a match by outline alone tells of pose "
            "and place. SSI counts it as a shortcut.",
        ),
        SilhouetteRole.IDENTITY: RoleMeaning(
            "yes",
            "Yes, it is evidence",
            "Individuals are told by their outline, such as the edge of a fluke or a fin. SSI "
            "counts only the surroundings as a shortcut.",
        ),
        SilhouetteRole.AMBIGUOUS: RoleMeaning(
            "not decided",
            "Not decided",
            "Both readings are given; the headline is the stricter one, which counts the outline "
            "as a shortcut.",
        ),
    }
)
