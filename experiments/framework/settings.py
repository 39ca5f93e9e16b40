"""The data and the size of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# The names of the files, ours first, then as UCI and MONDO publish them.
DIABETES130 = ("diabetes130.csv.gz", "diabetic_data.csv")
MONDO = ("mondo.obo.gz", "mondo.obo")
# The folder of Debian's package wordnet-base.
DEBIAN = Path("/usr/share/wordnet")


@dataclass(frozen=True)
class Setting:
    """The data and the size of a run.

    Attributes
    ----------
    data
        The file of diabetes130, or a folder with diabetes130 and perhaps MONDO. `DIABETES130` and `MONDO` list the file
        names. With ``None``, only Adult is used, which comes with the package.
    quick
        Few records, levels and seeds: to test that everything runs, not to measure.
    """

    data: Path | None = None
    quick: bool = False

    def __post_init__(self) -> None:
        known = (self.diabetes130, self.mondo, self.arx_adult, self.find("wordnet"))
        if self.data is not None and not any(known):
            raise SystemExit(
                f"{self.data} has none of the data: {', '.join((*DIABETES130, *MONDO, 'arx_adult/', 'wordnet/'))}. "
                "Give their folder."
            )

    @property
    def diabetes130(self) -> Path | None:
        """The file of diabetes130, if given."""
        return self.data if self.data and self.data.is_file() else self.find(*DIABETES130)

    @property
    def mondo(self) -> Path | None:
        """The file of MONDO in the same folder, if there is one."""
        return self.find(*MONDO)

    @property
    def arx_adult(self) -> Path | None:
        """The folder with ARX's hierarchies of Adult beside the data, if there is one."""
        return self.find("arx_adult")

    @property
    def wordnet(self) -> Path | None:
        """A folder with the full WordNet, beside the data or from Debian. The embedded WordNet has fewer features."""
        found = [folder for folder in (self.find("wordnet"), DEBIAN) if folder and (folder / "data.noun").is_file()]
        return found[0] if found else None

    def find(self, *names: str) -> Path | None:
        """The first of the names that exists in the data folder."""
        if self.data is None:
            return None
        folder = self.data.parent if self.data.is_file() else self.data
        return next((folder / name for name in names if (folder / name).exists()), None)

    def seeds(self, number: int = 10) -> range:
        """The seeds to use."""
        return range(2 if self.quick else number)

    def size(self, records: int) -> int:
        """The number of records to use."""
        return min(records, 150) if self.quick else records

    def levels(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """The levels to try; in a quick run the first and the last."""
        return tuple(dict.fromkeys((values[0], values[-1]))) if self.quick else tuple(values)
