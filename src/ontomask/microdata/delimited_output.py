"""Write tables as delimited text, in any encoding that has all their characters."""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Callable, Collection
from pathlib import Path
from typing import IO, Any, cast

from ontomask.errors import Setting, TableError
from ontomask.microdata import frames
from ontomask.microdata.backends import polars_column
from ontomask.microdata.decimals import with_commas
from ontomask.microdata.delimited import codec_of
from ontomask.microdata.formulas import Formulas, escape_formulas

__all__ = ["delimited_writer"]


def delimited_writer(
    frame: Any,
    path: Path,
    suffix: str,
    delimiter: str,
    encoding: str,
    decimal: str,
    numbers: Collection[str],
    formulas: Formulas,
) -> tuple[Callable[[IO[bytes]], None], int]:
    """A function that writes a table as delimited text, and the number of cells that it escapes."""
    comma = decimal == ","
    codec = codec_of(path, encoding)
    table = frames.convert(frame, "polars")
    table = with_commas(table, numbers) if comma else table
    table, escaped = escape_formulas(table) if formulas == "escape" else (table, 0)
    _check_encodable(table, path, codec)

    def write(file: IO[bytes]) -> None:
        if codec in ("utf-8", "utf-8-sig"):
            file.write(codecs.BOM_UTF8 if codec == "utf-8-sig" else b"")
            table.write_csv(file, separator=delimiter, decimal_comma=comma)
        else:
            file.write(table.write_csv(separator=delimiter, decimal_comma=comma).encode(codec))

    def write_packed(file: IO[bytes]) -> None:
        # Without a name and a time, equal tables give equal files.
        with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
            write(cast("IO[bytes]", packed))

    return (write_packed if suffix.endswith(".gz") else write), escaped


def _check_encodable(table: Any, path: Path, codec: str) -> None:
    """Refuse a table with characters that an encoding does not have. The message names no cell."""
    import polars as pl

    if codec.startswith("utf"):
        return
    for name, dtype in table.schema.items():
        texts = [name]
        if dtype in (pl.String, pl.Categorical, pl.Enum):
            texts += polars_column(table, name).cast(pl.String).unique().drop_nulls().to_list()
        wrong = [text for text in texts if not _is_encodable(text, codec)]
        if wrong:
            raise TableError(
                f"The column {name!r} has {len(wrong):,} distinct texts with characters that {codec} does not have. "
                f"Use an encoding that has all characters: ",
                Setting("output", "encoding", values=["utf-8", "utf-8-sig"]),
                ".",
                path=path,
                column=name,
                values=wrong,
                parameter="encoding",
            )


def _is_encodable(text: str, codec: str) -> bool:
    try:
        text.encode(codec)
    except UnicodeEncodeError:
        return False
    return True
