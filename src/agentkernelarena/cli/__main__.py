"""`python -m agentkernelarena.cli` is `aka`."""

from agentkernelarena.cli import main

main()
