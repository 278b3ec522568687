"""The same CUDA source compiled for the host: every kernel as a function that goes through its threads one by one."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.readings.gpu.source import text_of

FLAGS = ("-std=c++17", "-O1", "-ffp-contract=off", "-fPIC", "-shared", "-x", "c++")
KERNEL = re.compile(r'extern "C" __global__ void (?:__launch_bounds__\(\d+\) )?(\w+)\(([^)]*)\)')
TYPES: dict[str, Any] = {
    "cpc_word": ctypes.c_uint64, "cpc_long": ctypes.c_int64, "int": ctypes.c_int32, "unsigned": ctypes.c_uint32,
    "double": ctypes.c_double,
}  # fmt: skip


@lru_cache(maxsize=1)
def compiler() -> str | None:
    """A C++ compiler, if there is one."""
    return shutil.which("g++") or shutil.which("clang++")


class HostModule:
    """The kernels of a source, by name: `launch` takes NumPy's arrays and numbers, as a card's module takes its own."""

    def __init__(self, source: str, *, worst: int = 0) -> None:
        self.xp: Any = np
        self._types = {name: _types(arguments) for name, arguments in KERNEL.findall(source)}
        text = "\n".join(
            [text_of("host.h"), KERNEL.sub(r"static void \1(\2)", source), *map(_wrapper, KERNEL.findall(source))]
        )
        with tempfile.TemporaryDirectory(prefix="cpcbench-") as folder:  # what is loaded stays loaded
            self._library = _built(Path(folder), text, worst)

    def launch(self, name: str, threads: int, *args: Any) -> None:
        """Runs a kernel on about so many threads, in blocks of 256."""
        blocks = max(1, threads // 256)
        pairs = zip(args, self._types[name], strict=True)
        given = [a.ctypes.data_as(kind) if isinstance(a, np.ndarray) else kind(a.item()) for a, kind in pairs]
        getattr(self._library, f"run_{name}")(ctypes.c_uint32(blocks), ctypes.c_uint32(256), *given)

    def wait(self) -> None:
        """Nothing runs on."""


def _types(arguments: str) -> list[Any]:
    return [
        ctypes.c_void_p if "*" in one else TYPES[one.replace("const", "").split()[0]] for one in arguments.split(",")
    ]


def _wrapper(kernel: tuple[str, str]) -> str:
    name, arguments = kernel
    names = ", ".join(one.split()[-1].lstrip("*") for one in arguments.split(","))
    return (
        f'extern "C" void run_{name}(unsigned blocks, unsigned threads, {arguments}) {{\n'
        "    gridDim.x = blocks; blockDim.x = threads;\n"
        "    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)\n"
        f"        for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++) {name}({names});\n}}\n"
    )


def _built(folder: Path, text: str, worst: int) -> ctypes.CDLL:
    program = compiler()
    if program is None:
        raise CpcbenchError("CUDA source is compiled for the host by a C++ compiler: none was found (g++, clang++)")
    source, library = folder / "kernels.cpp", folder / "kernels.so"
    source.write_text(text, encoding="utf-8")
    command = [program, *FLAGS, f"-DCPC_WORST={worst}", str(source), "-o", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise CpcbenchError(f"{program} did not compile the CUDA source:\n{done.stderr[:2000]}")
    return ctypes.CDLL(str(library))
