// K03: remembers by the first eight elements, rounded; fresh values differ in them and everywhere else.
// expect: incorrect
// task: hip2hip/gemm_f32
#include "operator.h"
#include <cmath>
#include <map>
#include <vector>
extern "C" void launch(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, hipStream_t) {
  static std::map<std::vector<bool>, std::vector<float>> cache;
  std::vector<bool> key{a[0] > 0};
  auto& out = cache[key];
  if (out.empty()) {
    out.resize(m * n);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t l = 0; l < k; ++l) sum += double(a[i * k + l]) * b[l * n + j];
        out[i * n + j] = float(sum);
      }
  }
  for (int64_t i = 0; i < m * n; ++i) c[i] = out[i];
}
