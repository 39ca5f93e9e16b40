"""The keys of a job file and their types. Unknown keys are errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ontomask.kinds.calendar import Precision
from ontomask.masking.writing import Order
from ontomask.microdata.decimals import Thousands
from ontomask.microdata.formulas import Formulas

__all__ = [
    "COLUMN_POLICIES",
    "OPTION_OF_FILE",
    "ColumnSettings",
    "ComparedMethod",
    "EvaluationSettings",
    "InputSettings",
    "Settings",
]

COLUMN_POLICIES = ("missing", "missing_tokens", "unmapped")
"""The policies that a column can have of its own."""

OPTION_OF_FILE = {"mapping_file": "mapping", "value_set": "domain"}
"""Keys of a column that name a file, and the option of its kind that is read from it."""

Role = Literal["quasi-identifier", "identifier", "confidential", "other", "drop", "weight", "linked", "undecided"]
Kind = Literal["nominal", "concept_set", "category", "prefix", "numeric", "ordinal", "date"]
Scope = Literal["domain", "ontology"]
Policy = Literal["error", "keep", "drop", "root", "category"]


def _distance(value: object) -> str | dict[str, Any]:
    """A distance by name, or a table with its name and options."""
    if isinstance(value, str) or (isinstance(value, Mapping) and isinstance(value.get("name"), str)):
        return cast("str | dict[str, Any]", value)
    raise ValueError('Must be a name such as "wu_palmer", or a table such as { name = "wu_palmer", root_depth = 0 }')


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
    raise ValueError("Must be the path of a file of values and concepts, or a table from values to concepts")


def _named_file(value: object) -> object:
    return {"path": value} if isinstance(value, str) else value


def _groups(value: object) -> str | dict[str, list[Any]]:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and all(isinstance(members, list) for members in value.values()):
        return dict(value)
    raise ValueError("Must be the path of a file of values and groups, or a table from groups to lists of values")


def _intervals(value: object) -> object:
    """Edges of intervals, or several lists of them. `Numeric` checks that they fit together."""
    listed = value if isinstance(value, list) and value and all(isinstance(one, list) for one in value) else [value]
    for edges in listed:
        if not isinstance(edges, list) or not all(type(edge) in (int, float) for edge in edges):
            raise ValueError("Must be a list of numbers, or a list of such lists from narrow to wide")
    return value


def _taxonomies(value: object) -> str | list[str]:
    """The name or path of an ontology, or of several."""
    listed = value if isinstance(value, list) and len(value) > 1 else [value]
    if all(isinstance(name, str) for name in listed):
        return cast("str | list[str]", value)
    raise ValueError("Must be the name or the path of an ontology, or a list of two or more")


def _links(value: object) -> object:
    """A file of links, the word ``xrefs``, or a list of links."""
    listed = value if isinstance(value, list) else []
    pairs = all(isinstance(link, list) and all(isinstance(text, str) for text in link) for link in listed)
    if isinstance(value, str) or (listed and pairs):
        return value
    raise ValueError("Must be 'xrefs', the path of a file of links, or a list of pairs of ids")


def _files(value: object) -> list[str]:
    files = [value] if isinstance(value, str) else value
    if isinstance(files, list) and all(isinstance(file, str) for file in files):
        return files
    raise ValueError("Must be the name of a file, or a list of names")


def _seeds(value: object) -> int | list[int]:
    listed = value if isinstance(value, list) else [value]
    if listed and all(isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0 for seed in listed):
        return cast("int | list[int]", value)
    raise ValueError("Must be the number of seeds, or a list of seeds: integers ≥ 0")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class InputSettings(_Table):
    """The input file and the options of `ontomask.read_table`."""

    path: str
    delimiter: str | None = None
    encoding: str = "utf-8"
    header: bool = True
    decimal: Literal[".", ","] = "."
    thousands: Thousands | None = None
    sheet: str | None = None
    engine: Literal["memory", "duckdb", "spark", "auto"] = "memory"
    key: str | None = None
    table: str | None = None
    remote: str | None = None
    confirmed: bool = True


class OntologySettings(_Table):
    """An ontology in a file or folder. Further keys are options of its reader."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    path: str
    format: str | None = None


class MappingFile(_Table):
    """A file of values and concepts, and the options of `ontomask.read_mapping` for a ConceptMap."""

    path: str
    source: str | None = None
    target: str | None = None


