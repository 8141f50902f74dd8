// How often comparisons call something slower or faster: of a program with itself, which is wrong, and of one that
// became slower, which is right. The runs are made of random numbers and compared by the code that the command has.
//
//   amdahlc_noise_rates                  prints the table of docs/comparing-runs.md
//   amdahlc_noise_rates --write PAGE     writes it into the page
//   amdahlc_noise_rates --check PAGE     fails where a rate is beyond its limit, or the page has another table
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <numbers>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "report/comparison/compare.h"

namespace amdahlc::comparison {
namespace {

constexpr size_t kKernels = 30, kComparisons = 400;
constexpr uint64_t kSeed = 1;

/// Distributions by the standard library differ from one implementation to the next.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  /// In (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) / 9007199254740992.0; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }
  /// Student's t with two degrees of freedom.
  double heavyTailed() {
    const double p = uniform();
    return (2 * p - 1) / std::sqrt(2 * p * (1 - p));
  }

 private:
  std::mt19937_64 engine_;
};

enum class Noise { Independent, HeavyTailed, Drifting };

/// The factors by which the kernels of one recording take longer, by iteration.
class NoiseOfRecording {
 public:
  NoiseOfRecording(Noise noise, Random& random) : noise_(noise), random_(random), clock_(0.02 * random.normal()) {}

  void nextIteration() {
    // The iteration before has a weight of 0.7; the deviation stays 2 %.
    if (noise_ == Noise::Drifting) clock_ = 0.7 * clock_ + 0.02 * std::sqrt(1 - 0.7 * 0.7) * random_.normal();
    isSlow_ = random_.uniform() < 0.05;
  }
  double factor() {
    switch (noise_) {
      case Noise::Independent:
        return std::exp(0.02 * random_.normal());
      case Noise::HeavyTailed:
        return std::exp(std::clamp(0.02 * random_.heavyTailed(), -0.5, 3.0)) * (random_.uniform() < 0.05 ? 1.5 : 1) *
               (isSlow_ ? 1.3 : 1);
      case Noise::Drifting:
        break;
    }
    return std::exp(clock_ + 0.01 * random_.normal());
  }

