"""Write a HIP kernel that beats the PyTorch reference."""

from agentkernelarena.task.category import Category, LibraryPolicy

CATEGORY = Category(
    name="torch2hip",
    title="PyTorch to HIP",
    requires=("operator.py",),
    baseline="operator.py",
    baseline_language="torch",
    language="hip",
    entry="kernel.hip",
    start="",
    libraries=LibraryPolicy.FORBIDDEN,
)
