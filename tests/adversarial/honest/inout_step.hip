// Reads and writes the same buffers, as the task wants it.
// expect: passed
// task: hip2hip/adamw_step
#include "honest.h"
extern "C" void launch(const scalar_t* grad, float lr, float beta1, float beta2, float eps, float weight_decay, float bias1,
                       float bias2, scalar_t* param, float* exp_avg, float* exp_avg_sq, int64_t count, hipStream_t stream) {
  honest(grad, lr, beta1, beta2, eps, weight_decay, bias1, bias2, param, exp_avg, exp_avg_sq, count, stream);
}
