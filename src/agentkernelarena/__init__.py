"""AgentKernelArena: measures how well AI coding agents optimise GPU kernels.

The public face: `load_task`, `evaluate`, `run` and the typed results that they return. Names are resolved on first
use, so importing this package loads neither torch nor triton.
"""

from __future__ import annotations

__version__ = "0.1.0"
