#include "ir/reasons.h"

#include <fmt/format.h>

#include "ir/module.h"

namespace amdahlc::ir {

namespace {

constexpr MissReasonInfo kMissReasons[] = {
#define AMDAHLC_MISS_REASON(ID, KEYWORD, OF_RULE, SENTENCE) {MissReason::ID, KEYWORD, OF_RULE, SENTENCE},
#include "ir/reasons.def"
};

constexpr UnboundReasonInfo kUnboundReasons[] = {
#define AMDAHLC_UNBOUND_REASON(ID, KEYWORD, STATE, ARGUMENT, SENTENCE) \
  {UnboundReason::Kind::ID, KEYWORD, EventState::STATE, ReasonArgument::ARGUMENT, SENTENCE},
#include "ir/reasons.def"
};

}  // namespace

const MissReasonInfo& info(MissReason reason) { return kMissReasons[static_cast<size_t>(reason)]; }

std::string_view keyword(MissReason reason) { return info(reason).keyword; }

std::span<const MissReasonInfo> allMissReasons() { return kMissReasons; }

std::string describe(const Module& module, const Kernel& kernel, MissReason reason) {
  const Rule* rule = module.ruleOf(kernel);
  return fmt::format(fmt::runtime(info(reason).sentence),
                     fmt::arg("type", module.text(module.ops[kernel.anchor()].type)),
                     fmt::arg("rule", rule != nullptr ? rule->name : ""));
}

std::span<const UnboundReasonInfo> allUnboundReasons() { return kUnboundReasons; }

const UnboundReasonInfo& info(UnboundReason::Kind kind) { return kUnboundReasons[static_cast<size_t>(kind)]; }

std::string_view name(EventState state) {
  static constexpr std::string_view kNames[] = {"bound", "ambiguous", "runtime-only", "foreign", "unknown"};
  static_assert(std::size(kNames) == kEventStateCount);
  return kNames[static_cast<size_t>(state)];
}

std::string describe(const Module& module, const Cover& cover, const UnboundReason& reason) {
  const auto kernelName = [&](KernelId kernel) {
    return cover.kernels.contains(kernel) ? module.displayName(cover.kernels[kernel].anchor()) : std::string();
  };
  if (reason.kind == UnboundReason::Kind::Ambiguous && reason.rival == kNone)
    return fmt::format("`{}` is the likeliest kernel here, with a probability of only {:.3f}",
                       kernelName(reason.kernel), reason.permille / 1000.0);
  if (reason.kind == UnboundReason::Kind::OutsideModel && reason.name.empty())
    return "no call of the exported model launched it";
  const std::string_view rule =
      module.rules.rules.contains(reason.rule) ? std::string_view(module.rules.rules[reason.rule].name) : "";
  return fmt::format(fmt::runtime(info(reason.kind).sentence), fmt::arg("name", reason.name), fmt::arg("rule", rule),
                     fmt::arg("kernels", reason.kernels), fmt::arg("kernel", kernelName(reason.kernel)),
                     fmt::arg("probability", reason.permille / 1000.0), fmt::arg("rival", kernelName(reason.rival)),
                     fmt::arg("rivalProbability", reason.rivalPermille / 1000.0));
}

}  // namespace amdahlc::ir
