#include "runs/kernel_families/kernel_families.h"

#include <re2/re2.h>

#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "replay/runtimes/collectives.h"

namespace amdahlc {
namespace {

/// In the order of `KernelFamily`.
constexpr std::string_view kNames[] = {
    "gemm",
    "gemv",
    "attention",
    "convolution",
    "normalization",
    "softmax",
    "elementwise",
    "permute",
    "embedding-forward",
    "embedding-backward",
    "reduce",
    "split-k",
    "concat",
    "index",
    "copy",
    "set",
    "collective",
    "other",
};
static_assert(std::size(kNames) == kKernelFamilyCount);

/// Which part of a name a rule reads.
enum class Where : uint8_t {
  /// Up to its template arguments and parameters.
  InName,
  Anywhere,
};

/// In names of kernels of cuDNN and of MIOpen, which their convolutions launch.
constexpr std::string_view kLayoutChanges[] = {"nchwToNhwc", "nhwcToNchw", "batched_transpose_",
                                               "tensorTransformGeneric"};

/// The first word that occurs decides: libraries put both into names of kernels that convert.
constexpr std::pair<std::string_view, bool> kTf32Words[] = {
    {"tf32", true},   {"TF32", true},  {"tensorop_s1688", true},     {"xf32", true},
    {"simt", false},  {"ffma", false}, {"f32f32_f32f32_f32", false}, {"sgemm", false},
    {"scudnn", false}};

struct Rule {
  KernelFamily family;
  Where where;
  std::unique_ptr<re2::RE2> expression;
};

std::vector<Rule> readRules() {
  re2::RE2::Options options;
  options.set_case_sensitive(false);
  std::vector<Rule> rules;
#define AMDAHLC_KERNEL_FAMILY(FAMILY, WHERE, EXPRESSION) \
  rules.push_back({KernelFamily::FAMILY, Where::WHERE, std::make_unique<re2::RE2>(EXPRESSION, options)});
#include "runs/kernel_families/kernel_families.def"
  return rules;
}

}  // namespace

std::string_view name(KernelFamily family) { return kNames[static_cast<size_t>(family)]; }

KernelFamily kernelFamily(std::string_view kernel) {
  if (isCommunicationKernel(kernel)) return KernelFamily::Collective;
  static const std::vector<Rule> rules = readRules();
  const std::string function = qualifiedName(kernel);
  for (const Rule& rule : rules) {
    const std::string_view text = rule.where == Where::InName ? std::string_view(function) : kernel;
    if (re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *rule.expression)) return rule.family;
  }
  return KernelFamily::Other;
}

std::string_view imageLayoutChange(std::string_view kernel) {
  for (const std::string_view word : kLayoutChanges)
    if (kernel.find(word) != std::string_view::npos) return word;
  return {};
}

std::optional<bool> roundsToTf32(std::string_view kernel) {
  for (const auto& [word, rounds] : kTf32Words)
    if (kernel.find(word) != std::string_view::npos) return rounds;
  return std::nullopt;
}

}  // namespace amdahlc
