"""The element types that operators may use, with what every layer needs to know about them.

Unit roundoffs are those of IEEE 754-2019 for float16/32/64, of bfloat16 (8 significant bits), and of the OCP
8-bit formats (OFP8 1.0: e4m3 has 4 significant bits, e5m2 has 3). No import of torch here.
"""

from __future__ import annotations

from dataclasses import dataclass

from agentkernelarena.errors import InputError, nearest


@dataclass(frozen=True)
class Dtype:
    """One element type: `size` in bytes, `roundoff` as half an ulp at 1 (0 for integers), `c_name` in HIP source."""

    name: str
    size: int
    roundoff: float
    torch_name: str
    c_name: str

    @property
    def is_float(self) -> bool:
        return self.roundoff > 0.0


DTYPES: dict[str, Dtype] = {
    d.name: d
    for d in (
        Dtype("float64", 8, 2.0**-53, "float64", "double"),
        Dtype("float32", 4, 2.0**-24, "float32", "float"),
        Dtype("float16", 2, 2.0**-11, "float16", "__half"),
        Dtype("bfloat16", 2, 2.0**-8, "bfloat16", "__hip_bfloat16"),
        Dtype("float8_e4m3", 1, 2.0**-4, "float8_e4m3fn", "__hip_fp8_e4m3"),
        Dtype("float8_e5m2", 1, 2.0**-3, "float8_e5m2", "__hip_fp8_e5m2"),
        Dtype("int64", 8, 0.0, "int64", "int64_t"),
        Dtype("int32", 4, 0.0, "int32", "int32_t"),
        Dtype("int16", 2, 0.0, "int16", "int16_t"),
        Dtype("int8", 1, 0.0, "int8", "int8_t"),
        Dtype("uint8", 1, 0.0, "uint8", "uint8_t"),
        Dtype("bool", 1, 0.0, "bool", "bool"),
    )
}


def dtype_named(name: str, place: str) -> Dtype:
    """Return the `Dtype` called `name`; raise `InputError` at `place` if there is none."""
    if name not in DTYPES:
        raise InputError(place, f"unknown dtype {name!r}", nearest(name, list(DTYPES)))
    return DTYPES[name]
