/// Builds models for the binder: graphs with origins of their nodes, rules that match given operators, and a cover.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/applicability.h"
#include "ir/operator_graph.h"
#include "passes/trace_bind/alternatives.h"
#include "passes/trace_bind/program.h"
#include "tests/unit/passes/fuse/graph_and_rules.h"

namespace amdahlc::testing {

/// A graph whose operators read the input `x`, so that none is a constant.
class Model : public test::GraphBuilder {
 public:
  Model() : x(input("x")) { cover.name = ir::kDefaultCover; }

  /// An operator that no rule knows, in the framework call `call` of the operator `target`.
  ir::OpId node(std::string_view type, std::string_view call = "", std::string_view target = "") {
    const ir::OpId id = op(type, {x});
    module.ops[id].sourceCall = module.strings.intern(call);
    module.ops[id].sourceTarget = module.strings.intern(target);
    return id;
  }
  /// One that a rule of its own launches.
  ir::OpId ruled(std::string_view type, std::string_view call = "", std::string_view target = "") {
    const ir::OpId id = node(type, call, target);
    candidate({id});
    return id;
  }
  /// The same with weights.
  ir::OpId heavy(std::string_view type, std::string_view call = "", std::string_view target = "") {
    const ir::OpId id = ruled(type, call, target);
    module.ops[id].inputs.push_back(constant({1, 2, 3}));
    return id;
  }
  ir::OpId view(std::string_view type) {
    module.rules.addViews({}, {{"", std::string(type)}});
    return node(type);
  }
  /// A match of a new rule for kernels named `kernel`. The first operator is the anchor.
  ir::CandidateId candidate(std::vector<ir::OpId> ops, std::string kernel = "k", bool noDeviceWork = false) {
    ir::LaunchSequence sequence;
    sequence.steps.push_back({test::regex(std::move(kernel)), 1, 1});
    ir::Rule rule;
    rule.name = "r" + std::to_string(module.rules.rules.size());
    rule.launches.push_back(std::move(sequence));
    rule.noDeviceWork = noDeviceWork;
    ir::Candidate made;
    made.rule = ir::RuleId(module.rules.rules.size());
    module.rules.rules.push_back(std::move(rule));
    made.root = made.anchor = ops.front();
    std::sort(ops.begin(), ops.end());
    made.ops = std::move(ops);
    made.owned = static_cast<uint32_t>(made.ops.size());
    return module.candidates.push_back(std::move(made));
  }
  void inCover(ir::CandidateId id) {
    const ir::Candidate& chosen = module.candidates[id];
    ir::Kernel kernel;
    kernel.id = ir::KernelId(cover.kernels.size());
    kernel.candidate = id;
    kernel.ops = {chosen.anchor};
    for (const ir::OpId op : chosen.ops)
      if (op != chosen.anchor) kernel.ops.push_back(op);
    cover.kernels.push_back(std::move(kernel));
  }

  ir::ValueId x;
  ir::Cover cover;
};

/// The program of a model in the order of its nodes.
struct ModelProgram {
  explicit ModelProgram(const Model& model)
      : operators(model.module),
        graph(model.module, operators,
              {rulesOn(model.module.rules, {}), viewsOn(model.module.rules, {}), model.cover.kernels}),
        program(graph, binding::OrderKind::Model) {}
  ir::OperatorGraph operators;
  binding::AlternativeGraph graph;
  binding::Program program;
};

}  // namespace amdahlc::testing
