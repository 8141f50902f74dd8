/// Renders the texts of `-help` and `-help=name`, and the manual page.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/options.h"
#include "passes/manager/registry.h"
#include "report/outputs/output.h"

namespace amdahlc::driver {

inline constexpr std::string_view kPurpose =
    "where a model's time went on a device, what limits it, and what effect a faster kernel would have";
inline constexpr std::string_view kUsage = "amdahlc [options] [trace]... [model.onnx | model.onnxtxt | model.air | -]";
inline constexpr std::string_view kExamples =
    "    amdahlc trace.json                    where the time of a run goes, and what to do\n"
    "    amdahlc trace.json model.onnx         the same by the nodes of its model\n"
    "    amdahlc trace.json -what-if=gemm=2x   and the effect of faster kernels\n"
    "    amdahlc before.json after.json        what became of two runs\n"
    "    amdahlc ranks/                        ranks of one run, whose traces are in a folder\n";

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
/// The same, and below it all that is to say about it.
std::string describeFully(const OptionRow& row);
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

/// What `-help=WORDS` prints where no text has this name: an option of this name with all that is to say about it, the
/// section about a message of this id, and in a line each the options, passes, outputs, topics and pages in which each
/// of the words, separated by blanks, begins a word. Empty if there is nothing.
std::string searchHelp(std::string_view words, const PassRegistry& registry);

/// The manual page of the command, in the macros of man(7). It has no date: equal builds print the same.
std::string manPage(const PassRegistry& registry);

// Of passes and outputs: for the terminal and for the documentation.

/// Both texts of an option: `SUMMARY DETAILS`.
std::string withDetails(std::string_view summary, std::string_view details);
/// The option with its values, as pipeline text takes it: `max-steps-per-root=<1..>`.
std::string valueForm(const PassOption& option);
/// The declarations of a pass: place, facets, inputs, outputs, and options with their defaults.
std::string describePass(const PassRegistry& registry, const PassInfo& info);
/// `-help=passes`.
std::string describePasses(const PassRegistry& registry);
/// A kind of output with its options.
std::string describeOutput(const Output& output);
/// The options that outputs take, each with its kinds.
std::string describeOptionsOfOutputs();
/// The generated part of a pass's documentation page, in Markdown.
std::string passDocumentation(const PassRegistry& registry, const PassInfo& info);

}  // namespace amdahlc::driver
