// Sizes, members and makers of the vector types.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const int4 a = make_int4(k[i], 1, 2, 3);
    const float2 b = make_float2(x[i], 2.0f);
    const uchar4 c = make_uchar4(1, 2, 3, (unsigned char)(k[i] & 255));
    const double2 d = make_double2(0.5, 0.25);
    const short2 e = make_short2((short)k[i], -1);
    const uint3 f = make_uint3(1u, 2u, 3u);
    const longlong2 g = make_longlong2(k[i], 5);
    y[i] = b.x * b.y + (float)(d.x + d.y);
    z[i] = a.x + a.y + a.z + a.w + c.x + c.w + e.x + e.y + (int)(f.x + f.y + f.z) + (int)(g.x + g.y) +
           100000 * (int)(sizeof(float4) + sizeof(uchar4) + sizeof(double2) + sizeof(float3) + sizeof(short2));
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
