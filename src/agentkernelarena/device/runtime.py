"""The CUDA or HIP runtime through ctypes. The two have the same functions under the prefixes `cuda` and `hip`.

Only what judge and worker need: memory that crosses processes, events, stream waits on a flag in host memory. ROCm's
side follows AMD's documentation of the HIP runtime; it has not been run on AMD hardware.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from agentkernelarena.errors import InfrastructureError

_SUFFIXES = {
    "cuda": ("libcudart.so", "libcudart.so.13", "libcudart.so.12"),
    "hip": ("libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6"),
}
_FOLDERS = {
    "cuda": ("nvidia/cu13/lib", "nvidia/cuda_runtime/lib", "torch/lib", "/usr/local/cuda/lib64"),
    "hip": ("torch/lib", "_rocm_sdk_core/lib", "/opt/rocm/lib"),
}
_IPC_LAZY = 1
_HOST_REGISTER_MAPPED = 2
_WAIT_GREATER_EQUAL = 0
ATTRIBUTE_L2_BYTES, ATTRIBUTE_PROCESSORS = 38, 16


class IpcHandle(ctypes.Structure):
    """64 opaque bytes that open an allocation in another process."""

    _fields_ = [("reserved", ctypes.c_char * 64)]


class DeviceError(InfrastructureError):
    """A runtime call failed; the message is the runtime's."""


class Runtime:
    """One vendor's runtime, bound to the current device of the process."""

    def __init__(self, vendor: str) -> None:
        self.vendor = vendor
        self._library = ctypes.CDLL(_find(vendor))
        self._driver = ctypes.CDLL("libcuda.so.1") if vendor == "cuda" else self._library

    def _function(self, name: str) -> Callable[..., int]:
        function: Callable[..., int] = getattr(self._library, self.vendor + name)
        return function

    def check(self, status: int, what: str) -> None:
        """Raise `DeviceError` unless `status` is success."""
        if status != 0:
            describe = self._function("GetErrorString")
            describe.restype = ctypes.c_char_p  # type: ignore[attr-defined]
            text = describe(status)
            raise DeviceError(f"{what}: {text.decode() if isinstance(text, bytes) else status} ({status})")

    def call(self, name: str, *arguments: object) -> None:
        """Call `<vendor><name>` and check its status."""
        self.check(self._function(name)(*arguments), name)

    def malloc(self, size: int) -> int:
        pointer = ctypes.c_void_p()
        self.call("Malloc", ctypes.byref(pointer), ctypes.c_size_t(size))
        return int(pointer.value or 0)

    def free(self, address: int) -> None:
        self.call("Free", ctypes.c_void_p(address))

    def export(self, address: int) -> bytes:
        """A handle of the allocation at `address` for another process."""
        handle = IpcHandle()
        self.call("IpcGetMemHandle", ctypes.byref(handle), ctypes.c_void_p(address))
        return ctypes.string_at(ctypes.byref(handle), 64)

    def open(self, handle: bytes) -> int:
        """Map another process's allocation; returns its address here."""
        value = IpcHandle()
        ctypes.memmove(ctypes.byref(value), handle, 64)
        pointer = ctypes.c_void_p()
        self.call("IpcOpenMemHandle", ctypes.byref(pointer), value, ctypes.c_uint(_IPC_LAZY))
        return int(pointer.value or 0)

    def unmap(self, address: int) -> None:
        self.call("IpcCloseMemHandle", ctypes.c_void_p(address))

    def event(self) -> int:
        pointer = ctypes.c_void_p()
        self.call("EventCreate", ctypes.byref(pointer))
        return int(pointer.value or 0)

    def record(self, event: int, stream: int) -> None:
        self.call("EventRecord", ctypes.c_void_p(event), ctypes.c_void_p(stream))

    def elapsed_us(self, start: int, end: int) -> float:
        value = ctypes.c_float()
        self.call("EventElapsedTime", ctypes.byref(value), ctypes.c_void_p(start), ctypes.c_void_p(end))
        return value.value * 1e3

    def synchronize(self) -> None:
        self.call("DeviceSynchronize")

    def attribute(self, number: int) -> int:
        value = ctypes.c_int()
        self.call("DeviceGetAttribute", ctypes.byref(value), ctypes.c_int(number), ctypes.c_int(0))
        return value.value

    def register_host(self, address: int, size: int) -> int:
        """Let the device see a page of host memory; returns its address on the device."""
        self.call("HostRegister", ctypes.c_void_p(address), ctypes.c_size_t(size), ctypes.c_uint(_HOST_REGISTER_MAPPED))
        pointer = ctypes.c_void_p()
        self.call("HostGetDevicePointer", ctypes.byref(pointer), ctypes.c_void_p(address), ctypes.c_uint(0))
        return int(pointer.value or 0)

    def clear(self, stream: int, address: int, size: int) -> None:
        """Queue zeroing `size` bytes of device memory."""
        self.call(
            "MemsetAsync", ctypes.c_void_p(address), ctypes.c_int(0), ctypes.c_size_t(size), ctypes.c_void_p(stream)
        )

    def wait_value(self, stream: int, address: int, value: int) -> None:
        """What is queued on `stream` after this starts once the word at `address` is at least `value`."""
        if self.vendor == "cuda":
            status = self._driver.cuStreamWaitValue32_v2(
                ctypes.c_void_p(stream),
                ctypes.c_uint64(address),
                ctypes.c_uint32(value),
                ctypes.c_uint(_WAIT_GREATER_EQUAL),
            )
        else:
            status = self._driver.hipStreamWaitValue32(
                ctypes.c_void_p(stream),
                ctypes.c_void_p(address),
                ctypes.c_uint32(value),
                ctypes.c_uint(_WAIT_GREATER_EQUAL),
                ctypes.c_uint32(0xFFFFFFFF),
            )
        self.check(status, "StreamWaitValue32")

    def write_value(self, stream: int, address: int, value: int) -> None:
        """Write a word when everything queued on `stream` before has ended."""
        if self.vendor == "cuda":
            status = self._driver.cuStreamWriteValue32_v2(
                ctypes.c_void_p(stream), ctypes.c_uint64(address), ctypes.c_uint32(value), ctypes.c_uint(0)
            )
        else:
            status = self._driver.hipStreamWriteValue32(
                ctypes.c_void_p(stream), ctypes.c_void_p(address), ctypes.c_uint32(value), ctypes.c_uint(0)
            )
        self.check(status, "StreamWriteValue32")

    def last_error(self) -> int:
        return self._function("GetLastError")()


def _find(vendor: str) -> str:
    for folder in _FOLDERS[vendor]:
        roots = [Path(folder)] if folder.startswith("/") else [Path(p) / folder for p in sys.path if p]
        for root in roots:
            for name in _SUFFIXES[vendor]:
                if (root / name).exists():
                    return str(root / name)
    if found := ctypes.util.find_library("cudart" if vendor == "cuda" else "amdhip64"):
        return found
    raise InfrastructureError(f"the {vendor} runtime library was not found; install PyTorch for this device")


@lru_cache(maxsize=2)
def runtime(vendor: str) -> Runtime:
    """The vendor's runtime, loaded once per process (never before a fork)."""
    os.environ.setdefault("CUDA_MODULE_LOADING", "LAZY")
    return Runtime(vendor)
