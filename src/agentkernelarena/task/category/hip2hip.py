"""Make a HIP kernel faster."""

from agentkernelarena.task.category import Category, LibraryPolicy

CATEGORY = Category(
    name="hip2hip",
    title="HIP to HIP",
    requires=("operator.py", "kernel.hip"),
    baseline="kernel.hip",
    baseline_language="hip",
    language="hip",
    entry="kernel.hip",
    start="kernel.hip",
    libraries=LibraryPolicy.REPORTED,
)
