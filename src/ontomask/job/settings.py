"""What a job file may say: every key with its type. What is not listed here is an error.

Only this module and `reading` know pydantic; they are imported when a job is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ontomask.masking.writing import Order
from ontomask.microdata.formulas import Formulas

__all__ = [
    "ColumnSettings",
    "ComparedMethod",
    "ComparisonSettings",
    "EvaluationSettings",
    "InputSettings",
    "MethodSettings",
    "OntologySettings",
    "OutputSettings",
    "PolicySettings",
    "RequireSettings",
    "Settings",
]

Role = Literal["quasi-identifier", "identifier", "confidential", "other", "undecided"]
Kind = Literal["nominal", "numeric", "ordinal"]
Scope = Literal["domain", "ontology"]


def _distance(value: object) -> str | dict[str, Any]:
    """A distance by name, or a table with its name and options."""
    if isinstance(value, str) or (isinstance(value, Mapping) and isinstance(value.get("name"), str)):
        return cast("str | dict[str, Any]", value)
    raise ValueError('must be a name such as "wu_palmer", or a table such as { name = "wu_palmer", root_depth = 0 }')


def _distances(value: object) -> str | dict[str, Any]:
    """A distance for all columns, or a table with one for each."""
    if isinstance(value, Mapping) and "name" not in value:
        return {name: _distance(one) for name, one in value.items()}
    return _distance(value)


def _mapping(value: object) -> str | dict[str, str]:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and all(isinstance(concept, str) for concept in value.values()):
        return dict(value)
    raise ValueError("must be the path of a file of values and concepts, or a table from values to concepts")


def _ontology(value: object) -> object:
    return {"path": value} if isinstance(value, str) else value


def _files(value: object) -> list[str]:
    files = [value] if isinstance(value, str) else value
    if isinstance(files, list) and all(isinstance(file, str) for file in files):
        return files
    raise ValueError("must be the name of a file, or a list of such")


def _seeds(value: object) -> int | list[int]:
    listed = value if isinstance(value, list) else [value]
    if listed and all(isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0 for seed in listed):
        return cast("int | list[int]", value)
    raise ValueError("must be the number of seeds, or a list of seeds: whole numbers ≥ 0")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class InputSettings(_Table):
    """Where the data are: `ontomask.read_table` reads them."""

    path: str
    delimiter: str | None = None
    encoding: str = "utf-8"
    decimal: Literal[".", ","] = "."
    sheet: str | None = None
    confirmed: bool = True


class OntologySettings(_Table):
    """An ontology in a file or folder; further keys are options of its reader."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    path: str
    format: str | None = None


class ColumnSettings(_Table):
    """A column: its role, and for those to be masked (or measured) what it holds."""

    role: Role
    kind: Kind | None = None
    person: bool | None = None
    taxonomy: str | None = None
    domain: str | None = None
    distance: Annotated[Any, BeforeValidator(_distance)] = None
    scope: Scope | None = None
    mapping: Annotated[Any, BeforeValidator(_mapping)] = None
    categories: list[str] | None = None
    centre: Literal["mean", "median"] | None = None
    weight: float | None = None
    confirmed: bool = True


class PolicySettings(_Table):
    """What happens to missing cells and to values without a concept."""

    missing: Literal["error", "keep", "drop"] = "error"
    missing_tokens: list[str] = Field(default_factory=list)
    unmapped: Literal["error", "keep", "drop", "root"] = "error"
    confirmed: bool = True


class MethodSettings(_Table):
    """A masking method by the name of its class; further keys are its parameters."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    name: str
    confirmed: bool = True

    @property
    def parameters(self) -> dict[str, Any]:
        """What goes to the method itself."""
        return dict(self.model_extra or {})


class ComparedMethod(_Table):
    """A method to be compared; ``vary`` lists values of some of its parameters, of which all combinations are run."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    name: str
    vary: dict[str, list[Any]] = Field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, Any]:
        """What goes to the method itself, besides what varies."""
        return dict(self.model_extra or {})


class EvaluationSettings(_Table):
    """How the result is measured: see `ontomask.evaluate`."""

    distance: Annotated[Any, BeforeValidator(_distances)] = None
    scope: Scope | None = None
    known: list[str] | None = None
    clusters: int | None = None
    target: str | None = None
    seed: int = Field(default=0, ge=0)
    attacks: bool = True
    mapping: dict[str, Annotated[Any, BeforeValidator(_mapping)]] = Field(default_factory=dict)
    hierarchies: dict[str, str] = Field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """What goes to `ontomask.evaluate` as it is: all but what says how to read another tool's table."""
        return self.model_dump(exclude_none=True, exclude={"mapping", "hierarchies"})


class RequireSettings(_Table):
    """What intruders may find at most in the whole row; where they find more, nothing is written."""

    k_all: int | None = Field(default=None, ge=2)
    linked_at_most: float | None = Field(default=None, ge=0, le=100)


class ComparisonSettings(_Table):
    """What ``ontomask compare`` compares."""

    methods: list[ComparedMethod] = Field(min_length=1)
    seeds: Annotated[Any, BeforeValidator(_seeds)] = 3


class OutputSettings(_Table):
    """Where results go: the masked table and reports may be shared, the private file and the plan may not."""

    masked: str
    report: Annotated[list[str], BeforeValidator(_files)] = Field(default_factory=list)
    private: str | None = None
    plan: str | None = None
    delimiter: str | None = None
    order: Order = "shuffled"
    formulas: Formulas = "escape"
    overwrite: bool = False


class Settings(_Table):
    """A whole job."""

    input: InputSettings
    columns: dict[str, ColumnSettings]
    method: MethodSettings
    output: OutputSettings
    ontologies: dict[str, Annotated[OntologySettings, BeforeValidator(_ontology)]] = Field(default_factory=dict)
    policies: PolicySettings = PolicySettings()
    evaluation: EvaluationSettings | None = None
    require: RequireSettings = RequireSettings()
    compare: ComparisonSettings | None = None
