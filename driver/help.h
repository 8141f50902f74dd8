/// Renders the texts of `-help`, `-help=topic` and `-help=pass`.
#pragma once

#include <optional>
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
std::string spelled(const OptionRow& row);
/// The help of an option in one clause.
std::string_view shortHelp(const OptionRow& row);

/// All options by topic, one line each, and examples.
std::string helpText();
/// The full text of a topic, or the description of a pass; nullopt for other names.
std::optional<std::string> helpOn(const std::string& name, const PassRegistry& registry);
/// Names that `helpOn` knows.
std::vector<std::string> helpTopics(const PassRegistry& registry);

/// The JSON Schemas of outputs, by the names of `-print-schema`.
std::vector<std::string> schemaNames(const PassRegistry& registry);
std::optional<std::string> schemaOf(std::string_view name, const PassRegistry& registry);

}  // namespace amdahlc::driver
