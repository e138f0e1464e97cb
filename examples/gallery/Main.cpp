// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nereid-gallery: runs the kernels of the four documents, compares each with a reference in double
// precision and prints a table.
#include "Table.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace nereid;
using namespace nereid::gallery;

namespace {

struct Options {
  std::string device = "both", filter, kernels = NEREID_SOURCE_DIR "/kernels";
  Pictures pictures{NEREID_SOURCE_DIR "/examples/data/grace_hopper.jpg", ""};
  bool isQuick = false, isMarkdown = false;
  /// Where PTX goes, and what for, instead of running anything.
  std::string ptx, target = "sm_90a";
};

/// Where the run stands, on the last line of a terminal.
class Progress {
public:
  explicit Progress(size_t total) : total(total), isShown(isatty(STDERR_FILENO)) {}
  void show(const std::string &what) {
    ++done;
    if (isShown)
      std::fprintf(stderr, "\r\033[K[%zu/%zu] %s", done, total, what.c_str());
  }
  void clear() const {
    if (isShown)
      std::fprintf(stderr, "\r\033[K");
  }

private:
  size_t total, done = 0;
  bool isShown;
};

/// One row of the table to come.
struct Job {
  const Listing *listing;
  Extents size;
  std::string executor;
};

Listings allListings(const Pictures &pictures) {
  Listings all;
  for (const Listings &some :
       {notebookListings(), notebookThreadListings(), guideListings(), guideElementListings(),
        readmeListings(), practitionerListings(pictures), tunedListings()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::vector<Job> planJobs(const Listings &listings, const Options &options) {
  std::vector<Job> jobs;
  std::vector<std::string> executors = {options.device};
  if (options.device == "both")
    executors = {"cpu", "check"};
  for (const Listing &listing : listings) {
    if ((listing.id + " " + listing.kernel).find(options.filter) == std::string::npos)
      continue;
    for (const std::string &executor : executors) {
      for (const Extents &size : listing.small)
        jobs.push_back({&listing, size, executor});
      for (const Extents &size : listing.large)
        if (!options.isQuick && executor != "check")
          jobs.push_back({&listing, size, executor});
    }
  }
  return jobs;
}

Result runJob(const Job &job, const Device &device, const std::string &kernels) {
  Trial trial(device, kernels + "/" + job.listing->file, job.listing->kernel);
  trial.setSize(sizeText(job.size));
  try {
    job.listing->run(trial, job.size);
    if (trial.result().problem.empty())
      trial.measure();
  } catch (const std::exception &error) {
    trial.note(error.what());
  }
  return trial.result();
}

int runGallery(const Options &options) {
  auto start = std::chrono::steady_clock::now();
  Listings listings = allListings(options.pictures);
  std::vector<Job> jobs = planJobs(listings, options);
  if (jobs.empty())
    throw Error(Error::Kind::Usage,
                "no listing or kernel has '" + options.filter + "' in its name");
  std::map<std::string, Device> devices;
  Progress progress(jobs.size());
  Table table(options.isMarkdown, isatty(STDOUT_FILENO));
  table.printHead();
  for (const Job &job : jobs) {
    progress.show(job.listing->id + " " + job.listing->kernel + " " + sizeText(job.size));
    auto device = devices.find(job.executor);
    if (device == devices.end())
      device = devices.emplace(job.executor, Device::open(job.executor)).first;
    Result result = runJob(job, device->second, options.kernels);
    progress.clear();
    table.printRow(*job.listing, job.executor, result);
  }
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  table.printFoot(elapsed.count());
  return table.wrongRows() ? 1 : 0;
}

/// "G4-tensor_2d_kernel-3x5.ptx"
std::filesystem::path ptxPath(const Job &job, const std::string &directory) {
  return std::filesystem::path(directory) /
         (job.listing->id + "-" + job.listing->kernel + "-" + sizeText(job.size) + ".ptx");
}

/// Writes what each listing's kernels become, each text once.
int writePtx(const Options &options) {
  std::filesystem::create_directories(options.ptx);
  Listings listings = allListings(options.pictures);
  std::set<std::string> known;
  for (const Job &job : planJobs(listings, options)) {
    std::string text;
    Trial trial(Device::open("cpu"), options.kernels + "/" + job.listing->file,
                job.listing->kernel);
    trial.compileInstead({.target = options.target,
                          .stages = {Stage::Ptx},
                          .sink = [&](const StageOutput &output) { text += output.text; }});
    job.listing->run(trial, job.size);
    if (!text.empty() && known.insert(text).second)
      std::ofstream(ptxPath(job, options.ptx)) << text;
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app(
      "Runs the kernels of the four documents and compares each with a reference in double "
      "precision. Exit code 1 if any is wrong.");
  app.add_option("--device", options.device,
                 "Which executor: cpu, check, both of these, or another device (`nereid devices`)")
      ->capture_default_str();
  app.add_option("--filter", options.filter,
                 "Only listings and kernels with this text in their name");
  app.add_flag("--quick", options.isQuick, "Only the small sizes");
  app.add_flag("--markdown", options.isMarkdown, "Print the table as Markdown");
  app.add_option("--photo", options.pictures.photo, "Picture to grey: .jpg or .png")
      ->capture_default_str();
  app.add_option("--picture", options.pictures.picture, "Where to write the grey picture");
  app.add_option(
      "--ptx", options.ptx,
      "Directory: write what the kernels of the small sizes become there, and run nothing");
  app.add_option("--target", options.target, "The GPU that --ptx is for")->capture_default_str();
  app.add_option("--kernels", options.kernels, "Directory of the kernels")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    if (options.ptx.empty())
      return runGallery(options);
    options.device = "cpu";
    options.isQuick = true;
    return writePtx(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "nereid-gallery: %s\n", error.what());
    return 1;
  }
}
