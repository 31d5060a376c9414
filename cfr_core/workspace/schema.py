"""Tables of the workspace database and the steps that bring an older one up to date."""

import duckdb

from cfr_core.errors import WorkspaceError

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE datasets (
        name VARCHAR PRIMARY KEY,
        card JSON NOT NULL,
        report JSON NOT NULL,
        imported_at VARCHAR NOT NULL
    );
    CREATE TABLE rows (
        row_id BIGINT PRIMARY KEY,
        dataset VARCHAR NOT NULL,
        source_row BIGINT NOT NULL,
        path VARCHAR NOT NULL,
        identity VARCHAR,
        is_known BOOLEAN NOT NULL,
        bbox_x BIGINT, bbox_y BIGINT, bbox_w BIGINT, bbox_h BIGINT,
        width BIGINT NOT NULL,
        height BIGINT NOT NULL,
        captured_at TIMESTAMP_S,
        encounter VARCHAR, camera VARCHAR, orientation VARCHAR, split VARCHAR, species VARCHAR,
        file_sha256 VARCHAR NOT NULL,
        file_bytes BIGINT NOT NULL,
        exif_orientation BIGINT NOT NULL,
        extras JSON NOT NULL
    );
    CREATE TABLE masks (
        row_id BIGINT NOT NULL,
        version BIGINT NOT NULL,
        height BIGINT NOT NULL,
        width BIGINT NOT NULL,
        counts VARCHAR NOT NULL,
        source VARCHAR NOT NULL,
        status VARCHAR NOT NULL,
        score DOUBLE,
        prompts VARCHAR NOT NULL,
        author VARCHAR NOT NULL,
        created_at VARCHAR NOT NULL,
        PRIMARY KEY (row_id, version)
    );
    CREATE TABLE runs (
        run_id VARCHAR PRIMARY KEY,
        dataset VARCHAR NOT NULL,
        encoder VARCHAR NOT NULL,
        finished_at VARCHAR NOT NULL
    );
    """,
    # by_person: a person drew, reviewed or restored this version.
    """
    ALTER TABLE masks ADD COLUMN reason VARCHAR DEFAULT '';
    ALTER TABLE masks ADD COLUMN by_person BOOLEAN DEFAULT false;
    UPDATE masks SET by_person = true WHERE source = 'human';
    CREATE TABLE mask_candidates (
        job VARCHAR NOT NULL,
        row_id BIGINT NOT NULL,
        number BIGINT NOT NULL,
        engine VARCHAR NOT NULL,
        prompt VARCHAR NOT NULL,
        height BIGINT NOT NULL,
        width BIGINT NOT NULL,
        counts VARCHAR NOT NULL,
        score DOUBLE,
        box_iou DOUBLE,
        outcome VARCHAR NOT NULL,
        PRIMARY KEY (job, row_id, number)
    );
    """,
    # pixels: `Mask.fingerprint`, its canonical JSON written out.
    """
    ALTER TABLE masks ADD COLUMN pixels VARCHAR;
    UPDATE masks SET pixels = sha256(
        '{"counts":"' || replace(counts, '\\', '\\\\')
        || '","size_hw":[' || height || ',' || width || ']}'
    );
    CREATE TABLE mask_measures (
        pixels VARCHAR NOT NULL,
        method BIGINT NOT NULL,
        area_share DOUBLE NOT NULL,
        n_islands BIGINT NOT NULL,
        island_share DOUBLE,
        n_holes BIGINT NOT NULL,
        hole_share DOUBLE,
        left_share DOUBLE, top_share DOUBLE, right_share DOUBLE, bottom_share DOUBLE,
        box_x DOUBLE, box_y DOUBLE, box_w DOUBLE, box_h DOUBLE,
        roughness DOUBLE,
        frame_share DOUBLE,
        centre_share DOUBLE,
        PRIMARY KEY (pixels, method)
    );
    CREATE TABLE mask_scenes (
        row_id BIGINT PRIMARY KEY,
        scene VARCHAR NOT NULL,
        other_share DOUBLE
    );
    """,
    """
    CREATE TABLE blind_audits (
        audit_id VARCHAR PRIMARY KEY,
        dataset VARCHAR NOT NULL,
        seed BIGINT NOT NULL,
        source VARCHAR NOT NULL,
        n_eligible BIGINT NOT NULL,
        author VARCHAR NOT NULL,
        created_at VARCHAR NOT NULL
    );
    CREATE TABLE blind_rows (
        audit_id VARCHAR NOT NULL,
        place BIGINT NOT NULL,
        row_id BIGINT NOT NULL,
        version BIGINT NOT NULL,
        PRIMARY KEY (audit_id, row_id)
    );
    CREATE TABLE blind_masks (
        audit_id VARCHAR NOT NULL,
        row_id BIGINT NOT NULL,
        version BIGINT NOT NULL,
        height BIGINT NOT NULL,
        width BIGINT NOT NULL,
        counts VARCHAR NOT NULL,
        source VARCHAR NOT NULL,
        status VARCHAR NOT NULL,
        score DOUBLE,
        prompts VARCHAR NOT NULL,
        author VARCHAR NOT NULL,
        created_at VARCHAR NOT NULL,
        reason VARCHAR NOT NULL,
        pixels VARCHAR NOT NULL,
        PRIMARY KEY (audit_id, row_id, version)
    );
    """,
)
"""Step i brings a database of version i to version i + 1; steps are never changed, only added."""


def migrate(connection: duckdb.DuckDBPyConnection) -> None:
    """Apply the steps that are missing, each in one transaction with its record.

    Raises:
        WorkspaceError: if the database was written by a newer version of the product.
    """
    connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT)")
    (version,) = connection.execute(
        "SELECT coalesce(max(version), 0) FROM schema_version"
    ).fetchall()[0]
    if version > len(MIGRATIONS):
        raise WorkspaceError(
            f"the workspace has version {version}, this program knows up to {len(MIGRATIONS)}: "
            "update the program"
        )
    for step, statements in enumerate(MIGRATIONS[version:], start=version + 1):
        connection.execute("BEGIN")
        connection.execute(statements)
        connection.execute("INSERT INTO schema_version VALUES (?)", [step])
        connection.execute("COMMIT")
