#include <hip/hip_runtime.h>
// hipDeviceSynchronize();  decoy
/* __global__ void decoy1(int) {} 
   decoy1<<<1,1>>>(); */
static const char *s = "hipMalloc(&x); k<<<1,2>>>()  // not";
static const char *r = R"x(
hipDeviceSynchronize(); )" /* )x";
#define CHECK(x) do { auto e_ = (x); if (e_) abort(); } while (0)
#define LAUNCH(k, n) k<<<(n + 255) / 256, 256>>>(n)
#if 0
__global__ void dead(int) { hipFree(0); }
#else
template <typename T, int N = (1 > 0)>
__global__ void __launch_bounds__(256, 2) saxpy(T *x, int n)
{
    for (int i = 0; i < n; i++) x[i] = 1'000;
}
#endif
namespace a { namespace b {
__global__ void __attribute__((amdgpu_waves_per_eu(2))) other(float *p);
__global__ static void other(float *p) { p[0] = 1; }
} }
hipError_t hipMalloc(void **p, size_t n);
struct Solver {
    Solver(int n) : n_(n), m_{2} { CHECK(hipMalloc(&p_, n)); }
    void step(hipStream_t st) {
        for (int i = 0; i < 10; i++)
            saxpy<float, 4><<<dim3(n_ / 256), 256, 0, st>>>(p_, n_);
        while (hipStreamQuery(st) != hipSuccess) { }
        do {
            CHECK(hipDeviceSynchronize());
        } while (go());
        hipLaunchKernelGGL((a::b::other), dim3(1), dim3(64), 0, st, p_);
        hipLaunchKernelGGL(HIP_KERNEL_NAME(saxpy<float, 2>), dim3(1, 2), 64, 0, 0, p_);
#ifdef FOO
        for (auto &x : xs) {
#else
        for (int j = 0; j < 3; j++) {
#endif
            hipMemcpy(a, b, n, hipMemcpyDeviceToHost);
        }
        hipMemcpyAsync(a, b, n, hipMemcpyDeviceToHost, st);
        if (x) for (;;) if (y) hipFree(p_); else { hipFree(q_); }
        hipFree(z_);
    }
    int n_, m_; float *p_;
};
int main() { Solver s(3); roctxRangePush("main // step"); s.step(0); rocblas_dgemm(h, 1); rocblas_int n = rocblas_int(3);
  #pragma omp target teams distribute parallel for
  for (int i = 0; i < 3; i++) ;
  MPI_Init(0, 0);
}
