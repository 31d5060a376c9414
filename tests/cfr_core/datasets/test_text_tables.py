import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfr_core.datasets.records import Severity
from cfr_core.datasets.text_tables import read_text_table
from cfr_core.errors import InputError

# Windows-1252 has no place for most of Unicode, and CSV none for NUL.
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


def written(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "metadata.csv"
    path.write_bytes(text.encode(encoding))
    return path


def rows_of(table):
    return [
        [None if cell is None else str(cell) for cell in row]
        for row in table.cells.astype(object).where(table.cells.notna(), None).to_numpy()
    ]


def problems(table):
    return [(f.severity, f.reason, f.source_row) for f in table.findings]


@settings(deadline=None)
@given(
    cells=st.lists(st.tuples(ANY_TEXT.filter(bool), ANY_TEXT, ANY_TEXT), min_size=1, max_size=6),
    delimiter=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_every_cell_comes_back_as_typed(tmp_path_factory, cells, delimiter, encoding, quoting):
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, quoting=quoting)
    writer.writerows([("path", "identity", "what"), *cells])
    path = written(tmp_path_factory.mktemp("csv"), stream.getvalue(), encoding)
    table = read_text_table(path)
    assert list(table.cells.columns) == ["path", "identity", "what"]
    assert rows_of(table) == [[cell or None for cell in row] for row in cells]
    assert all(f.severity is Severity.NOTE for f in table.findings)


def test_names_that_look_like_missing_values_or_numbers_stay_names(tmp_path):
    names = ["NA", "None", "nan", "null", "007", "07", "1e3", "1.0", "TRUE", " Max ", "-"]
    path = written(
        tmp_path,
        "path,identity\n" + "".join(f"{at}.jpg,{n}\n" for at, n in enumerate(names)) + "x.jpg,\n",
    )
    table = read_text_table(path)
    assert rows_of(table) == [*([f"{at}.jpg", n] for at, n in enumerate(names)), ["x.jpg", None]]
    assert table.findings == ()


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8-sig", "UTF-8 with a byte order mark"),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16-LE"),
        ("cp1252", "Windows-1252"),
    ],
)
def test_another_encoding_is_read_and_noted(tmp_path, encoding, said):
    path = written(tmp_path, "path,identity\na.jpg,Müller €\n", encoding)
    table = read_text_table(path)
    assert rows_of(table) == [["a.jpg", "Müller €"]]
    assert [f.message for f in table.findings] == [f"read as {said}; the plain form is UTF-8"]


@pytest.mark.parametrize(("delimiter", "word"), [(";", "semicolon"), ("\t", "tab"), ("|", "bar")])
def test_another_delimiter_is_read_and_noted(tmp_path, delimiter, word):
    text = "path,identity,note\na.jpg,Max,1\n".replace(",", delimiter)
    table = read_text_table(written(tmp_path, text.replace("1", "1,5, 2,5")))
    assert rows_of(table) == [["a.jpg", "Max", "1,5, 2,5"]]
    assert [f.message for f in table.findings] == [
        f"cells are separated by a {word}, not by a comma"
    ]


def test_a_delimiter_is_found_under_unusual_names(tmp_path):
    table = read_text_table(written(tmp_path, "Datei;Tier\na, b.jpg;Max\nc.jpg;Moritz\n"))
    assert rows_of(table) == [["a, b.jpg", "Max"], ["c.jpg", "Moritz"]]


def test_the_separator_line_of_spreadsheets_is_obeyed(tmp_path):
    table = read_text_table(written(tmp_path, "sep=;\r\npath;identity\r\na.jpg;Max\r\n"))
    assert rows_of(table) == [["a.jpg", "Max"]]


def test_a_space_after_every_separator_is_taken_off_and_noted(tmp_path):
    table = read_text_table(written(tmp_path, 'path, identity\na.jpg, "M, x"\nb.jpg, 007\n'))
    assert rows_of(table) == [["a.jpg", "M, x"], ["b.jpg", "007"]]
    assert [f.reason for f in table.findings] == ["delimiter"]


