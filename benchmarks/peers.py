"""Truthful tables of other Python packages and of ontomask, at k = 5, on the same table and hierarchies.

The table is Adult with eight quasi-identifiers and ARX's hierarchies. The packages run in an environment of their own
(`python_peers.py`). Their tables are read and measured by `ontomask.evaluate`, as ours are. Figures of ARX, µ-ANT and
sdcMicro are in the other tables: they are no Python packages, and are not run here.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
import venv
from pathlib import Path

from timing import Report, duration

HERE = Path(__file__).resolve().parent
PEERS = HERE.parent / ".venv-peers"
PYTHON = PEERS / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
REQUIREMENTS = ("anjana>=1.2,<2", "anonypy>=0.2,<1", "crowds==0.0.1", "pandas<3")
NAMES = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
K = 5
# A package that needs more seconds is stopped.
PATIENCE = 180


def main() -> None:
    """Measure and print."""
    import polars as pl

    import ontomask as om
    from ontomask.hierarchy import with_true_ranges

    report = Report("peers", "Other Python packages at equal k")
    folder = Path(os.environ.get("ONTOMASK_DATA", "no such folder")) / "arx_adult"
    if not folder.is_dir() or not install():
        report.text("Nothing was measured: set ONTOMASK_DATA to the folder with arx_adult, and allow pip to install.")
        report.close()
        return
    report.text(
        f"Adult, 30,162 records, 8 quasi-identifiers, ARX's hierarchies, k = {K}. Full-domain methods may leave out 5 "
        "% of the records. LM is the mean over cells of (values that it stands for − 1) / (values of the column − 1). "
        "anonypy releases lists of values instead of nodes of a hierarchy, so its cells stand for fewer values; in L, "
        "a list counts as its least common subsumer. Processor time, kernels loaded."
    )
    frame = pl.read_csv(folder / "adult.csv", separator=";", infer_schema=False).select(NAMES).with_row_index("id")
    hierarchies = {name: om.read_hierarchy(folder / f"adult_hierarchy_{name}.csv") for name in NAMES}
    data = om.Microdata(frame, {n: om.Nominal(h.to_taxonomy()) for n, h in hierarchies.items()}, identifiers=["id"])
    # Some of ARX's ages are in ranges that exclude them. Our generalisation refuses that, so it gets other labels.
    kinds = {name: om.Nominal(with_true_ranges(h).to_taxonomy()) for name, h in hierarchies.items()}
    true = om.Microdata(frame, kinds, identifiers=["id"])
    rows = []
    with tempfile.TemporaryDirectory() as place:
        table = Path(place) / "table.csv"
        frame.write_csv(table)
        for package, title in (("anjana", "full domain"), ("crowds", "full domain, OLA"), ("anonypy", "Mondrian")):
            released, found = run_peer(package, table, folder)
            if released is None:
                rows.append([f"{package}, {title}", *[""] * 5, f"more than {PATIENCE} s"])
            else:
                row = measures(om.evaluate(data, released.drop("id"), rows=released["id"].to_list(), attacks=False))
                rows.append([f"{package} {found['version']}, {title}", *row, duration(found["seconds"])])
    for title, method in (
        ("full domain", om.Generalisation(k=K, mode="full_domain", suppression=0.05)),
        ("full domain, NCP", om.Generalisation(k=K, mode="full_domain", suppression=0.05, objective="ncp")),
        ("local", om.Generalisation(k=K)),
        ("suppression of cells", om.Suppression(k=K, mode="cells")),
        ("microaggregation, not truthful", om.Microaggregation(k=K)),
    ):
        method.mask(true, seed=0)
        begun = time.process_time()
        result = method.mask(true, seed=0)
        seconds = time.process_time() - begun
        rows.append([f"ontomask, {title}", *measures(om.evaluate(true, result, attacks=False)), duration(seconds)])
    report.table(["method", "LM", "L", "SRL", "k", "left out", "processor time"], rows)
    report.close()


def measures(score) -> list[str]:
    """LM, L, SRL, k, and records left out."""
    lm = [found.lm or 0.0 for found in score.utility.attributes.values()]
    shares = [f"{share:.1f} %" for share in (100 * sum(lm) / len(lm), score.loss_percent, score.srl)]
    return [*shares, str(score.k), f"{score.utility.suppressed:,}"]


def run_peer(package: str, table: Path, folder: Path):
    """The released table in the columns of ours, and seconds and version; ``None`` if it takes too long."""
    import polars as pl

    out = table.with_name(f"{package}.csv")
    command = [PYTHON, HERE / "python_peers.py", package, table, folder, out, str(K)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return None, {}
    frame = pl.read_csv(out, infer_schema=False).select("id", *NAMES).with_columns(pl.col("id").cast(pl.Int64))
    if package == "anonypy":
        # Its cells are lists with one text. An interval of ages is the list of its ages.
        frame = frame.with_columns(pl.col(NAMES).str.strip_chars("[]'"))
        ages = [range(int(text.split("-")[0]), int(text.split("-")[-1]) + 1) for text in frame["age"]]
        frame = frame.with_columns(pl.Series("age", [",".join(map(str, part)) for part in ages]))
    return frame, json.loads(done.stdout.splitlines()[-1])


def install() -> bool:
    """Make the environment of the packages, unless it is there."""
    stamp = PEERS / ".installed"
    if not stamp.exists():
        venv.create(PEERS, with_pip=True)
        command = [PYTHON, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", *REQUIREMENTS]
        if subprocess.run(command, check=False).returncode:
            return False
        stamp.touch()
    return True


if __name__ == "__main__":
    main()
