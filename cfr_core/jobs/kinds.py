"""All kinds of jobs, by name."""

from collections.abc import Mapping
from types import MappingProxyType

from cfr_core.jobs import audits, demos, imports, masks
from cfr_core.jobs.kind import Kind

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        audits.KIND: audits.AUDIT,
        imports.KIND: imports.IMPORT,
        demos.KIND: demos.DEMO,
        masks.KIND: masks.MASKS,
    }
)
