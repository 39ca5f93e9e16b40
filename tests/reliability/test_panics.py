"""A panic of a Rust library is not an `Exception`. It becomes an error of this package, without its message."""

from __future__ import annotations

import fastobo
import polars as pl
import pytest

import ontomask as om
from ontomask.cli import commands
from ontomask.cli.console import FAULT
from ontomask.microdata import files

from support.errors import raises

CELL = "a cell of somebody"


class PanicException(BaseException):
    """Like the exceptions of polars, fastexcel and fastobo, each with its own type."""


def panic(*_, **__):
    raise PanicException(CELL)


def test_a_panic_while_reading_a_table(tmp_path, monkeypatch):
    om.write_table(pl.DataFrame({"a": [1]}), tmp_path / "t.parquet")
    monkeypatch.setattr(pl, "read_parquet", panic)
    with raises(om.TableError, code="damaged") as caught:
        om.read_table(tmp_path / "t.parquet")
    assert CELL not in str(caught.value)


def test_a_panic_while_writing_a_table(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "delimited_writer", lambda *_: (panic, 0))
    with raises(om.TableError, code="not-written") as caught:
        om.write_table(pl.DataFrame({"a": [1]}), tmp_path / "t.csv")
    assert CELL not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_panic_while_reading_an_ontology(tmp_path, monkeypatch):
    (tmp_path / "o.obo").write_text("format-version: 1.2\n")
    monkeypatch.setattr(fastobo, "iter", panic)
    with raises(om.ReadError, code="crashed"):
        om.read_taxonomy(tmp_path / "o.obo")


def test_a_panic_elsewhere_is_a_fault_of_the_program(monkeypatch, capsys):
    monkeypatch.setattr(commands, "app", panic)
    monkeypatch.setattr(commands.signal, "signal", lambda *_: None)
    with pytest.raises(SystemExit) as caught:
        commands.run()
    assert caught.value.code == FAULT
    assert CELL not in capsys.readouterr().err


def test_an_interruption_is_no_panic(tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    om.write_table(pl.DataFrame({"a": [1]}), tmp_path / "t.parquet")
    monkeypatch.setattr(pl, "read_parquet", interrupt)
    with pytest.raises(KeyboardInterrupt):
        om.read_table(tmp_path / "t.parquet")
