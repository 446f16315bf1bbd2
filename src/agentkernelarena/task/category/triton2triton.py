"""Make a Triton kernel faster."""

from agentkernelarena.task.category import Category, LibraryPolicy

CATEGORY = Category(
    name="triton2triton",
    title="Triton to Triton",
    requires=("operator.py", "kernel.py"),
    baseline="kernel.py",
    baseline_language="triton",
    language="triton",
    entry="kernel.py",
    start="kernel.py",
    libraries=LibraryPolicy.REPORTED,
)
