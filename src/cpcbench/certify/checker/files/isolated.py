"""Processes of the checker: of this interpreter, with nothing on their path but its own libraries and this package.

The current folder, the folder of the certificate, PYTHONPATH and the user's site are not looked at, so a file that
lies there under the name of a library is never run.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

HOME = str(Path(__file__).resolve().parents[4])
LIBRARIES = [part for part in sys.path if part and os.path.basename(part) in ("site-packages", "dist-packages")]
_START = """
import sys
from importlib import import_module, util
home, module, memory, *libraries = sys.argv[1:]
sys.argv[1:] = []
sys.path += [part for part in (*libraries, home) if part not in sys.path]
spec = util.spec_from_file_location("cpcbench", home + "/cpcbench/__init__.py")
sys.modules["cpcbench"] = package = util.module_from_spec(spec)
spec.loader.exec_module(package)
import_module(module).main(int(memory))
"""
"""The package is loaded from where this one is, even if another version of it is installed: both have to agree."""


def start(module: str, memory: int = 0, *, apart: bool = False) -> subprocess.Popen[str]:
    """A process that calls `main(memory)` of a module, with pipes for its input and output; `apart`, it has a group of
    its own, which `stop` ends with it."""
    command = [sys.executable, "-I", "-c", _START, HOME, module, str(memory), *LIBRARIES]
    return subprocess.Popen(  # noqa: S603 - our own interpreter
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        cwd=os.path.abspath(os.sep), start_new_session=apart,
    )  # fmt: skip


def stop(child: subprocess.Popen[str]) -> None:
    """Ends a process that is apart, and those that it has started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()


def limit_memory(most: int) -> None:
    """Lets this process have so many bytes at most, where the system can do that; 0 is no limit."""
    if not most:
        return
    try:
        import resource
    except ImportError:  # Windows has none
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
