// No kernel: conversions between number types on the host, so that their values can be checked without a GPU.
#include <hip/hip_bf16.h>
#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_fp8.h>
#include <hip/hip_runtime.h>

// kind 0 to 3: the 8-bit formats in the order of __hip_fp8_interpretation_t, saturating where asked.
extern "C" void encode_fp8(const float* x, unsigned char* codes, int64_t n, int kind, int saturate) {
  for (int64_t i = 0; i < n; ++i) {
    codes[i] = __hip_cvt_float_to_fp8(x[i], static_cast<__hip_saturation_t>(saturate), static_cast<__hip_fp8_interpretation_t>(kind));
  }
}

template <typename T>
static void decode(float* y) {
  for (int code = 0; code < 256; ++code) {
    T v;
    v.__x = static_cast<__hip_fp8_storage_t>(code);
    y[code] = static_cast<float>(v);
  }
}
extern "C" void decode_fp8(float* y, int kind) {
  if (kind == 0) decode<__hip_fp8_e4m3>(y);
  if (kind == 1) decode<__hip_fp8_e5m2>(y);
  if (kind == 2) decode<__hip_fp8_e4m3_fnuz>(y);
  if (kind == 3) decode<__hip_fp8_e5m2_fnuz>(y);
}

// y = x rounded to half, to bfloat16 by the newer type, and to bfloat16 by the older.
extern "C" void launch(const float* x, float* half, float* newer, float* older, int64_t n, hipStream_t) {
  for (int64_t i = 0; i < n; ++i) {
    half[i] = __half2float(__float2half(x[i]));
    newer[i] = __bfloat162float(__float2bfloat16(x[i]));
    older[i] = static_cast<float>(hip_bfloat16(x[i]));
  }
}
