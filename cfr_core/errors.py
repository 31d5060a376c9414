"""Named errors of the audit; each message says what was expected, what came and what to do."""


class CfrError(Exception):
    """Anything the product can explain. Front ends show the message as it is."""


class InputError(CfrError):
    """What the user gave cannot be used: a file, a table, a name, an option."""


class UnknownRowError(InputError):
    """A row id that the workspace does not hold."""


class ImageError(InputError):
    """An image file cannot be decoded completely.

    Attributes:
        reason: Short key to count by, such as "damaged image".
    """

    def __init__(self, message: str, reason: str = "unusable image") -> None:
        super().__init__(message)
        self.reason = reason


class MaskError(InputError):
    """A mask is malformed, empty where it must not be, or of another size than its crop."""


class MaskConflictError(MaskError):
    """Somebody has saved a newer version of the mask that an edit started from.

    Attributes:
        version: The newer version, which stays the current one.
        author: Who made it; empty if not said.
        created_at: When, as ISO 8601 time with zone; empty if not said.
    """

    def __init__(self, message: str, *, version: int, author: str, created_at: str) -> None:
        super().__init__(message)
        self.version = version
        self.author = author
        self.created_at = created_at


class MissingMaskError(CfrError):
    """A masked view was asked of a row without an accepted mask. It never falls back."""


class WeightsError(InputError):
    """Model weights are absent, damaged, or belong to another architecture."""


class DeviceError(InputError):
    """The device asked for cannot be used. There is no silent change to the CPU."""


class UndefinedAuditError(InputError):
    """No query can be asked of the rows that are left, so no rate exists."""


class WorkspaceError(CfrError):
    """The workspace is locked by another process, damaged, or of another version."""
