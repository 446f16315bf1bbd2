"""The gateway: the only way from an agent's sandbox to its model.

On the host it listens on one unix socket, adds the key, lets through what the agent needs to talk to a model and
nothing else, counts tokens, and stops at the budget. Inside, a relay gives the agent's program a port to talk to.
"""

from __future__ import annotations

from agentkernelarena.gateway.gateway import Api, Gateway, Prices, Upstream
from agentkernelarena.gateway.meter import Meter

__all__ = ["Api", "Gateway", "Meter", "Prices", "Upstream"]
