"""Many arrays as one argument of compiled functions.

Numba passes a named tuple of n arrays as about 7 n arguments, and counts references to each array at every call. This
makes code long and slow to compile. A `Bundle` is passed as one address: that of a table with the address and the
shape of each array.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import sha256
from typing import Any, dataclass_transform

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, models, register_model, typeof_impl, unbox
from numba.np.numpy_support import from_dtype

from ontomask.base.arrays import IntArray

__all__ = ["Bundle", "BundleType"]

_WORD = ir.IntType(64)


class BundleType(types.Type):
    """The type of a bundle: the type of each field, and where it begins in the table."""

    def __init__(self, name: str, given: dict[str, types.Type]) -> None:
        self.given = given
        self.at: dict[str, int] = {}
        at = 0
        for field, type_ in given.items():
            self.at[field] = at
            at += _size(type_)
        # Numba makes names of functions from the names of types. That of all arrays would be very long.
        digest = sha256(repr(list(given.items())).encode()).hexdigest()[:16]
        super().__init__(name=f"{name}_{digest}")


def _size(type_: types.Type) -> int:
    """The number of words of a value in the table. Only arrays that are not C-contiguous have their strides there."""
    if not isinstance(type_, types.Array):
        return 1
    return 1 + type_.ndim if type_.is_c_contig else 1 + 2 * type_.ndim


@dataclass_transform(frozen_default=True)
class Bundle:
    """Arrays, numbers and other bundles that compiled functions take as one argument. Subclasses are dataclasses.

    Compiled functions read the fields, and change the content of arrays. A field may also be ``None``, which is
    another type.
    """

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, eq=False)(cls)

    @cached_property
    def _table(self) -> tuple[IntArray, BundleType]:
        """The table, and its type. Arrays are kept alive by the fields."""
        words: list[int] = []
        given: dict[str, types.Type] = {}
        for field in fields(self):  # type: ignore[arg-type]
            more, given[field.name] = _words(getattr(self, field.name))
            words += more
        return np.array(words, dtype=np.int64), BundleType(type(self).__name__, given)

    @property
    def _numba_type_(self) -> BundleType:
        return self._table[1]

    @property
    def _address(self) -> int:
        return self._table[0].ctypes.data


def _words(value: Any) -> tuple[list[int], types.Type]:
    """The 64-bit words that stand for a value in the table, and its type."""
    if isinstance(value, np.ndarray):
        is_c = value.flags.c_contiguous
        dtype, is_fixed = from_dtype(value.dtype), not value.flags.writeable
        type_ = types.Array(dtype, value.ndim, "C" if is_c else "A", readonly=is_fixed)
        return [value.ctypes.data, *value.shape, *(() if is_c else value.strides)], type_
    if isinstance(value, Bundle):
        return [value._address], value._numba_type_
    if value is None:
        return [0], types.none
    if isinstance(value, bool | np.bool_):
        return [int(value)], types.boolean
    if isinstance(value, int | np.integer):
        return [int(value)], types.int64
    return [int(np.float64(value).view(np.int64))], types.float64


@typeof_impl.register(Bundle)
def _typeof(value: Bundle, _context: Any) -> BundleType:
    return value._numba_type_


@register_model(BundleType)
class _Model(models.OpaqueModel):
    """The address of a table. It owns nothing: Python keeps the arrays alive during a call."""


@unbox(BundleType)  # type: ignore[no-untyped-call, untyped-decorator]
def _unbox(_type: BundleType, value: Any, context: Any) -> Any:
    """The address. If Ctrl-C comes while Python computes it, there is none, and the function is not called."""
    builder = context.builder
    number = context.pyapi.object_getattr_string(value, "_address")
    address = builder.alloca(cgutils.voidptr_t)
    builder.store(ir.Constant(cgutils.voidptr_t, None), address)
    is_there = builder.icmp_unsigned("!=", number, ir.Constant(number.type, None))
    with builder.if_then(is_there, likely=True):
        builder.store(context.pyapi.long_as_voidptr(number), address)
        context.pyapi.decref(number)
    found = builder.load(address)
    return NativeValue(found, is_error=builder.icmp_unsigned("==", found, ir.Constant(found.type, None)))  # type: ignore[no-untyped-call]


@infer_getattr
class _Fields(AttributeTemplate):
    key = BundleType

    def generic_resolve(self, bundle: Any, name: Any) -> Any:  # type: ignore[override]
        """The type of a field; ``None`` if there is none."""
        return bundle.given.get(name)


@lower_getattr_generic(BundleType)  # type: ignore[no-untyped-call, untyped-decorator]
def _read(context: Any, builder: Any, bundle: BundleType, address: Any, name: str) -> Any:
    """Read a field from the table."""
    type_, at = bundle.given[name], bundle.at[name]
    table = builder.bitcast(address, _WORD.as_pointer())

    def read_word(i: int) -> Any:
        # No compiled function changes the table, so a loop needs to read it only once.
        word = builder.load(builder.gep(table, [ir.Constant(_WORD, at + i)]))
        word.set_metadata("invariant.load", builder.module.add_metadata([]))
        return word

    if isinstance(type_, types.NoneType):
        return context.get_dummy_value()
    if isinstance(type_, types.Array):
        return _array(context, builder, type_, [read_word(i) for i in range(_size(type_))])
    if isinstance(type_, types.Boolean):
        return builder.trunc(read_word(0), ir.IntType(1))
    if isinstance(type_, types.Float):
        return builder.bitcast(read_word(0), ir.DoubleType())
    return read_word(0) if isinstance(type_, types.Integer) else builder.inttoptr(read_word(0), address.type)


def _array(context: Any, builder: Any, type_: Any, words: list[Any]) -> Any:
    """Numba's structure of an array. It has no counter of references."""
    shape, strides = words[1 : 1 + type_.ndim], words[1 + type_.ndim :]
    item = context.get_data_type(type_.dtype)
    size = ir.Constant(_WORD, context.get_abi_sizeof(item))
    items = shape[0]
    for n in shape[1:]:
        items = builder.mul(items, n)
    if not strides:
        strides = [size]
        for n in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], n))
    model = context.data_model_manager[type_]
    found = ir.Constant(model.get_value_type(), None)
    parts = {"nitems": items, "itemsize": size, "data": builder.inttoptr(words[0], item.as_pointer())}
    for name, value in parts.items():
        found = builder.insert_value(found, value, model.get_field_position(name))
    for name, values in (("shape", shape), ("strides", strides)):
        for i, value in enumerate(values):
            found = builder.insert_value(found, value, [model.get_field_position(name), i])
    return found
