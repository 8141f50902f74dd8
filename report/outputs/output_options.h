/// Options that outputs take, each for itself as in `-emit='svg<fold=2>'`. As options of the pass `emit` they are of
/// all outputs that take them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "passes/manager/options.h"
#include "report/outputs/output.h"

namespace amdahlc {

// What outputs name in `Output::options`.
inline constexpr std::string_view kOptionsOfPictures[] = {"fold", "rankdir", "embed-doc-strings"};
inline constexpr std::string_view kOptionsOfTables[] = {"top"};
inline constexpr std::string_view kOptionsOfComparisons[] = {"segments"};
inline constexpr std::string_view kOptionsOfPages[] = {"segments", "top", "events-kib"};

/// The largest `regression-limit`, in thousandths of a percent: a million percent.
inline constexpr int64_t kMostGrowth = 1'000'000'000;

/// With more a page is slow to open: 16 MiB take a browser half a second.
inline constexpr int64_t kUsualEventsKib = 32 << 10, kMostEventsKib = 256 << 10;

class OutputOptions : public DeclaredOptions {
 public:
  OutputOptions();

  struct Values {
    std::string fold = "auto", rankdir = "TB", segments = "auto";
    bool docStrings = false;
    int64_t top = 0;
    int64_t eventsKib = kUsualEventsKib;
    int64_t regressionLimit = 0;
    bool singleKernels = false;
  };
  Values values;

  drawing::PictureOptions ofPictures() const;
  /// Without what the options do not say: the baseline and the ranks.
  ReportOptions ofReports() const;
};

/// The names of the outputs that take an option.
std::vector<std::string_view> outputsTaking(std::string_view option);

}  // namespace amdahlc
