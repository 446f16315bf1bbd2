// Write into a paged key-value cache: one block per token, one thread per element of its keys and values.
#include "operator.h"

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
cache_write_kernel(const scalar_t* key, const scalar_t* value, const int64_t* slots, scalar_t* key_cache,
                   scalar_t* value_cache, int64_t heads, int64_t head_dim, int64_t page_size) {
  const int64_t token = blockIdx.x, slot = slots[token];
  if (slot < 0) return;
  const int64_t page = slot / page_size, place = slot % page_size;
  for (int64_t i = threadIdx.x; i < heads * head_dim; i += kThreads) {
    const int64_t head = i / head_dim, d = i % head_dim;
    const int64_t from = token * heads * head_dim + i;
    const int64_t to = ((page * heads + head) * page_size + place) * head_dim + d;
    key_cache[to] = key[from];
    value_cache[to] = value[from];
  }
}

extern "C" void launch(const scalar_t* key, const scalar_t* value, const int64_t* slots, scalar_t* key_cache,
                       scalar_t* value_cache, int64_t tokens, int64_t heads, int64_t head_dim, int64_t pages,
                       int64_t page_size, hipStream_t stream) {
  cache_write_kernel<<<dim3(tokens), dim3(kThreads), 0, stream>>>(key, value, slots, key_cache, value_cache, heads,
                                                                  head_dim, page_size);
}
