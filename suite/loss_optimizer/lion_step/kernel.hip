// Lion step: one thread per parameter.
#include "operator.h"

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
lion_kernel(const scalar_t* grad, float lr, float beta1, float beta2, float weight_decay, scalar_t* param,
            scalar_t* exp_avg, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= count) return;
  const float g = to_float(grad[i]), m = to_float(exp_avg[i]);
  const float c = beta1 * m + (1.f - beta1) * g;
  const float sign = c > 0.f ? 1.f : c < 0.f ? -1.f : 0.f;
  param[i] = from_float<scalar_t>(to_float(param[i]) * (1.f - lr * weight_decay) - lr * sign);
  exp_avg[i] = from_float<scalar_t>(beta2 * m + (1.f - beta2) * g);
}

extern "C" void launch(const scalar_t* grad, float lr, float beta1, float beta2, float weight_decay, scalar_t* param,
                       scalar_t* exp_avg, int64_t count, hipStream_t stream) {
  lion_kernel<<<dim3((count + kThreads - 1) / kThreads), dim3(kThreads), 0, stream>>>(
      grad, lr, beta1, beta2, weight_decay, param, exp_avg, count);
}
