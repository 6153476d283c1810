"""Exports pages as Parquet, for pandas, DuckDB, Spark and the like. It needs pyarrow."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from focused.collection.joined import FLAGS, RECORD_FIELDS

if TYPE_CHECKING:
    from pathlib import Path

    from focused.collection.joined import JoinedRuns

_ROWS_AT_A_TIME = 1_000
_NUMBERS = ("relevance", "link_score")
_WHOLE = ("model_version", "depth")


def write_parquet(runs: JoinedRuns, path: Path) -> list[str]:
    """Write a table of the fields, compressed; headings are a list of level and text."""
    try:
        import pyarrow as pa  # an extra of the package: only who wants Parquet needs it
        from pyarrow import parquet
    except ImportError:
        raise ValueError(
            "--format parquet needs pyarrow. Install it: pip install pyarrow (or focused[parquet]). Or choose another: "
            "--format jsonl"
        ) from None
    kinds = dict.fromkeys(RECORD_FIELDS, pa.string())
    kinds |= (
        dict.fromkeys(_NUMBERS, pa.float64()) | dict.fromkeys(_WHOLE, pa.int32()) | dict.fromkeys(FLAGS, pa.bool_())
    )
    kinds["headings"] = pa.list_(pa.struct([("level", pa.int8()), ("text", pa.string())]))
    schema, records = pa.schema(list(kinds.items())), runs.records()
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while some := list(islice(records, _ROWS_AT_A_TIME)):
            writer.write_table(pa.Table.from_pylist(some, schema))
    return []
