// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as kernels.py in CUDA C++, timed as time_kernels.py does: name, milliseconds of the best
// of 20 launches. All inputs are zero, on which none of these kernels but one depends for its time:
// the histogram's places are spread like those of compare.py.
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int side = 16, threads = 256, bins = 64;

__global__ void transpose(float *out, const float *a, long rows, long columns) {
  __shared__ float square[side][side + 1];
  int column = threadIdx.x, row = threadIdx.y;
  long left = blockIdx.x * side, top = blockIdx.y * side;
  if (top + row < rows && left + column < columns)
    square[row][column] = a[(top + row) * columns + left + column];
  __syncthreads();
  if (left + row < columns && top + column < rows)
    out[(left + row) * rows + top + column] = square[column][row];
}

__global__ void product(float *out, const float *a, const float *b, long m, long depth, long n) {
  __shared__ float ofA[side][side], ofB[side][side];
  int column = threadIdx.x, row = threadIdx.y;
  long j = blockIdx.x * side + column, i = blockIdx.y * side + row;
  float total = 0;
  for (long begin = 0; begin < depth; begin += side) {
    ofA[row][column] = i < m && begin + column < depth ? a[i * depth + begin + column] : 0;
    ofB[row][column] = begin + row < depth && j < n ? b[(begin + row) * n + j] : 0;
    __syncthreads();
    for (int k = 0; k < side; ++k)
      total += ofA[row][k] * ofB[k][column];
    __syncthreads();
  }
  if (i < m && j < n)
    out[i * n + j] = total;
}

__global__ void histogram(int *out, const double *a, long n, double low, double high) {
  __shared__ int counts[bins];
  int t = threadIdx.x;
  if (t < bins)
    counts[t] = 0;
  __syncthreads();
  double scale = bins / (high - low);
  for (long i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    long place = long((a[i] - low) * scale);
    if (place >= 0 && place < bins)
      atomicAdd(&counts[place], 1);
  }
  __syncthreads();
  if (t < bins)
    atomicAdd(&out[t], counts[t]);
}

__global__ void total(float *out, const float *a, long n) {
  __shared__ float partial[threads];
  int t = threadIdx.x;
  float own = 0;
  for (long i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
    own += a[i];
  partial[t] = own;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (t < half)
      partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0)
    atomicAdd(out, partial[0]);
}

__global__ void prefix_sums(int *out, const int *a, long n) {
  __shared__ int sums[threads];
  int t = threadIdx.x;
  long i = blockIdx.x * blockDim.x + t;
  sums[t] = i < n ? a[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < threads; distance *= 2) {
    int before = t >= distance ? sums[t - distance] : 0;
    __syncthreads();
    sums[t] += before;
    __syncthreads();
  }
  if (i < n)
    out[i] = sums[t];
}

__global__ void mandelbrot(int *out, long height, long width, double left, double right,
                           double bottom, double top, long most) {
  long j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= height || j >= width)
    return;
  double cReal = left + j * (right - left) / width, cImag = bottom + i * (top - bottom) / height;
  double real = 0, imag = 0;
  long rounds = 0;
  while (rounds < most && real * real + imag * imag < 4) {
    double next = real * real - imag * imag + cReal;
    imag = 2 * real * imag + cImag;
    real = next;
    ++rounds;
  }
  out[i * width + j] = int(rounds);
}

__device__ double normalBelow(double x) { return 0.5 * erfc(-x * 0.7071067811865476); }

__global__ void options(double *call, double *put, const double *price, const double *strike,
                        const double *years, long n, double rate, double volatility) {
  long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double spread = volatility * sqrt(years[i]);
  double upper =
      (log(price[i] / strike[i]) + (rate + volatility * volatility / 2) * years[i]) / spread;
  double lower = upper - spread, owed = strike[i] * exp(-rate * years[i]);
  call[i] = price[i] * normalBelow(upper) - owed * normalBelow(lower);
  put[i] = owed * normalBelow(-lower) - price[i] * normalBelow(-upper);
}

