"""Text files of unknown encoding: UTF-8, UTF-16 and UTF-32, or Windows-1252."""

import codecs
from dataclasses import dataclass
from pathlib import Path

from cfr_core.errors import InputError

# UTF-32 comes first: its little-endian mark starts with that of UTF-16.
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SPREADSHEET_STARTS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_PROBE_BYTES = 4096
_LEGACY = "cp1252"


@dataclass(frozen=True)
class DecodedText:
    """A text file.

    Attributes:
        text: Its text without a byte order mark.
        encoding: What it was read as, in words.
        legacy_lines: 1-based lines read as Windows-1252 in a file that is UTF-8 elsewhere.
        damaged_lines: 1-based lines with bytes that have no meaning in either.
    """

    text: str
    encoding: str
    legacy_lines: tuple[int, ...] = ()
    damaged_lines: tuple[int, ...] = ()


def read_text(path: Path) -> DecodedText:
    """Read a text file in whatever usual encoding it has.

    Raises:
        InputError: if it cannot be opened, is empty, or is a spreadsheet under another name.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    if data.startswith(_SPREADSHEET_STARTS):
        raise InputError(f"{path} is a spreadsheet or archive, not text: save it as CSV (UTF-8)")
    encoding = _declared_encoding(data)
    decoded = _declared(data, encoding, path) if encoding else _utf8_or_legacy(data)
    if not decoded.text.strip("\0 \t\r\n"):
        raise InputError(f"{path} is empty: give a file with a header line and data")
    return decoded


def _declared(data: bytes, encoding: str, path: Path) -> DecodedText:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} looks like {encoding.upper()} but breaks off or is binary at byte "
            f"{error.start}: save it again as CSV (UTF-8)"
        ) from error
    return DecodedText(text, encoding.upper().replace("-SIG", " with a byte order mark"))


def _declared_encoding(data: bytes) -> str | None:
    """Encoding by its byte order mark, or UTF-16 by where its zero bytes stand."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return encoding
    probe = data[:_PROBE_BYTES]
    if b"\0" not in probe:
        return None
    return "utf-16-be" if probe[::2].count(0) > probe[1::2].count(0) else "utf-16-le"


def _utf8_or_legacy(data: bytes) -> DecodedText:
    try:
        return DecodedText(data.decode("utf-8"), "UTF-8")
    except UnicodeDecodeError:
        return _line_by_line(data)


def _line_by_line(data: bytes) -> DecodedText:
    """Decode each line as UTF-8 if it is that, else as Windows-1252.

    One bad line must not garble the names in all the others.
    """
    texts: list[str] = []
    legacy: list[int] = []
    damaged: list[int] = []
    n_utf8 = 0
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        try:
            texts.append(line.decode("utf-8"))
            n_utf8 += not line.isascii()
        except UnicodeDecodeError:
            texts.append(line.decode(_LEGACY, errors="replace"))
            legacy.append(number)
            if "\ufffd" in texts[-1]:
                damaged.append(number)
    text = "".join(texts)
    if not n_utf8:
        return DecodedText(text, "Windows-1252", damaged_lines=tuple(damaged))
    return DecodedText(text, "UTF-8 and Windows-1252", tuple(legacy), tuple(damaged))