def test_rows_without_text_are_noted_and_do_not_shift_the_numbering(tmp_path):
    table = read_text_table(written(tmp_path, "path,identity\n\na.jpg,Max\n,\nb.jpg,Max\n\n"))
    assert table.source_rows.tolist() == [2, 4]
    assert [f.message for f in table.findings] == ["3 rows without any text were passed over"]


def test_rows_that_do_not_fit_the_header_are_kept_and_named(tmp_path):
    text = "path,identity,date\na.jpg,Max\nb.jpg,Max,Moritz,2019-07-14\nc.jpg,Max,2019-07-14,,\n"
    table = read_text_table(written(tmp_path, text))
    assert rows_of(table)[0] == ["a.jpg", "Max", None]
    assert rows_of(table)[2] == ["c.jpg", "Max", "2019-07-14"]
    assert problems(table) == [
        (Severity.NOTE, "too few cells", 1),
        (Severity.SET_ASIDE, "too many cells", 2),
    ]


@pytest.mark.parametrize(
    "broken",
    [
        'b.jpg,"Max,1\n',  # never closed: would swallow the rest of the file
        'b.jpg,"Max,1\nx.jpg,"Moritz",2\n',  # closed by a later row's quote
        'b.jpg,"Max,1\nx.jpg",Moritz,2\n',  # the same, and all quotes in their places
    ],
)
def test_a_stray_quote_costs_its_own_row_only(tmp_path, broken):
    text = f"path,identity,n\na.jpg,Max,0\n{broken}c.jpg,Max,3\nd.jpg,Max,4\n"
    table = read_text_table(written(tmp_path, text))
    names = table.cells["path"].tolist()
    assert names == [
        "a.jpg",
        *(line.split(",")[0] for line in broken.splitlines()),
        "c.jpg",
        "d.jpg",
    ]
    assert problems(table) == [(Severity.SET_ASIDE, "broken quotes", 2)]


def test_a_quoted_cell_over_several_lines_is_one_cell(tmp_path):
    table = read_text_table(written(tmp_path, 'path,what\na.jpg,"two\nlines"\nb.jpg,one\n'))
    assert rows_of(table) == [["a.jpg", "two\nlines"], ["b.jpg", "one"]]
    assert table.findings == ()


def test_a_line_in_another_encoding_does_not_garble_the_others(tmp_path):
    path = tmp_path / "metadata.csv"
    path.write_bytes(
        "path,identity\na.jpg,Zoë\n".encode() + "b.jpg,Zoë\n".encode("cp1252") + b"c.jpg,Zo\x81\n"
    )
    table = read_text_table(path)
    assert table.cells["identity"].tolist()[:2] == ["Zoë", "Zoë"]
    assert problems(table)[1:] == [
        (Severity.NOTE, "encoding", 2),
        (Severity.SET_ASIDE, "unreadable text", 3),
    ]


def test_row_names_without_a_header_get_a_column_of_their_own(tmp_path):
    table = read_text_table(written(tmp_path, "path,identity\n1,a.jpg,Max\n2,b.jpg,Max\n"))
    assert list(table.cells.columns) == ["column 1", "path", "identity"]
    assert rows_of(table)[0] == ["1", "a.jpg", "Max"]


def test_repeated_and_missing_column_names_are_made_unique_and_noted(tmp_path):
    table = read_text_table(written(tmp_path, "path,identity,Identity,\na.jpg,1,2,3\n"))
    assert list(table.cells.columns) == ["path", "identity", "Identity_2", "column 4"]
    assert [f.reason for f in table.findings] == ["column renamed"]


def test_a_mask_longer_than_the_usual_limit_of_a_cell_is_read(tmp_path):
    counts = "0" * 300_000
    table = read_text_table(written(tmp_path, f"path,rle\na.jpg,{counts}\n"))
    assert table.cells["rle"][0] == counts


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "has a header but no rows|is empty"),
        (b" \r\n", "is empty"),
        (b"path,identity\n", "has a header but no rows: path, identity"),
        (b"path,identity\n\n,\n", "has a header but no rows"),
        (b"PK\x03\x04rest", "is a spreadsheet or archive"),
        (b"\xff\xfeA", "breaks off or is binary"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_a_reason(tmp_path, data, message):
    path = tmp_path / "metadata.csv"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message):
        read_text_table(path)
