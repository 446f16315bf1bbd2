// AdamW step: one thread per parameter.
#include "operator.h"

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
adamw_kernel(const scalar_t* grad, float lr, float beta1, float beta2, float eps, float weight_decay, float bias1,
             float bias2, scalar_t* param, float* exp_avg, float* exp_avg_sq, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= count) return;
  const float g = to_float(grad[i]);
  const float m = beta1 * exp_avg[i] + (1.f - beta1) * g;
  const float v = beta2 * exp_avg_sq[i] + (1.f - beta2) * g * g;
  const float update = (m / bias1) / (sqrtf(v / bias2) + eps);
  const float p = to_float(param[i]) * (1.f - lr * weight_decay) - lr * update;
  param[i] = from_float<scalar_t>(p);
  exp_avg[i] = m;
  exp_avg_sq[i] = v;
}

extern "C" void launch(const scalar_t* grad, float lr, float beta1, float beta2, float eps, float weight_decay,
                       float bias1, float bias2, scalar_t* param, float* exp_avg, float* exp_avg_sq, int64_t count,
                       hipStream_t stream) {
  adamw_kernel<<<dim3((count + kThreads - 1) / kThreads), dim3(kThreads), 0, stream>>>(
      grad, lr, beta1, beta2, eps, weight_decay, bias1, bias2, param, exp_avg, exp_avg_sq, count);
}
