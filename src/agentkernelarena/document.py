"""JSON documents on disk: written whole or not at all, read with errors that name file and field."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from agentkernelarena.errors import InfrastructureError, InputError

R = TypeVar("R", bound=BaseModel)


def write_atomic(path: Path, text: str, mode: int = 0o644) -> None:
    """Write `text` to `path` so that a reader or a crash sees the old content or the new, never a part.

    Raises:
        InfrastructureError: the disk is full or the folder cannot be written; names the path and the reason.
    """
    handle = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, handle = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(handle, mode)
        os.replace(handle, path)
    except OSError as error:
        if handle is not None:
            Path(handle).unlink(missing_ok=True)
        raise InfrastructureError(f"{path}: cannot be written: {error.strerror or error}") from error


def read_document(path: Path, model: type[R]) -> R:
    """Read one JSON document; raise `InputError` with file, field and remedy when it is not one of ours."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(str(path), error.strerror or str(error), "is this the folder that wrote it?") from error
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(p) for p in first["loc"]) or "document"
        raise InputError(
            f"{path}: {field}", first["msg"], "restore the file, or remove it"
        ) from error