 private:
  Noise noise_;
  Random& random_;
  double clock_;
  bool isSlow_ = false;
};

struct Setting {
  Noise noise;
  size_t recordings, iterations;
};

void addTo(Samples& sum, const Samples& samplesNs) {
  for (size_t r = 0; r < sum.size(); ++r)
    for (size_t i = 0; i < sum[r].size(); ++i) sum[r][i] += samplesNs[r][i];
}

/// A run of which the kernel `slow` takes `factor` times as long, or all do, if it is `kKernels`.
MeasuredRun makeRun(const Setting& setting, Random& random, size_t slow, double factor) {
  const Samples none(setting.recordings, std::vector<int64_t>(setting.iterations, 0));
  std::vector<Samples> kernels(kKernels, none);
  Samples wall = none, busy = none;
  for (size_t r = 0; r < setting.recordings; ++r) {
    NoiseOfRecording noise(setting.noise, random);
    for (size_t i = 0; i < setting.iterations; ++i) {
      noise.nextIteration();
      for (size_t k = 0; k < kKernels; ++k) {
        const double shownNs = 1e4 * std::exp2(static_cast<double>(k % 7)) * noise.factor();
        kernels[k][r][i] = std::llround(shownNs * (slow == k || slow == kKernels ? factor : 1));
        busy[r][i] += kernels[k][r][i];
      }
      // Idle time is a fifth of busy time.
      const double idleNs = 1e4 * 0.2 * 127 / 7 * kKernels * noise.factor();
      wall[r][i] = busy[r][i] + std::llround(idleNs * (slow == kKernels ? factor : 1));
    }
  }
  MeasuredRun run;
  std::vector<Samples> categories(3, none), scopes(6, none);
  for (size_t k = 0; k < kKernels; ++k) {
    addTo(categories[k % categories.size()], kernels[k]);
    addTo(scopes[k % scopes.size()], kernels[k]);
    const std::string node = fmt::format("n{}", k);
    run.kernels.push_back({node, {node}, "", "", MeasuredTime(std::move(kernels[k]))});
  }
  for (auto [groups, samples] : {std::pair{&run.categories, &categories}, std::pair{&run.scopes, &scopes}})
    for (Samples& one : *samples) groups->push_back({fmt::format("g{}", groups->size()), MeasuredTime(std::move(one))});
  run.busy = MeasuredTime(std::move(busy));
  run.wall = MeasuredTime(std::move(wall));
  return run;
}

bool isMarked(const Difference& row) {
  return row.judgement.change == Change::Slower || row.judgement.change == Change::Faster;
}

bool isAnyMarked(const Comparison& comparison) {
  for (const auto* rows : {&comparison.totals, &comparison.kernels, &comparison.categories, &comparison.scopes})
    if (std::ranges::any_of(*rows, isMarked)) return true;
  return false;
}

bool isWallMarked(const Comparison& comparison) { return isMarked(comparison.totals[1]); }

/// Of comparisons, in percent.
struct Rates {
  double wallOfSame = 0, anyOfSame = 0;
  /// Where all became slower, and where one kernel did.
  double wall = 0, kernel = 0;
};

Rates ratesOf(const Setting& setting, double factor) {
  Random random(kSeed);
  Rates rates;
  const auto count = [](double& rate, bool isCounted) { rate += isCounted ? 100.0 / kComparisons : 0; };
  for (size_t c = 0; c < kComparisons; ++c) {
    const MeasuredRun before = makeRun(setting, random, kKernels, 1);
    const Comparison same = compare(before, makeRun(setting, random, kKernels, 1));
    count(rates.wallOfSame, isWallMarked(same));
    count(rates.anyOfSame, isAnyMarked(same));
    count(rates.wall, isWallMarked(compare(before, makeRun(setting, random, kKernels, factor))));
    const size_t slow = c % kKernels;
    const Comparison one = compare(before, makeRun(setting, random, slow, factor));
    const auto row = std::ranges::find(one.kernels, fmt::format("n{}", slow), &Difference::name);
    count(rates.kernel, isMarked(*row));
  }
  return rates;
}

/// Prints a fault of a rate.
bool isWithin(std::string_view what, double rate, double least, double most) {
  if (rate >= least && rate <= most) return true;
  fmt::print(stderr, "{}: {:.1f} % is not from {} to {} %\n", what, rate, least, most);
  return false;
}

struct Table {
  std::string text =
      "| noise | recordings a side | iterations | same: wall | same: any row | slower by | wall | one kernel |\n"
      "|--|--:|--:|--:|--:|--:|--:|--:|\n";
  bool isWithinLimits = true;
};

Table makeTable() {
  constexpr double kMostOfSame = 5, kLeastOfThree = 80, kLeastOfOne = 100, kLeastOfKernel = 99;
  Table table;
  for (const auto& [noise, name] :
       {std::pair{Noise::Independent, "independent"}, std::pair{Noise::HeavyTailed, "heavy-tailed"},
        std::pair{Noise::Drifting, "drifting"}})
    for (const size_t recordings : {1, 3})
      for (const size_t iterations : {10, 20}) {
        const double factor = recordings == 1 ? 1.3 : 1.1;
        const Rates rates = ratesOf({noise, recordings, iterations}, factor);
        table.text +=
            fmt::format("| {} | {} | {} | {:.1f} % | {:.1f} % | {:.0f} % | {:.1f} % | {:.1f} % |\n", name, recordings,
                        iterations, rates.wallOfSame, rates.anyOfSame, 100 * (factor - 1), rates.wall, rates.kernel);
        const std::string what = fmt::format("{} noise, {} recordings of {} iterations", name, recordings, iterations);
        table.isWithinLimits &= isWithin(what + ", wall of the same program", rates.wallOfSame, 0, kMostOfSame);
        table.isWithinLimits &= isWithin(what + ", any row of the same program", rates.anyOfSame, 0, kMostOfSame);
        const double least = recordings == 1 ? kLeastOfOne : kLeastOfThree;
        table.isWithinLimits &= isWithin(what + ", wall of a slower program", rates.wall, least, 100);
        if (iterations == 20)
          table.isWithinLimits &=
              isWithin(what + ", a slower kernel", rates.kernel, std::min(least, kLeastOfKernel), 100);
      }
  return table;
}

/// The page with the table between its marks; empty if it has no such marks.
std::string withTable(const std::string& page, const std::string& table) {
  constexpr std::string_view kBegin = "<!-- generated: amdahlc_noise_rates;", kEnd = "<!-- end -->";
  const size_t begin = page.find('\n', page.find(kBegin)), end = page.find(kEnd, begin);
  if (page.find(kBegin) == std::string::npos || end == std::string::npos) return "";
  return page.substr(0, begin + 1) + "\n" + table + "\n" + page.substr(end);
}

int run(int argc, const char* const* argv) {
  const Table table = makeTable();
  if (argc == 1) {
    fmt::print("{}", table.text);
    return 0;
  }
  const std::string_view action = argv[1];
  if (argc != 3 || (action != "--check" && action != "--write")) {
    fmt::print(stderr, "amdahlc_noise_rates [--check PAGE | --write PAGE]\n");
    return 2;
  }
  std::ifstream in(argv[2]);
  const std::string page{std::istreambuf_iterator<char>(in), {}}, now = withTable(page, table.text);
  if (now.empty()) fmt::print(stderr, "{} has no place for the table\n", argv[2]);
  if (action == "--write" && !now.empty()) std::ofstream(argv[2]) << now;
  if (action == "--check" && now != page) fmt::print(stderr, "{} has another table; `--write` updates it\n", argv[2]);
  return now.empty() || (action == "--check" && (now != page || !table.isWithinLimits)) ? 1 : 0;
}

}  // namespace
}  // namespace amdahlc::comparison

int main(int argc, char** argv) { return amdahlc::comparison::run(argc, argv); }