__global__ void forces(float *out, const float *bodies, long n, float soft) {
  __shared__ float near[threads][4];
  int t = threadIdx.x;
  long i = blockIdx.x * blockDim.x + t;
  float x = bodies[i * 4], y = bodies[i * 4 + 1], z = bodies[i * 4 + 2];
  float fx = 0, fy = 0, fz = 0;
  for (long begin = 0; begin < n; begin += threads) {
    for (int k = 0; k < 4; ++k)
      near[t][k] = bodies[(begin + t) * 4 + k];
    __syncthreads();
    for (int j = 0; j < threads; ++j) {
      float dx = near[j][0] - x, dy = near[j][1] - y, dz = near[j][2] - z;
      float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + soft);
      float strength = near[j][3] * inverse * inverse * inverse;
      fx += strength * dx;
      fy += strength * dy;
      fz += strength * dz;
    }
    __syncthreads();
  }
  out[i * 3] = fx;
  out[i * 3 + 1] = fy;
  out[i * 3 + 2] = fz;
}

__global__ void diffusion(double *out, const double *a, long rows, long columns) {
  long j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= 1 && j >= 1 && i < rows - 1 && j < columns - 1)
    out[i * columns + j] = 0.25 * (a[(i - 1) * columns + j] + a[(i + 1) * columns + j] +
                                   a[i * columns + j - 1] + a[i * columns + j + 1]);
}

/// Of launches that wait for one before, so that the GPU does not wait for who launches.
template <typename Launch> void measure(const char *name, Launch launch) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  launch();
  float best = 1e30f;
  for (int i = 0; i < 20; ++i) {
    launch();
    cudaEventRecord(begin);
    launch();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float milliseconds;
    cudaEventElapsedTime(&milliseconds, begin, end);
    best = std::min(best, milliseconds);
  }
  cudaError_t error = cudaGetLastError();
  std::printf("%s %.5f 0%s\n", name, best, error ? " WRONG launch" : "");
}

/// Numbers from 0 to 1 and above, of which none is zero.
template <typename T> T *spread(size_t count) {
  std::vector<T> values(count);
  unsigned state = 28;
  for (T &value : values) {
    state = state * 1664525u + 1013904223u;
    value = T((state >> 8) + 1) / T(1 << 24);
  }
  T *there;
  cudaMalloc(&there, count * sizeof(T));
  cudaMemcpy(there, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  return there;
}

template <typename T> T *zeros(size_t count) {
  T *there;
  cudaMalloc(&there, count * sizeof(T));
  cudaMemset(there, 0, count * sizeof(T));
  return there;
}

int main() {
  dim3 block(side, side);
  long n = 8192;
  auto *f = spread<float>(n * n);
  auto *fOut = zeros<float>(n * n);
  measure("transpose", [&] { transpose<<<dim3(n / side, n / side), block>>>(fOut, f, n, n); });
  n = 2048;
  measure("product", [&] { product<<<dim3(n / side, n / side), block>>>(fOut, f, f, n, n, n); });
  n = 1 << 26;
  auto *d = spread<double>(n);
  auto *iOut = zeros<int>(n);
  measure("histogram", [&] { histogram<<<1056, threads>>>(iOut, d, n, 0, 1); });
  measure("total", [&] { total<<<1056, threads>>>(fOut, f, n); });
  n = 1 << 24;
  auto *in = zeros<int>(n);
  measure("prefix_sums", [&] { prefix_sums<<<n / threads, threads>>>(iOut, in, n); });
  long size = 4096;
  measure("mandelbrot", [&] {
    mandelbrot<<<dim3(size / side, size / side), block>>>(iOut, size, size, -2, 0.6, -1.2, 1.2, 256);
  });
  auto *dOut = zeros<double>(4 * n);
  measure("options", [&] {
    options<<<n / threads, threads>>>(dOut, dOut + n, d, d + n, d + 2 * n, n, 0.02, 0.3);
  });
  long bodies = 32768;
  measure("forces", [&] { forces<<<bodies / threads, threads>>>(fOut, f, bodies, 0.01f); });
  n = 8192;
  measure("diffusion", [&] {
    diffusion<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(dOut, d, n, n);
  });
}
