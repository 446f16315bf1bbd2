// The host calls that launchers use: memory, streams, events, graphs, attributes, occupancy, cooperative launches, errors.
#include <hip/hip_runtime.h>

#include <cstdio>

#define CHECK(call) \
  do { \
    const hipError_t status = (call); \
    if (status != hipSuccess) fprintf(stderr, "%s: %s\n", hipGetErrorName(status), hipGetErrorString(status)); \
  } while (0)

__constant__ float table[4];

template <int factor>
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * factor * table[i & 3];
}

extern "C" void launch(const float* x, float* y, int* z, int64_t n, hipStream_t stream) {
  int device = 0, wave = 0, blocks = 0, grid = 0, block = 0;
  hipDeviceProp_t properties;
  CHECK(hipGetDevice(&device));
  CHECK(hipGetDeviceProperties(&properties, device));
  CHECK(hipDeviceGetAttribute(&wave, hipDeviceAttributeWarpSize, device));
  CHECK(hipDeviceGetAttribute(&wave, hipDeviceAttributeMultiprocessorCount, device));
  CHECK(hipFuncSetAttribute(reinterpret_cast<const void*>(&scale<2>), hipFuncAttributeMaxDynamicSharedMemorySize, 49152));
  hipFuncAttributes attributes;
  CHECK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&scale<2>)));
  CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale<2>, 256, 0));
  CHECK(hipOccupancyMaxPotentialBlockSize(&grid, &block, scale<2>, 0, 0));

  void* scratch = nullptr;
  float* pinned = nullptr;
  CHECK(hipMallocAsync(&scratch, 1024, stream));
  CHECK(hipHostMalloc(reinterpret_cast<void**>(&pinned), 1024, hipHostMallocDefault));
  const float values[4] = {1.0f, 2.0f, 3.0f, 4.0f};
  CHECK(hipMemcpyToSymbolAsync(HIP_SYMBOL(table), values, sizeof values, 0, hipMemcpyHostToDevice, stream));
  CHECK(hipMemcpyAsync(scratch, pinned, 1024, hipMemcpyHostToDevice, stream));
  CHECK(hipMemsetAsync(z, 0, n * sizeof *z, stream));
  CHECK(hipMemsetD32Async(reinterpret_cast<hipDeviceptr_t>(z), 7, 3, stream));

  hipEvent_t event;
  CHECK(hipEventCreateWithFlags(&event, hipEventDisableTiming));
  CHECK(hipEventRecord(event, stream));
  CHECK(hipStreamWaitEvent(stream, event, 0));
  hipGraph_t graph;
  hipGraphExec_t executable;
  CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
  hipLaunchKernelGGL(HIP_KERNEL_NAME(scale<2>), dim3(3), dim3(256), 0, stream, x, y, static_cast<int>(n));
  CHECK(hipStreamEndCapture(stream, &graph));
  CHECK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  CHECK(hipGraphLaunch(executable, stream));
  CHECK(hipGraphExecDestroy(executable));
  CHECK(hipGraphDestroy(graph));

  int count = static_cast<int>(n);
  void* arguments[] = {&x, &y, &count};
  CHECK(hipLaunchKernel(reinterpret_cast<const void*>(&scale<3>), dim3(1), dim3(256), arguments, 0, stream));
  CHECK(hipLaunchCooperativeKernel(reinterpret_cast<const void*>(&scale<3>), dim3(1), dim3(256), arguments, 0, stream));
  CHECK(hipFreeAsync(scratch, stream));
  CHECK(hipHostFree(pinned));
  CHECK(hipEventDestroy(event));
  CHECK(hipGetLastError());
}
