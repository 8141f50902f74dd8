/// Renders the texts of `-help` and `-help=name`, and the manual page.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/options.h"
#include "passes/manager/registry.h"

namespace amdahlc::driver {

inline constexpr std::string_view kPurpose =
    "where a model's time went on a device, what limits it, and what effect a faster kernel would have";
inline constexpr std::string_view kUsage = "amdahlc [options] [model.onnx | model.onnxtxt | model.air | -]";
inline constexpr std::string_view kExamples =
    "    amdahlc -trace=trace.json model.onnx                   summary of a measured run\n"
    "    amdahlc -trace=trace.json -what-if=sdpa=2x model.onnx  and the effect of a faster kernel\n"
    "    amdahlc -trace=trace.json                              totals of a trace alone\n"
    "    amdahlc -passes=simplify,fuse model.onnx               IR after some passes\n";

/// A topic with the text that follows its options: paragraphs, each on one line, and lines that begin with four blanks,
/// which stay as they are.
struct TopicHelp {
  Topic topic;
  std::string_view name;
  std::string_view title;
  std::string more;
};

/// The topics in the order of help.
std::vector<TopicHelp> topicHelp(const PassRegistry& registry);
/// `-emit=kind[=path]`
std::string describe(const OptionRow& row);
/// All options by topic, one line each, and examples.
std::string helpText();
/// A text that `-help=NAME` prints: of a topic, a pass or an output, or one for programs.
struct HelpText {
  std::string name;
  /// For lists.
  std::string summary;
  std::function<std::string()> text;
  /// The texts for the project's own documentation are not.
  bool isListed = true;
};

/// Texts of one name, of a pass and an output, follow each other.
std::vector<HelpText> helpTexts(const PassRegistry& registry);

/// The manual page of the command, in the macros of man(7). It has no date: equal builds print the same.
std::string manPage(const PassRegistry& registry);

}  // namespace amdahlc::driver
