"""Ctrl-C and kill while a Spark server, which is another process, writes the masked table."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

pytest.importorskip("pysail")

CLIENT = """
import sys
import ontomask as om
folder, port = sys.argv[1:]
source = om.scan(folder + "/in.parquet", engine="spark", key="record", remote=f"sc://localhost:{port}")
kinds = {"a": om.Category(), "b": om.Category()}
data = om.Microdata(source, kinds, other=["n", "m"], identifiers=["record"])
result = om.PRAM(stay=0.5).mask(data, seed=2**64)
print("writing", flush=True)
try:
    result.write(folder + "/masked", seed=2**64)
    print("written", flush=True)
except KeyboardInterrupt:
    print("stopped", flush=True)
    raise
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_stops_soon_and_leaves_nothing_that_looks_finished(tmp_path_factory, server, how):
    tmp_path = tmp_path_factory.mktemp("table")
    # Spark needs a main module with a file.
    script = tmp_path_factory.mktemp("script") / "client.py"
    script.write_text(CLIENT)
    records, rng = 600_000, np.random.default_rng(0)
    columns = {name: rng.integers(0, 30, records).astype(str) for name in "ab"}
    columns |= {name: rng.random(records) for name in "nm"}
    pl.DataFrame({"record": np.arange(records), **columns}).write_parquet(tmp_path / "in.parquet")
    command = [sys.executable, str(script), str(tmp_path), server]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"writing\n"
        time.sleep(0.3)
        process.send_signal(how)
        start = time.monotonic()
        rest = process.stdout.readline()
        # The client's own threads take a moment to end after that.
        assert time.monotonic() - start < 2
        assert rest == (b"stopped\n" if how is signal.SIGINT else b"")
        process.communicate(timeout=60)
        assert process.returncode != 0
    # The server would have written its files by then.
    time.sleep(5)
    shown = [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")]
    assert shown == ["in.parquet"]
    if how is signal.SIGINT:
        assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]
