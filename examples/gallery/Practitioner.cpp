// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bounds.h"
#include "Gallery.h"
#include "PrintedText.h"

#include "image/Image.h"

#include <numeric>

namespace nereid::gallery {
namespace {

// P1 to P3: three versions of one copy

/// Copies 1, 2, ... n two at a time into zeros; returns what the kernel printed.
std::string copyVector(Trial &trial, int64_t n, const Doubles &expected) {
  Values values(size_t(n), 0.0f);
  std::iota(values.begin(), values.end(), 1.0f);
  Input x = trial.given(DType::Int64, {n}, values);
  Array z = trial.zeroedOutput(DType::Int64, {n});
  std::string text = printedText(
      [&] { trial.launch({cdiv(n, 2)}, {{"x_ptr", x.array}, {"z_ptr", z}, {"n", n}, {"bs", 2}}); });
  trial.expect(z, expected);
  trial.setBytes(2 * 8 * n);
  if (!trial.isChecked() && !text.empty())
    trial.note("print_if printed outside the checked mode: " + text);
  return text;
}

void copyFirstBlock(Trial &trial, const Extents &size) {
  Doubles expected(size_t(size[0]), 0.0);
  expected[0] = 1;
  expected[1] = 2;
  copyVector(trial, size[0], expected);
}

void copyAll(Trial &trial, const Extents &size) {
  Doubles expected(size_t(size[0]), 0.0);
  std::iota(expected.begin(), expected.end(), 1.0);
  std::string text = copyVector(trial, size[0], expected);
  const char *documented = "pid = [0] | offs = [0 1], mask = [ True  True], x = [1 2]\n"
                           "pid = [1] | offs = [2 3], mask = [ True  True], x = [3 4]\n"
                           "pid = [2] | offs = [4 5], mask = [ True  True], x = [5 6]\n";
  if (trial.isChecked() && size[0] == 6 && text != documented)
    trial.note("print_if printed other lines than the documented ones:\n" + text);
}

// P4: greying a photograph

/// The samples of one colour after those of the other, as the kernel wants them.
Values planesOf(const examples::Image &image) {
  size_t pixels = size_t(image.width * image.height);
  Values planes(3 * pixels);
  for (size_t i = 0; i < 3 * pixels; ++i)
    planes[i % 3 * pixels + i / 3] = image.samples[i];
  return planes;
}

void writeAndCompare(Trial &trial, const std::string &path, const Array &grey) {
  const std::vector<int64_t> &shape = grey.shape();
  examples::writeImage(path, {shape[1], shape[0], 1, grey.toVector<uint8_t>()});
  examples::Image written = examples::readImage(path);
  std::vector<uint8_t> samples = grey.toVector<uint8_t>();
  bool isPng = path.ends_with(".png");
  for (size_t i = 0; isPng && i < written.samples.size(); ++i)
    if (written.samples[i] != samples[i / 3])
      return trial.note("'" + path + "' does not hold the picture that was written");
}

void greyPhoto(Trial &trial, const Pictures &pictures) {
  examples::Image photo = examples::readImage(pictures.photo);
  int64_t height = photo.height, width = photo.width;
  trial.setSize(sizeText({height, width}) + " photo");
  Input planes = trial.given(DType::UInt8, {3, height, width}, planesOf(photo));
  Array grey = trial.output(DType::UInt8, {height, width});
  trial.launch({cdiv(height, 32), cdiv(width, 32)}, {{"x_ptr", planes.array},
                                                     {"out_ptr", grey},
                                                     {"h", height},
                                                     {"w", width},
                                                     {"bs0", 32},
                                                     {"bs1", 32}});
  trial.expect(grey, reference::grey(planes.values), bound::grey(planes.values));
  trial.setBytes(4 * height * width);
  if (!pictures.picture.empty())
    writeAndCompare(trial, pictures.picture, grey);
}

// P5 to P8: matrix product, with the offsets and masks of P5

void launchMatmul(Trial &trial, const Array &a, const Array &b, const Array &c, int64_t block,
                  const Arguments &more) {
  int64_t m = c.shape()[0], n = c.shape()[1], k = a.shape()[1];
  Arguments arguments = {{"a_ptr", a},     {"b_ptr", b},     {"c_ptr", c},     {"m", m},
                         {"n", n},         {"k", k},         {"stride_am", k}, {"stride_ak", 1},
                         {"stride_bk", n}, {"stride_bn", 1}, {"stride_cm", n}, {"stride_cn", 1},
                         {"bm", block},    {"bn", block},    {"bk", block}};
  arguments.insert(arguments.end(), more.begin(), more.end());
  trial.launch({cdiv(m, block), cdiv(n, block)}, arguments);
}

void matmul(Trial &trial, const Extents &size, const Arguments &more = {}) {
  int64_t m = size[0], n = size[1], k = size[2];
  Input a = trial.normal({m, k}, DType::Float16), b = trial.normal({k, n}, DType::Float16);
  Array c = trial.output(DType::Float16, {m, n});
  launchMatmul(trial, a.array, b.array, c, 16, more);
  expectProduct(trial, c, a.values, b.values, m, n, k);
}

void naiveMatmul(Trial &trial, const Extents &size) { matmul(trial, size); }
void groupedMatmul(Trial &trial, const Extents &size) { matmul(trial, size, {{"group_sz", 32}}); }

/// Ones of this shape at the head of an array of zeros as long as the kernel's loads, which have no
/// mask, can reach.
Array onesBeforeZeros(Trial &trial, int64_t rows, int64_t cols, int64_t block) {
  Values values(size_t((block + 1) * (cols + block)), 0.0f);
  std::fill_n(values.begin(), rows * cols, 1.0f);
  Array whole = trial.given(DType::Float32, {int64_t(values.size())}, values).array;
  trial.keepAlive(whole);
  return trial.device().borrow(whole.data(), DType::Float32, {rows, cols});
}

/// The document's 3 x 4 by 4 x 5 ones: the loads leave the arrays, which the checked executor
/// reports. The compiled kernel gets arrays with zeros behind them and so the right result.
void matmulOfOnes(Trial &trial, const Arguments &more) {
  Array a = onesBeforeZeros(trial, 3, 4, 16), b = onesBeforeZeros(trial, 4, 5, 16);
  Array c = trial.output(DType::Float16, {3, 5});
  auto launch = [&] { launchMatmul(trial, a, b, c, 16, more); };
  if (trial.isChecked())
    return trial.expectError(Error::Kind::Checked,
                             {"practitioner.py:", "tl.load(offs_a)", "a_ptr[", "tl.load(offs_b)",
                              "b_ptr[", "program (0, 0, 0)"},
                             launch);
  launch();
  trial.expect(c, Doubles(15, 4.0));
}

void naiveMatmulOfOnes(Trial &trial, const Extents &) { matmulOfOnes(trial, {}); }
void groupedMatmulOfOnes(Trial &trial, const Extents &) { matmulOfOnes(trial, {{"group_sz", 4}}); }

void swizzle(Trial &trial, const Extents &size) {
  int64_t rows = size[0], cols = size[1], group = size[2];
  trial.setSize(sizeText({rows, cols}) + " group " + std::to_string(group));
  Values range(size_t(rows * cols), 0.0f);
  std::iota(range.begin(), range.end(), 0.0f);
  Input x = trial.given(DType::Int64, {rows, cols}, range);
  Array z = trial.output(DType::Int64, {rows, cols});
  trial.launch({rows, cols}, {{"x_ptr", x.array}, {"z_ptr", z}, {"group_sz", group}});
  trial.expect(z, reference::groupedOrder(rows, cols, group));
}

} // namespace

Listings practitionerListings(const Pictures &pictures) {
  const std::string file = "practitioner.py";
  auto grey = [=](Trial &trial, const Extents &) { greyPhoto(trial, pictures); };
  return {
      {"P1", "practitioner_copy_1.py", "copy_k", copyFirstBlock, {{6}}, {}, ""},
      {"P2", "practitioner_copy_2.py", "copy_k", copyFirstBlock, {{6}}, {}, ""},
      {"P3", "practitioner_copy_3.py", "copy_k", copyAll, {{6}, {7}}, {}, ""},
      {"P4", file, "rgb2grey_k", grey, {Extents()}, {}, ""},
      {"P6", file, "naive_matmul_k", naiveMatmul, {{64, 64, 64}}, {{512, 512, 512}}, ""},
      {"P6", file, "naive_matmul_k", naiveMatmulOfOnes, {{3, 5, 4}}, {}, "ones"},
      {"P7", file, "swizzle_k", swizzle, {{5, 4, 3}, {7, 3, 2}}, {}, ""},
      {"P8", file, "grouped_matmul_k", groupedMatmul, {{64, 64, 64}}, {{512, 512, 512}}, ""},
      {"P8", file, "grouped_matmul_k", groupedMatmulOfOnes, {{3, 5, 4}}, {}, "ones"},
  };
}

} // namespace nereid::gallery
