"""A method describes itself, and whatever lists methods takes them from the registry."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import numpy as np
import pytest

import ontomask as om
from ontomask import masking
from ontomask.errors import MaskingError, ReadError
from ontomask.masking.description import FILES, PRIVATE, PUBLIC, About, Rule, at_least, flag, one_of, share
from ontomask.masking.registry import METHODS, known_methods, register

from support.families import EXAMPLES, all_examples


@dataclass(frozen=True, repr=False)
class Plugin(om.NaiveDistortion):
    """A method of a user."""

    size: int = field(default=3, metadata=at_least(2))
    rate: float = field(default=0.5, metadata=share())
    style: str = field(default="a", metadata=one_of(("a", "b")))
    order: int = field(default=1, metadata=one_of((1, 2)))
    strict: bool = field(default=False, metadata=flag())
    maybe: bool | None = field(default=None, metadata=flag(optional=True))
    words: tuple[str, ...] = ()
    secret: str = field(default="", metadata=PRIVATE)
    columns: tuple[str, ...] = field(default=(), metadata=PUBLIC | Rule("a list", lambda v: True, tuple).metadata)


def classes_of_the_package():
    for module in walk_packages(masking.__path__, f"{masking.__name__}."):
        for cls in vars(import_module(module.name)).values():
            if isinstance(cls, type) and issubclass(cls, om.Method) and cls.__module__ == module.name:
                yield cls


def test_every_method_of_the_package_is_registered():
    complete = {cls for cls in classes_of_the_package() if not inspect.isabstract(cls)}
    forgotten = {cls.__name__ for cls in complete if not cls.__name__.startswith("_")} - set(METHODS)
    assert not forgotten, f"add {forgotten} to METHODS in ontomask/masking/registry.py"


@pytest.mark.parametrize("name", METHODS)
def test_every_registered_method_is_public_and_has_examples(name):
    assert name in om.__all__, f"add {name} to the public names in ontomask/__init__.py"
    assert getattr(om, name) is METHODS[name]
    assert {type(example).__name__ for example in EXAMPLES[name]} == {name}


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_tests_of_its_own(name):
    general = {"test_conformance.py", Path(__file__).name}
    files = [path for path in Path(__file__).parent.glob("test_*.py") if path.name not in general]
    assert any(f"{name}(" in path.read_text(encoding="utf-8") for path in files), f"write tests of {name}"


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.__name__)
def test_every_parameter_has_a_rule(method):
    assert [f.name for f in fields(method) if "rule" not in f.metadata] == []


def test_a_method_without_a_description_cannot_be_registered():
    with pytest.raises(TypeError, match="Plugin cannot be registered: it does not describe itself"):
        register(Plugin)
    with pytest.raises(TypeError, match=r"KAnonymous cannot be registered: it is abstract\. Define _group"):
        register(masking.anonymous.KAnonymous)


def test_a_method_without_an_example_fails():
    with pytest.raises(AssertionError, match="Plugin has no example: add one to EXAMPLES"):
        all_examples({**METHODS, "Plugin": Plugin})


def test_methods_of_users_are_known_but_do_not_replace_ours():
    assert known_methods()["Plugin"] is Plugin
    assert list(known_methods()) == sorted(known_methods())

    class Recoding(om.NaiveDistortion):
        pass

    assert known_methods()["Recoding"] is om.Recoding is not Recoding
    assert not {"Method", "_BestFirst", "KAnonymous"} & set(known_methods())


def test_a_user_defined_method_has_a_general_description():
    @dataclass(frozen=True, repr=False)
    class Own(om.Method):
        def _plan(self, data, rng): ...

    assert "Ask its author" in Own().about.what
    assert Own().about.guarantees == ()
    assert masking.anonymous.KAnonymous.about.guarantees == ("k-anonymity",)
    # A class that is derived from one of ours does what that does.
    assert Plugin().about is om.NaiveDistortion.about


@pytest.mark.parametrize(
    ("parameter", "wrong"),
    [
        *(("size", value) for value in (1, 2.5, "3", True, None, np.array([3]))),
        *(("rate", value) for value in (-0.1, 1.1, float("nan"), "half", True, None)),
        *(("style", value) for value in ("c", "", 1, None, ["a"], np.array(["a", "b"]))),
        *(("order", value) for value in (3, 1.0, True, "1", None)),
        *(("strict", value) for value in (1, None, "yes")),
        *(("maybe", value) for value in (0, "no")),
    ],
)
def test_a_wrong_parameter_is_an_error_with_its_name(parameter, wrong):
    with pytest.raises(MaskingError) as caught:
        Plugin(**{parameter: wrong})
    assert caught.value.parameter == parameter
    assert str(caught.value).startswith(f"The '{parameter}' parameter of Plugin must be ")


def test_numbers_of_numpy_are_accepted():
    assert repr(Plugin(np.int64(4), np.float64(1.0), order=np.int32(2))) == "Plugin(size=4, rate=1.0, order=2)"


def test_the_message_of_a_wrong_parameter():
    with pytest.raises(MaskingError) as caught:
        om.Recoding(1)
    assert str(caught.value) == "The 'k' parameter of Recoding must be an int ≥ 2. Got 1 instead."


def test_a_message_shows_no_list_or_dictionary():
    with pytest.raises(MaskingError) as caught:
        om.PRAM(matrices=["HIV"])
    assert (caught.value.parameter, "HIV" in str(caught.value)) == ("matrices", False)


def test_an_error_of_a_file_names_the_parameter(tmp_path):
    (tmp_path / "h.csv").write_text("alone\n")
    with pytest.raises(ReadError) as caught:
        om.Generalisation(2, hierarchies={"job": tmp_path / "h.csv"})
    assert caught.value.parameter == "hierarchies"


def test_the_name_of_a_method_hides_what_may_be_a_value_of_the_data():
    assert repr(Plugin()) == "Plugin(size=3)"
    shown = repr(Plugin(words=("HIV",), secret="HIV", columns=["job"]))
    assert shown == "Plugin(size=3, words=…, secret=…, columns=('job',))"
    assert repr(om.UncorrelatedNoise([0.1, 0.2])) == "UncorrelatedNoise(alpha=…)"
    required = om.Microaggregation(2, require=[om.Diversity("ill", 2)])
    names = {name: getattr(om, name) for name in ("Diversity", "Microaggregation")}
    assert eval(repr(required), names) == required


def test_methods_are_the_same_if_all_parameters_are():
    swap = (["ache", "colic"], np.array([[0, 1], [1, 0]]))
    copy = (["ache", "colic"], np.array([[0, 1], [1, 0]]))
    other = (["ache", "colic"], np.array([[1, 0], [0, 1]]))
    assert om.PRAM(matrices={"s": swap}).is_same(om.PRAM(matrices={"s": copy}))
    assert not om.PRAM(matrices={"s": swap}).is_same(om.PRAM(matrices={"s": other}))
    assert not om.Recoding(2).is_same(om.Resampling(2))
    levels = om.Hierarchy.from_rows([("a", "*"), ("b", "*")]), om.Hierarchy.from_rows([("a", "*"), ("c", "*")])
    first, second = (om.Generalisation(2, hierarchies={"s": hierarchy}) for hierarchy in levels)
    assert not first.is_same(second)


def test_parameters_in_words():
    swap = {"symptom": (["ache", "colic"], [[0, 1], [1, 0]])}
    columns = {"age": None, "symptom": None}
    assert om.PRAM(matrices=swap).parameter_texts(columns) == {"stay": "0.8", "matrices": "given for symptom"}
    texts = om.CorrelatedNoise([0.1, 0.2], reference="pair", pairs=[("age", "symptom")]).parameter_texts(columns)
    assert (texts["pairs"], texts["alpha"]) == ("given for age, symptom", "2 numbers")
    assert om.Recoding(2, require=[om.Diversity("age", 2)]).parameter_texts(columns)["require"]


def test_parameters_that_name_files_say_so():
    named = {(n, f.name) for n, method in METHODS.items() for f in fields(method) if f.metadata.get("files")}
    assert named == {("Generalisation", "hierarchies")}
    assert FILES == {"files": True}


def test_every_description_is_complete():
    for method in METHODS.values():
        about: About = method.about
        assert about.what.endswith(".")
        assert about.why.endswith(".")
        assert method.makes_groups == any("k-anonymity" in claim for claim in about.guarantees)
