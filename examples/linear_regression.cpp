// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The notebook's linear regression: y = w^T x + b, trained by stochastic gradient descent. A kernel
// computes the weighted sums of the forward pass, another one their gradients.
#include "nereid/nereid.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>

namespace {

constexpr int64_t trainSamples = 800, validationSamples = 200, inputDim = 128;
constexpr int epochs = 100;
constexpr int64_t batchSize = 64;
constexpr float learningRate = 0.01f, noise = 0.1f;

struct Data {
  std::vector<float> x; ///< samples by inputDim
  std::vector<float> y;
  int64_t samples() const { return int64_t(y.size()); }
};

struct Parameters {
  std::vector<float> weight;
  float bias = 0;
};

std::vector<float> normalValues(int64_t count, float deviation, std::mt19937_64 &random) {
  std::normal_distribution<float> distribution(0, deviation);
  std::vector<float> values(static_cast<size_t>(count));
  std::generate(values.begin(), values.end(), [&] { return distribution(random); });
  return values;
}

Data generateData(int64_t samples, const Parameters &truth, std::mt19937_64 &random) {
  Data data{normalValues(samples * inputDim, 1, random), normalValues(samples, noise, random)};
  for (int64_t i = 0; i < samples; ++i)
    data.y[i] += std::inner_product(truth.weight.begin(), truth.weight.end(),
                                    data.x.begin() + i * inputDim, truth.bias);
  return data;
}

/// The model on a device. Its arrays lie over the host's memory, so nothing is copied.
class Model {
public:
  Model(const nereid::Device &device, Parameters initial)
      : parameters(std::move(initial)), device(device), weight(over(parameters.weight)),
        weightGradient(device.empty(nereid::DType::Float32, {inputDim})),
        xGradient(device.empty(nereid::DType::Float32, {batchSize, inputDim})) {
    auto module = nereid::Module::load(NEREID_SOURCE_DIR "/kernels/notebook.py");
    forward = std::make_unique<nereid::Kernel>(module.kernel("weighted_sum_fwd"));
    backward = std::make_unique<nereid::Kernel>(module.kernel("weighted_sum_bwd"));
  }

  std::vector<float> predict(const float *x, int64_t samples);
  /// One step of gradient descent; returns the mean squared error before it.
  double step(const float *x, const float *y, int64_t samples);

  Parameters parameters;

private:
  nereid::Array over(std::vector<float> &values) {
    return device.borrow(values.data(), nereid::DType::Float32, {int64_t(values.size())});
  }
  nereid::Array rowsAt(const float *x, int64_t samples) {
    return device.borrow(const_cast<float *>(x), nereid::DType::Float32, {samples, inputDim});
  }

