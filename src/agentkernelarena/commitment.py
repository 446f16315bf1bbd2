"""The run's seed: committed to before the first trial, revealed after the last, so that nobody can pick a draw.

    commitment = SHA-256(seed || salt), both 32 bytes; run.json holds it, reveal.json opens it.

Everything random in a run follows from the seed by a keyed hash (HMAC-SHA-256, RFC 2104) of a label: the unseen
configurations of a task, and the value and order seeds of a trial. Three kinds of draw differ in where the *draw
key*, which decides the unseen configurations, comes from:

    random      the seed itself: nobody knows the configurations before the run ends, everybody can check them after
    public-<n>  the name: the same configurations at every site and for ever; input values stay secret during the run
    secret      a file that an organisation keeps: the same configurations in all its runs, never revealed
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from agentkernelarena.errors import InputError
from agentkernelarena.record import Reveal

_SECRET_NOTE = "secret draw: the seed follows from an unpublished file; `aka verify --unseen-secret FILE` checks it"
_LEAST_SECRET_BYTES = 16
_MAKE_ONE = "make one: head -c 32 /dev/urandom > FILE"


def _keyed(key: bytes, label: str) -> bytes:
    return hmac.new(key, label.encode(), hashlib.sha256).digest()


@dataclass(frozen=True)
class RunSeed:
    """Seed material of one run. `seed` decides values and orders, `draw_key` the unseen configurations."""

    seed: bytes
    salt: bytes
    draw_key: bytes
    is_secret: bool = False

    @classmethod
    def fresh(cls) -> RunSeed:
        """A seed that nobody can know: from the operating system's generator."""
        seed = secrets.token_bytes(32)
        return cls(seed, secrets.token_bytes(32), seed)

    @classmethod
    def fixed(cls, number: int) -> RunSeed:
        """The seed of a run whose settings fix one (`seed: 7`): for tests and demonstrations, not for results."""
        seed = hashlib.sha256(f"agentkernelarena fixed seed {number}".encode()).digest()
        return cls(seed, _keyed(seed, "salt"), seed)

    @classmethod
    def public(cls, name: str, number: int | None = None) -> RunSeed:
        """The public draw `name` (``public-<n>``); values are fresh, or fixed by `number`.

        Raises:
            InputError: `name` is not of that form.
        """
        base = cls.fresh() if number is None else cls.fixed(number)
        return cls(base.seed, base.salt, public_key(name))

    @classmethod
    def secret(cls, file: Path, run_id: str) -> RunSeed:
        """Seed material from a file: draws depend on its bytes alone, values and salt on the run as well.

        Raises:
            InputError: the file cannot be read or holds fewer than 16 bytes.
        """
        try:
            content = file.read_bytes()
        except OSError as error:
            raise InputError(str(file), error.strerror or str(error), _MAKE_ONE) from error
        if len(content) < _LEAST_SECRET_BYTES:
            raise InputError(str(file), f"holds {len(content)} bytes: too few to be a secret", _MAKE_ONE)
        return cls(
            _keyed(content, f"seed/{run_id}"), _keyed(content, f"salt/{run_id}"), _keyed(content, "draw"), True
        )

    @classmethod
    def of(cls, draw: str, number: int | None, run_id: str, secret_file: Path | None = None) -> RunSeed:
        """The seed that a run's settings (`draw`, `seed`) ask for.

        Raises:
            InputError: a secret draw without its file, or an unknown draw.
        """
        if draw == "secret":
            if secret_file is None:
                raise InputError("draw", "a secret draw needs its file", "give --unseen-secret FILE")
            return cls.secret(secret_file, run_id)
        if draw == "random":
            return cls.fresh() if number is None else cls.fixed(number)
        return cls.public(draw, number)

    @classmethod
    def from_reveal(cls, reveal: Reveal, draw: str) -> RunSeed:
        """The seed that a reveal opens; raise `InputError` when it opens nothing."""
        try:
            seed, salt = bytes.fromhex(reveal.seed), bytes.fromhex(reveal.salt)
        except ValueError:
            seed = salt = b""
        if len(seed) != 32 or len(salt) != 32:
            raise InputError("reveal.json", "holds no seed and salt of 32 bytes", reveal.note or "restore the file")
        return cls(seed, salt, seed if draw == "random" else public_key(draw))

    @property
    def commitment(self) -> str:
        """SHA-256 of seed and salt, hexadecimal."""
        return hashlib.sha256(self.seed + self.salt).hexdigest()

    def for_task(self, task_id: str) -> bytes:
        """Seed of the unseen configurations of a task: the same for every agent and repetition of the run."""
        return _keyed(self.draw_key, f"unseen/{task_id}")

    def for_trial(self, trial_id: str, purpose: str) -> int:
        """A 63-bit seed for one purpose (``values``, ``order``, ...) of one trial."""
        return int.from_bytes(_keyed(self.seed, f"trial/{trial_id}/{purpose}")[:8], "big") >> 1

    def reveal(self) -> Reveal:
        """What `reveal.json` says at the end: seed and salt, or, for a secret draw, only that there is none."""
        if self.is_secret:
            return Reveal(seed="", salt="", note=_SECRET_NOTE)
        return Reveal(seed=self.seed.hex(), salt=self.salt.hex())

    def dump(self) -> str:
        """Text that `load` reads: keep it private to the judge while a run can still be resumed."""
        fields = {"seed": self.seed.hex(), "salt": self.salt.hex(), "draw_key": self.draw_key.hex()}
        return json.dumps({**fields, "is_secret": self.is_secret})

    @classmethod
    def load(cls, text: str) -> RunSeed:
        """The inverse of `dump`; raise `InputError` for anything else."""
        try:
            fields = json.loads(text)
            seed, salt, draw_key = (bytes.fromhex(fields[name]) for name in ("seed", "salt", "draw_key"))
            return cls(seed, salt, draw_key, bool(fields["is_secret"]))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError("seed file", "is not one that this program wrote", "start the run anew") from error


def public_key(name: str) -> bytes:
    """Draw key of the public draw `name`; raise `InputError` unless it is ``public-<n>``."""
    if not re.fullmatch(r"public-[1-9][0-9]*", name):
        raise InputError(f"draw {name!r}", "is no public draw", "public draws are called public-1, public-2, ...")
    return hashlib.sha256(f"agentkernelarena public draw {name}".encode()).digest()
