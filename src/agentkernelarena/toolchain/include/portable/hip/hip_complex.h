// HIP's complex numbers, the same on every platform: two floats or doubles, real part first.
#pragma once
#include <hip/hip_runtime.h>

typedef float2 hipFloatComplex;
typedef double2 hipDoubleComplex;
typedef hipFloatComplex hipComplex;

#define AKA_COMPLEX(f, Complex, Real, root, fused) \
  static __host__ __device__ inline Complex make_##Complex(Real re, Real im) { \
    Complex z; \
    z.x = re; \
    z.y = im; \
    return z; \
  } \
  static __host__ __device__ inline Real hipCreal##f(Complex z) { return z.x; } \
  static __host__ __device__ inline Real hipCimag##f(Complex z) { return z.y; } \
  static __host__ __device__ inline Complex hipConj##f(Complex z) { return make_##Complex(z.x, -z.y); } \
  static __host__ __device__ inline Real hipCsqabs##f(Complex z) { return z.x * z.x + z.y * z.y; } \
  static __host__ __device__ inline Real hipCabs##f(Complex z) { return root(z.x, z.y); } \
  static __host__ __device__ inline Complex hipCadd##f(Complex a, Complex b) { \
    return make_##Complex(a.x + b.x, a.y + b.y); \
  } \
  static __host__ __device__ inline Complex hipCsub##f(Complex a, Complex b) { \
    return make_##Complex(a.x - b.x, a.y - b.y); \
  } \
  static __host__ __device__ inline Complex hipCmul##f(Complex a, Complex b) { \
    return make_##Complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); \
  } \
  static __host__ __device__ inline Complex hipCdiv##f(Complex a, Complex b) { \
    const Real square = hipCsqabs##f(b); \
    return make_##Complex((a.x * b.x + a.y * b.y) / square, (a.y * b.x - a.x * b.y) / square); \
  } \
  static __host__ __device__ inline Complex hipCfma##f(Complex a, Complex b, Complex c) { \
    return make_##Complex(fused(a.x, b.x, fused(-a.y, b.y, c.x)), fused(a.x, b.y, fused(a.y, b.x, c.y))); \
  }
AKA_COMPLEX(f, hipFloatComplex, float, hypotf, fmaf)
AKA_COMPLEX(, hipDoubleComplex, double, hypot, fma)
#undef AKA_COMPLEX

static __host__ __device__ inline hipComplex make_hipComplex(float re, float im) { return make_hipFloatComplex(re, im); }