  nereid::Device device;
  nereid::Array weight, weightGradient, xGradient;
  std::unique_ptr<nereid::Kernel> forward, backward;
};

std::vector<float> Model::predict(const float *x, int64_t samples) {
  std::vector<float> result(static_cast<size_t>(samples));
  forward->launch(device, {nereid::cdiv(samples, 16)},
                  {{"x_ptr", rowsAt(x, samples)},
                   {"weight_ptr", weight},
                   {"output_ptr", over(result)},
                   {"x_stride_row", inputDim},
                   {"x_stride_dim", 1},
                   {"weight_stride_dim", 1},
                   {"output_stride_row", 1},
                   {"ROWS", samples},
                   {"D", inputDim},
                   {"ROWS_TILE_SIZE", 16},
                   {"D_TILE_SIZE", 64}});
  for (float &value : result)
    value += parameters.bias;
  return result;
}

double Model::step(const float *x, const float *y, int64_t samples) {
  std::vector<float> gradient = predict(x, samples); // becomes that of the loss
  double loss = 0, biasGradient = 0;
  for (int64_t i = 0; i < samples; ++i) {
    float difference = gradient[i] - y[i];
    loss += double(difference) * difference / double(samples);
    gradient[i] = 2 * difference / float(samples);
    biasGradient += gradient[i];
  }
  backward->launch(device, {nereid::cdiv(inputDim, 32)},
                   {{"x_ptr", rowsAt(x, samples)},
                    {"weight_ptr", weight},
                    {"grad_output_ptr", over(gradient)},
                    {"grad_x_ptr", xGradient},
                    {"grad_weight_ptr", weightGradient},
                    {"x_stride_row", inputDim},
                    {"x_stride_dim", 1},
                    {"weight_stride_dim", 1},
                    {"grad_output_stride_row", 1},
                    {"grad_x_stride_row", inputDim},
                    {"grad_x_stride_dim", 1},
                    {"grad_weight_stride_dim", 1},
                    {"ROWS", samples},
                    {"D", inputDim},
                    {"ROWS_TILE_SIZE", 16},
                    {"D_TILE_SIZE", 32}});
  std::vector<float> descent = weightGradient.toVector<float>();
  for (int64_t i = 0; i < inputDim; ++i)
    parameters.weight[i] -= learningRate * descent[i];
  parameters.bias -= learningRate * float(biasGradient);
  return loss;
}

double trainEpoch(Model &model, const Data &data, std::mt19937_64 &random) {
  std::vector<int64_t> order(static_cast<size_t>(data.samples()));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  Data shuffled;
  for (int64_t sample : order) {
    auto row = data.x.begin() + sample * inputDim;
    shuffled.x.insert(shuffled.x.end(), row, row + inputDim);
    shuffled.y.push_back(data.y[sample]);
  }
  double loss = 0;
  for (int64_t start = 0; start < data.samples(); start += batchSize)
    loss += model.step(&shuffled.x[start * inputDim], &shuffled.y[start],
                       std::min(batchSize, data.samples() - start));
  return loss / double(nereid::cdiv(data.samples(), batchSize));
}

struct Score {
  double loss, r2;
};

Score validate(Model &model, const Data &data) {
  std::vector<float> predicted = model.predict(data.x.data(), data.samples());
  double mean = std::accumulate(data.y.begin(), data.y.end(), 0.0) / double(data.samples());
  double residual = 0, total = 0;
  for (int64_t i = 0; i < data.samples(); ++i) {
    residual += std::pow(data.y[i] - predicted[i], 2);
    total += std::pow(data.y[i] - mean, 2);
  }
  return {residual / double(data.samples()), 1 - residual / total};
}

double norm(const std::vector<float> &values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

void compare(const Parameters &learned, const Parameters &truth) {
  double squares = 0, absolutes = 0;
  for (int64_t i = 0; i < inputDim; ++i) {
    double difference = learned.weight[i] - truth.weight[i];
    squares += difference * difference;
    absolutes += std::abs(difference);
  }
  std::printf("\nParameter comparison: learned and true\n"
              "  True weight norm:         %.6f\n"
              "  Learned weight norm:      %.6f\n"
              "  Weight MSE:               %.6f\n"
              "  Weight MAE:               %.6f\n"
              "  True bias:                %.6f\n"
              "  Learned bias:             %.6f\n"
              "  Bias absolute difference: %.6f\n",
              norm(truth.weight), norm(learned.weight), squares / inputDim, absolutes / inputDim,
              truth.bias, learned.bias, std::abs(learned.bias - truth.bias));
}

int train() {
  std::mt19937_64 random(42);
  Parameters truth{normalValues(inputDim, 1, random), normalValues(1, 1, random)[0]};
  Data train = generateData(trainSamples, truth, random);
  Data validation = generateData(validationSamples, truth, random);

  Model model(nereid::Device::open("cpu"), {normalValues(inputDim, 0.01f, random), 0});
  Score score{};
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    double loss = trainEpoch(model, train, random);
    score = validate(model, validation);
    if (epoch % 10 == 0 || epoch == 1)
      std::printf("Epoch %d/%d: Train Loss = %.4f, Val Loss = %.4f, Val R^2 = %.4f\n", epoch,
                  epochs, loss, score.loss, score.r2);
  }
  compare(model.parameters, truth);
  return score.r2 > 0.99 ? 0 : 1;
}

} // namespace

int main() {
  try {
    return train();
  } catch (const nereid::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
