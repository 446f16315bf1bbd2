"""Commitment and reveal, recomputed here with hashlib and hmac alone."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from agentkernelarena.commitment import RunSeed
from agentkernelarena.errors import InputError


def keyed(key, label):
    return hmac.new(key, label.encode(), hashlib.sha256).digest()


def test_commitment_is_the_hash_of_seed_and_salt_and_the_reveal_opens_it():
    seed = RunSeed.fresh()
    reveal = seed.reveal()
    opened = bytes.fromhex(reveal.seed) + bytes.fromhex(reveal.salt)
    assert len(opened) == 64
    assert hashlib.sha256(opened).hexdigest() == seed.commitment
    assert RunSeed.from_reveal(reveal, "random") == seed


def test_fresh_seeds_differ():
    assert len({RunSeed.fresh().commitment for _ in range(20)}) == 20


def test_task_and_trial_seeds_are_keyed_hashes():
    seed = RunSeed.fixed(7)
    assert seed.for_task("hip2hip/rmsnorm") == keyed(seed.seed, "unseen/hip2hip/rmsnorm")
    number = int.from_bytes(keyed(seed.seed, "trial/t-1/values")[:8], "big") >> 1
    assert seed.for_trial("t-1", "values") == number < 2**63
    assert len({seed.for_trial(t, p) for t in ("a", "b") for p in ("values", "order")}) == 4


def test_a_public_draw_is_the_same_everywhere_while_values_stay_fresh():
    one, two = RunSeed.public("public-1"), RunSeed.public("public-1")
    key = hashlib.sha256(b"agentkernelarena public draw public-1").digest()
    assert one.for_task("a/b") == two.for_task("a/b") == keyed(key, "unseen/a/b")
    assert one.for_trial("t", "values") != two.for_trial("t", "values")
    assert RunSeed.public("public-2").for_task("a/b") != one.for_task("a/b")
    assert RunSeed.from_reveal(one.reveal(), "public-1") == one


@pytest.mark.parametrize("name", ["public", "public-0", "public-01", "private-1", "", "public-1 "])
def test_other_names_are_refused(name):
    with pytest.raises(InputError, match="public-1, public-2"):
        RunSeed.public(name)


def test_a_secret_draw_follows_from_the_file_and_reveals_nothing(tmp_path):
    file = tmp_path / "secret"
    file.write_bytes(b"0123456789abcdef0123456789abcdef")
    first, second = RunSeed.secret(file, "run-1"), RunSeed.secret(file, "run-2")
    assert first == RunSeed.secret(file, "run-1")
    assert first.for_task("a/b") == second.for_task("a/b")
    assert first.for_trial("t", "values") != second.for_trial("t", "values")
    assert first.commitment != second.commitment
    reveal = first.reveal()
    assert (reveal.seed, reveal.salt) == ("", "")
    assert "--unseen-secret" in reveal.note
    with pytest.raises(InputError, match="no seed and salt"):
        RunSeed.from_reveal(reveal, "secret")
    file.write_bytes(b"0123456789abcdef0123456789abcdeg")
    assert RunSeed.secret(file, "run-1").for_task("a/b") != first.for_task("a/b")


def test_a_missing_or_short_secret_file_is_bad_input(tmp_path):
    with pytest.raises(InputError, match="urandom"):
        RunSeed.secret(tmp_path / "absent", "r")
    (tmp_path / "short").write_bytes(b"secret")
    with pytest.raises(InputError, match="too few"):
        RunSeed.secret(tmp_path / "short", "r")


def test_settings_choose_the_kind_of_seed(tmp_path):
    file = tmp_path / "s"
    file.write_bytes(bytes(32))
    assert RunSeed.of("random", 3, "r") == RunSeed.fixed(3)
    assert RunSeed.of("random", None, "r") != RunSeed.of("random", None, "r")
    assert RunSeed.of("public-4", 3, "r").for_task("t") == RunSeed.public("public-4").for_task("t")
    assert RunSeed.of("secret", None, "r", file) == RunSeed.secret(file, "r")
    with pytest.raises(InputError, match="--unseen-secret"):
        RunSeed.of("secret", None, "r")


def test_a_dumped_seed_comes_back_and_rubbish_does_not():
    for seed in (RunSeed.fresh(), RunSeed.public("public-1"), RunSeed.fixed(1)):
        assert RunSeed.load(seed.dump()) == seed
    for text in ("", "{}", "[1]", '{"seed": "zz"}'):
        with pytest.raises(InputError):
            RunSeed.load(text)
