#include "report/outputs/output_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/drawing/fold.h"

namespace amdahlc {
namespace {

constexpr int64_t kMostRowsOfTables = 1'000'000;

}  // namespace

OutputOptions::OutputOptions() {
  string("fold",
         {"Draw modules or repeated modules as one node.",
          "`auto` draws repeated modules once, `none` folds nothing, `0` to `9` folds modules below so many levels."},
         values.fold, drawing::foldChoices());
  string("rankdir", "Draw from top to bottom (TB) or from left to right (LR).", values.rankdir, {"TB", "LR"});
  flag("embed-doc-strings", "Show the doc strings of the model's nodes.", values.docStrings);
  integer(
      "top",
      {"Limit the rows of each table.",
       "0 stands for 10 kernels on the first screen, and in `summary=full` for 20 kernels and 8 rows of other tables."},
      values.top, 0, kMostRowsOfTables);
  integer("events-kib",
          {"Limit what a page has of events, in KiB.",
           "Beyond it the page has those of the selected iterations, and then only the longer ones, and says so. A run "
           "whose replay is larger has no what-ifs in the page."},
          values.eventsKib, 0, kMostEventsKib);
  string("segments",
         {"Choose what comparisons of runs put together.",
          "`auto` takes repeated modules, else the smallest ones that no run divides; `atoms` the smallest groups of "
          "operators that no run divides; `1` to `9` modules of so many levels."},
         values.segments, ir::segmentChoices());
  integer("regression-limit", "Set the growth from which `junit` fails a case, in thousandths of a percent.",
          values.regressionLimit, 0, kMostGrowth);
  flag("single-kernels", "Let `junit` judge each kernel alone.", values.singleKernels);
  for (PassOption& option : options())
    if (const auto outputs = outputsTaking(option.name); !outputs.empty())
      option.text.details +=
          fmt::format("{}It is of the outputs {}.", option.text.details.empty() ? "" : " ", fmt::join(outputs, ", "));
}

drawing::PictureOptions OutputOptions::ofPictures() const {
  return {values.fold, values.rankdir == "LR", values.docStrings};
}

ReportOptions OutputOptions::ofReports() const {
  return {.top = values.top == 0 ? std::nullopt : std::optional(values.top),
          .regressionLimit = {values.regressionLimit, values.singleKernels},
          .segments = ir::parseSegmentChoice(values.segments),
          .pageBytes = values.eventsKib << 10};
}

std::vector<std::string_view> outputsTaking(std::string_view option) {
  std::vector<std::string_view> names;
  for (const Output* output : allOutputs())
    if (std::ranges::find(output->options, option) != output->options.end()) names.push_back(output->name);
  return names;
}

}  // namespace amdahlc