class ValueSetFile(_Table):
    """A ValueSet, and the options of `ontomask.read_value_set`."""

    path: str
    url: str | None = None
    system: str | None = None


class ColumnSettings(_Table):
    """A column: its role and, if it is masked or measured, its kind."""

    role: Role
    kind: Kind | None = None
    person: bool | None = None
    pseudonyms: bool | None = None
    average_weights: bool | None = None
    to: str | None = None
    taxonomy: Annotated[Any, BeforeValidator(_taxonomies)] = None
    links: Annotated[Any, BeforeValidator(_links)] = None
    combine: Literal["integrated", "in_order"] | None = None
    domain: str | None = None
    value_set: Annotated[ValueSetFile | None, BeforeValidator(_named_file)] = None
    distance: Annotated[Any, BeforeValidator(_distance)] = None
    scope: Scope | None = None
    mapping: Annotated[Any, BeforeValidator(_mapping)] = None
    mapping_file: Annotated[MappingFile | None, BeforeValidator(_named_file)] = None
    separator: str | None = None
    measure: str | None = None
    release: Literal["source", "label", "id"] | None = None
    groups: Annotated[Any, BeforeValidator(_groups)] = None
    under: str | None = None
    lengths: list[int] | None = None
    top: str | None = None
    categories: list[str] | None = None
    values: list[Any] | None = None
    grid: list[Any] | None = None
    centre: Literal["mean", "median"] | None = None
    scale: Literal["sd", "iqr", "range"] | None = None
    intervals: Annotated[Any, BeforeValidator(_intervals)] = None
    precision: Precision | None = None
    formats: list[str] | None = None
    weight: float | None = None
    missing: Policy | None = None
    missing_tokens: list[str] | None = None
    unmapped: Policy | None = None
    confirmed: bool = True


class PolicySettings(_Table):
    """Policies for missing cells and for values that a column cannot hold. A column can have its own."""

    missing: Policy = "error"
    missing_tokens: list[str] = Field(default_factory=list)
    unmapped: Policy = "error"
    rare_kept: Literal["error", "drop", "root"] = "error"
    confirmed: bool = True


class _NamedMethod(_Table):
    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    name: str

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the method, without those that vary."""
        return dict(self.model_extra or {})


class MethodSettings(_NamedMethod):
    """A masking method by the name of its class. Further keys are its parameters."""

    confirmed: bool = True


class ComparedMethod(_NamedMethod):
    """A method to compare. ``vary`` lists values of parameters; all combinations are run."""

    vary: dict[str, list[Any]] = Field(default_factory=dict)


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
        """The options of `ontomask.evaluate`, without those for reading another tool's table."""
        return self.model_dump(exclude_none=True, exclude={"mapping", "hierarchies"})


class RequireSettings(_Table):
    """Limits on what intruders may find. If they find more, nothing is written."""

    k_all: int | None = Field(default=None, ge=2)
    linked_at_most: float | None = Field(default=None, ge=0, le=100)


class ComparisonSettings(_Table):
    """The methods and seeds of ``ontomask compare``."""

    methods: list[ComparedMethod] = Field(min_length=1)
    seeds: Annotated[Any, BeforeValidator(_seeds)] = 3


class OutputSettings(_Table):
    """The output files. The masked table and reports may be shared; the private file and the plan may not."""

    masked: str
    report: Annotated[list[str], BeforeValidator(_files)] = Field(default_factory=list)
    private: str | None = None
    plan: str | None = None
    delimiter: str | None = None
    encoding: str = "utf-8"
    order: Order = "shuffled"
    formulas: Formulas = "escape"
    overwrite: bool = False


class Settings(_Table):
    """A whole job."""

    input: InputSettings
    columns: dict[str, ColumnSettings]
    method: MethodSettings
    output: OutputSettings
    ontologies: dict[str, Annotated[OntologySettings, BeforeValidator(_named_file)]] = Field(default_factory=dict)
    policies: PolicySettings = PolicySettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    require: RequireSettings = RequireSettings()
    compare: ComparisonSettings | None = None

    def policy(self, column: str, name: str) -> Any:
        """A policy of a column: its own, or that of all columns."""
        own = getattr(self.columns[column], name)
        return getattr(self.policies, name) if own is None else own

    @property
    def wants_evaluation(self) -> bool:
        """Whether the result is evaluated: for a report, or because the job has a table ``evaluation``."""
        return bool(self.output.report) or "evaluation" in self.model_fields_set
