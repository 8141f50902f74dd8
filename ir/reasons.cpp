#include "ir/reasons.h"

#include <fmt/format.h>

#include "ir/module.h"

namespace amdahlc::ir {

namespace {

constexpr MissReasonInfo kMissReasons[] = {
#define AMDAHLC_MISS_REASON(ID, KEYWORD, OF_RULE) {MissReason::ID, KEYWORD, OF_RULE},
#include "ir/reasons.def"
};

constexpr UnboundReasonInfo kUnboundReasons[] = {
#define AMDAHLC_UNBOUND_REASON(ID, KEYWORD, STATE, ARGUMENT) \
  {UnboundReason::Kind::ID, KEYWORD, EventState::STATE, ReasonArgument::ARGUMENT},
#include "ir/reasons.def"
};

}  // namespace

const MissReasonInfo& info(MissReason reason) { return kMissReasons[static_cast<size_t>(reason)]; }

std::string_view keyword(MissReason reason) { return info(reason).keyword; }

std::span<const MissReasonInfo> allMissReasons() { return kMissReasons; }

std::string describe(const Module& module, const Kernel& kernel, MissReason reason) {
  const auto ruleName = [&] {
    return kernel.candidate ? std::string_view(module.rules.rules[module.candidates[*kernel.candidate].rule].name)
                            : std::string_view();
  };
  switch (reason) {
    case MissReason::NoRule:
      return fmt::format("no rule covers `{}`, and no unbound launch is named like it",
                         module.text(module.ops[kernel.anchor()].type));
    case MissReason::NoLaunchFits:
      return fmt::format("no launch in the trace fits rule `{}`", ruleName());
    case MissReason::LaunchesElsewhere:
      return fmt::format("every launch that fits rule `{}` is bound to another kernel or to none", ruleName());
    case MissReason::NotNamed:
      return "no event names its nodes: the runtime removed them, or does not say where they ran";
    case MissReason::NamedWithOthers:
      return "an event names it together with nodes of another kernel; one kernel of all would close a cycle";
  }
  return {};
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
  const auto ruleName = [&] { return std::string_view(module.rules.rules[reason.rule].name); };
  switch (reason.kind) {
    case UnboundReason::Kind::Ambiguous:
      return reason.rival == kNone
                 ? fmt::format("`{}` is the likeliest kernel here, with a probability of only {:.3f}",
                               kernelName(reason.kernel), reason.permille / 1000.0)
                 : fmt::format("`{}` has probability {:.3f}, `{}` has {:.3f}", kernelName(reason.kernel),
                               reason.permille / 1000.0, kernelName(reason.rival), reason.rivalPermille / 1000.0);
    case UnboundReason::Kind::NoWork:
      return fmt::format("`{}` computes nothing: it changes how memory is read, or allocates", reason.name);
    case UnboundReason::Kind::Layout:
      return "the runtime inserted it to convert a tensor's layout or type";
    case UnboundReason::Kind::Folded:
      return fmt::format("`{}` is no kernel: it computes what is known before the run, or changes nothing",
                         reason.name);
    case UnboundReason::Kind::AroundCalls:
      return fmt::format("`{}` itself, around the operators that it calls", reason.name);
    case UnboundReason::Kind::OutsideModel:
      return reason.name.empty() ? "no call of the exported model launched it"
                                 : fmt::format("its module `{}` is outside of the exported model", reason.name);
    case UnboundReason::Kind::Backward:
      return fmt::format("`{}` is a step of the backward pass", reason.name);
    case UnboundReason::Kind::Optimizer:
      return fmt::format("`{}` is a call of the optimizer", reason.name);
    case UnboundReason::Kind::GeneratedCode:
      return fmt::format("`{}` is generated code, and nothing tells which nodes it computes", reason.name);
    case UnboundReason::Kind::ModuleNotInGraph:
      return fmt::format("its module `{}` has no operator in the graph", reason.name);
    case UnboundReason::Kind::OperatorNotInGraph:
      return fmt::format("no operator of the graph launches `{}` here", reason.name);
    case UnboundReason::Kind::NoKernelLeft:
      return fmt::format("all {} kernels of rule `{}` have their own events", reason.kernels, ruleName());
    case UnboundReason::Kind::NoKernelFits:
      return fmt::format("no kernel of rule `{}` fits here: module, weights or order contradict each", ruleName());
    case UnboundReason::Kind::NoRule:
      return "no rule knows this kernel's name";
    case UnboundReason::Kind::NodeNotInGraph:
      return fmt::format("no node of the model has a name that is in `{}`", reason.name);
    case UnboundReason::Kind::SpillIn:
      return "its launch is not in the trace: it was launched before the trace began";
  }
  return {};
}

}  // namespace amdahlc::ir
