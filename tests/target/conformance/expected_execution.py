"""What the kernels about execution compute: control flow, shared memory, launches, waves, atomics, groups."""

from __future__ import annotations

import numpy as np

from .spec import Expected, flat, i32, kernel, lanes, padded, shuffled, spread, waves


# ---- elementwise, control flow, arguments
@kernel
def vector_add(x, k, n, wave):
    return Expected(y=x + k.astype(np.float32))


@kernel
def grid_stride(x, k, n, wave):
    return Expected(y=2 * x)


@kernel
def grid_3d(x, k, n, wave):
    i = np.arange(n)
    y = np.full(n, 5 + 10 * 2 + 100 * 25 + 1000 * 2 + 10000 * 2)
    return Expected(y=y, z=i32(i % 10 + 100 * (i // 10 % 4) + 10000 * (i // 40)))


@kernel
def block_3d(x, k, n, wave):
    first = np.arange(240) // wave * wave
    code = first % 5 + 10 * (first // 5 % 6) + 100 * (first // 30)
    return Expected(z=i32(np.tile(code, 5)[:n]))


@kernel
def early_return(x, k, n, wave):
    return Expected(y=x * x)


@kernel
def divergent_loop(x, k, n, wave):
    def steps(v):
        count = 0
        while v != 1:
            v, count = (3 * v + 1 if v % 2 else v // 2), count + 1
        return count

    return Expected(z=i32([steps(abs(int(v)) + 1) for v in k]))


@kernel
def local_array(x, k, n, wave):
    j = k & 15
    return Expected(z=i32(j**2 + (15 - j) ** 2))


@kernel
def recursion(x, k, n, wave):
    table = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610]
    return Expected(z=i32(np.array(table)[k & 15]))


@kernel
def device_lambda(x, k, n, wave):
    return Expected(y=3 * x)


@kernel
def functor_argument(x, k, n, wave):
    return Expected(y=2.0 * x.astype(np.float64) + 1.0, rtol=2e-7, atol=2e-7)


@kernel
def struct_argument(x, k, n, wave):
    return Expected(y=0.5 * (k & 31) + 5)


@kernel
def many_arguments(x, k, n, wave):
    return Expected(y=1 + 2 + 3 + 4 + 0.5 + 0.25 + 1 + 200 + np.arange(n))


# ---- shared memory
@kernel
def lds_static(x, k, n, wave):
    return Expected(y=flat(padded(x, 256)[:, ::-1], n))


@kernel
def lds_2d(x, k, n, wave):
    return Expected(y=flat(padded(x, 256, -1).reshape(-1, 16, 16).transpose(0, 2, 1), n))


@kernel
def lds_declarators(x, k, n, wave):
    rows = padded(k, 256).astype(np.int64)
    swapped = 2 * np.concatenate([rows[:, 128:], rows[:, :128]], axis=1)
    return Expected(z=i32(flat(rows[:, ::-1] + swapped + rows.sum(1, keepdims=True), n)))


@kernel
def lds_struct(x, k, n, wave):
    other = np.arange(128) ^ 5
    rows = padded(x, 128)
    return Expected(y=flat(rows[:, other], n), z=i32(flat(np.tile(other, (len(rows), 1)), n)))


@kernel
def lds_template_type(x, k, n, wave):
    other = np.arange(256) ^ 1
    return Expected(y=flat(padded(x, 256)[:, other] + other.astype(np.float32), n))


@kernel
def lds_device_function(x, k, n, wave):
    rows, t = padded(x, 256).astype(np.float64), np.arange(256)
    return Expected(y=flat(rows[:, t ^ 1] - 2 * rows[:, t ^ 2], n), rtol=2e-7, atol=1e-6)


@kernel
def lds_aligned(x, k, n, wave):
    q = padded(x, 4)
    return Expected(y=spread((q[:, 0] + q[:, 1]) + (q[:, 2] + q[:, 3]), 4, n))


@kernel
def lds_scalar(x, k, n, wave):
    return Expected(z=spread(padded(k, 100)[:, 17], 100, n))


@kernel
def lds_volatile(x, k, n, wave):
    return Expected(z=flat(padded(k, 64)[:, ::-1], n))


@kernel
def lds_dynamic(x, k, n, wave):
    return Expected(y=flat(np.roll(padded(x, 192), -1, axis=1), n))


@kernel
def lds_dynamic_carved(x, k, n, wave):
    other = np.arange(256) ^ 3
    return Expected(y=flat(padded(x, 256)[:, other], n), z=flat(padded(k, 256)[:, other], n))


@kernel
def lds_dynamic_large(x, k, n, wave):
    return Expected(z=i32(3 * (14999 - np.arange(n))))


@kernel
def lds_ping_pong(x, k, n, wave):
    return Expected(z=i32(flat(np.cumsum(padded(k, 256), axis=1), n)))


# ---- launches and the runtime
@kernel
def template_kernel(x, k, n, wave):
    return Expected(y=4 * x, z=i32(-3 * k))


@kernel
def template_deduced(x, k, n, wave):
    return Expected(y=x[::-1], z=k[::-1])


@kernel
def launch_ggl(x, k, n, wave):
    return Expected(y=-x, z=i32(7 * k + 2))


@kernel
def launch_macro(x, k, n, wave):
    return Expected(y=x / 2, z=i32(k + 5))


@kernel
def launch_namespace(x, k, n, wave):
    return Expected(z=i32(k + len("a<<<1, 2>>>(b)")))


@kernel
def launch_pointer(x, k, n, wave):
    return Expected(z=i32(k + 10))


@kernel
def launch_arguments(x, k, n, wave):
    return Expected(y=np.float32(1.5) * x)


@kernel
def launch_two(x, k, n, wave):
    return Expected(y=2.0 * k[::-1], z=i32(2 * k))


@kernel
def launch_bounds(x, k, n, wave):
    return Expected(z=k[::-1])


@kernel
def launch_errors(x, k, n, wave):
    return Expected(z=np.full(n, 0x02020202, np.int32))


@kernel
def device_global(x, k, n, wave):
    return Expected(z=np.full(n, (k > 0).sum(), np.int32))


@kernel
def constant_memory(x, k, n, wave):
    return Expected(y=np.array([1, 2, 4, 8, -1, -2, -4, -8], np.float32)[k & 7] * x)


@kernel
def scratch_memory(x, k, n, wave):
    return Expected(y=2 * x, z=np.zeros(n, np.int32))


@kernel
def device_properties(x, k, n, wave):
    return Expected(y=np.zeros(n), z=np.full(n, wave, np.int32))


@kernel
def occupancy(x, k, n, wave):
    return Expected(z=i32(k + 1))


@kernel
def printf_kernel(x, k, n, wave):
    return Expected(z=k)


@kernel
def assert_kernel(x, k, n, wave):
    return Expected(z=np.ones(n, np.int32))


@kernel
def clock_kernel(x, k, n, wave):
    return Expected(y=np.zeros(n), z=np.ones(n, np.int32))


@kernel
def read_only_load(x, k, n, wave):
    return Expected(y=x + k.astype(np.float32))


@kernel
def matmul_tiled(x, k, n, wave):
    a, b = x[:500].reshape(20, 25).astype(np.float64), x[500:1000].reshape(25, 20).astype(np.float64)
    return Expected(y=(a @ b).reshape(-1), rtol=1e-5, atol=1e-5)


# ---- wave operations
@kernel
def shuffle_index(x, k, n, wave):
    return Expected(z=shuffled(k, np.arange(256) * 7 + 3, 256, wave))


@kernel
def shuffle_up(x, k, n, wave):
    lane = lanes(wave)
    return Expected(z=shuffled(k, np.where(lane < 3, lane, lane - 3), 256, wave))


@kernel
def shuffle_down(x, k, n, wave):
    lane = lanes(wave)
    return Expected(z=shuffled(k, np.where(lane + 5 >= wave, lane, lane + 5), 256, wave))


@kernel
def shuffle_xor(x, k, n, wave):
    return Expected(z=spread(waves(k, wave).max(1), wave, n))


@kernel
def shuffle_width(x, k, n, wave):
    lane = lanes(wave)
    a = shuffled(k, lane // 8 * 8 + 2, 256, wave)
    b = shuffled(k, np.where(lane % 16 < 1, lane, lane - 1), 256, wave)
    c = shuffled(k, np.where(lane % 8 == 7, lane, lane + 1), 256, wave)
    d = shuffled(k, lane ^ 4, 256, wave)
    return Expected(z=i32(a + 3 * b + 5 * c + 7 * d))


@kernel
def shuffle_types(x, k, n, wave):
    lane = lanes(wave)
    down = shuffled(k, np.where(lane + 1 >= wave, lane, lane + 1), 256, wave)
    up = shuffled(k, np.where(lane < 1, lane, lane - 1), 256, wave)
    return Expected(y=shuffled(k, lane ^ 1, 256, wave) * 0.125, z=i32(down + up))


@kernel
def shuffle_sync(x, k, n, wave):
    lane = lanes(wave)
    a = shuffled(k, np.full(256, 1), 256, wave)
    b = shuffled(k, np.where(lane + 2 >= wave, lane, lane + 2), 256, wave)
    c = shuffled(k, lane ^ 1, 256, wave)
    d = shuffled(k, np.where(lane < 1, lane, lane - 1), 256, wave)
    return Expected(z=i32(a + 3 * b + 5 * c + 7 * d))


@kernel
def ballot(x, k, n, wave):
    return Expected(z=i32(2 * spread((waves(k, wave) > 0).sum(1), wave, n) + (k > 0)))


@kernel
def ballot_sync(x, k, n, wave):
    return Expected(z=i32(spread((waves(k, wave) & 1).sum(1), wave, n)))


@kernel
def any_all(x, k, n, wave):
    w = waves(k, wave)
    return Expected(z=i32(spread((w > 990).any(1) + 2 * (w > -990).all(1), wave, n)))


@kernel
def any_all_sync(x, k, n, wave):
    w = waves(k, wave)
    return Expected(z=i32(spread((w > 980).any(1) + 2 * (w > -980).all(1), wave, n)))


@kernel
def active_mask(x, k, n, wave):
    return Expected(z=np.full(n, wave, np.int32))


@kernel
def match_any(x, k, n, wave):
    w = waves(k, wave) & 7
    return Expected(z=i32(flat((w[:, :, None] == w[:, None, :]).sum(2), n)))


@kernel
def partial_wave(x, k, n, wave):
    t = np.arange(n) % 100
    return Expected(z=i32(np.minimum(wave, 100 - t // wave * wave)))


@kernel
def first_wave_only(x, k, n, wave):
    rows = padded(k, 256)
    z = np.full(rows.shape, -7)
    z[:, :wave] = rows[:, :wave].sum(1, keepdims=True)
    return Expected(z=i32(flat(z, n)))


@kernel
def wave_reduce(x, k, n, wave):
    return Expected(z=i32(spread(waves(k, wave).sum(1), wave, n)))


@kernel
def wave_scan(x, k, n, wave):
    return Expected(z=i32(flat(np.cumsum(waves(k, wave), axis=1), n)))


@kernel
def block_reduce(x, k, n, wave):
    return Expected(z=i32(spread(padded(k, 256).sum(1), 256, n)))


@kernel
def barrier_count(x, k, n, wave):
    return Expected(z=i32(spread((padded(k, 256) > 0).sum(1), 256, n)))


@kernel
def barrier_vote(x, k, n, wave):
    rows = padded(k, 256)
    return Expected(z=i32(spread((rows > -1000).all(1) + 2 * (rows > 995).any(1), 256, n)))


@kernel
def last_block(x, k, n, wave):
    return Expected(y=2.0 * k, z=i32(2 * k))


# ---- atomics: z or y start at 0 unless said otherwise
@kernel
def atomic_add(x, k, n, wave):
    return Expected(z=i32(2 * np.bincount(k & 15, minlength=n)))


@kernel
def atomic_add_float(x, k, n, wave):
    return Expected(y=np.bincount(k & 7, weights=0.25 * (k & 63), minlength=n))


@kernel
def atomic_add_double(x, k, n, wave):
    sums = np.zeros(n // 2)
    sums[:8] = np.bincount(k & 7, weights=0.125 * k, minlength=8)
    return Expected(y=sums.view(np.float32))


@kernel
def atomic_min_max(x, k, n, wave):
    z = np.zeros(n, np.int32)
    z[:4] = k.min(), k.max(), k.min() + 5000, k.max() + 5000
    return Expected(z=z)


@kernel
def atomic_cas(x, k, n, wave):
    y = np.full(n, -1e30, np.float32)
    for r in range(4):
        y[r] = x[(k & 3) == r].max()
    return Expected(y=y)


@kernel
def atomic_exchange(x, k, n, wave):
    return Expected(z=np.array([n * (n - 1) // 2, 0], np.int32))


@kernel
def atomic_inc_dec(x, k, n, wave):
    z = np.zeros(n, np.int32)
    z[:2] = n % 7, (7 - n % 7) % 7
    return Expected(z=z)


@kernel
def atomic_bits(x, k, n, wave):
    z = np.zeros(n, np.int32)
    z[0] = np.bitwise_and.reduce(np.concatenate([[0xFFF0], k | 0xFF00]))
    z[1] = np.bitwise_or.reduce(1 << (k & 15))
    z[2] = np.bitwise_xor.reduce(k)
    return Expected(z=z)


@kernel
def atomic_64(x, k, n, wave):
    w = np.zeros(n // 2, np.uint64)
    w[0] = 3_000_000_000 * n
    w[1] = int(k.max() + 1000) << 33
    return Expected(z=w.view(np.int32))


@kernel
def atomic_lds(x, k, n, wave):
    parts = [np.bincount(k[b : b + 256] & 7, minlength=8)[k[b : b + 256] & 7] for b in range(0, n, 256)]
    return Expected(z=i32(np.concatenate(parts)))


# ---- cooperative groups
@kernel
def group_block(x, k, n, wave):
    return Expected(z=flat(padded(k, 256)[:, ::-1], n))


@kernel
def group_tile(x, k, n, wave):
    t = padded(padded(k, 256).reshape(-1), 8).astype(np.int64)
    up = np.concatenate([t[:, :1], t[:, :-1]], axis=1)
    down = np.concatenate([t[:, 1:], t[:, -1:]], axis=1)
    return Expected(z=i32(flat(t.sum(1, keepdims=True) + 3 * t[:, :1] + 5 * up + 7 * down + np.arange(8), n)))


@kernel
def group_tile_divergent(x, k, n, wave):
    t = padded(padded(k, 256).reshape(-1), 16)
    even = np.arange(len(t)) % 2 == 0
    return Expected(z=i32(spread(np.where(even, t.sum(1), t.max(1)), 16, n)))


@kernel
def group_coalesced(x, k, n, wave):
    return Expected(z=i32(2 * (k & 1)))


@kernel
def group_grid(x, k, n, wave):
    return Expected(y=2.0 * k[::-1], z=i32(2 * k))
