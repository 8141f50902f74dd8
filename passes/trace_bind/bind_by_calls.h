/// Binding of the program of a run to that run.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "ir/operator_graph.h"
#include "passes/trace_bind/bind_timeline.h"
#include "runs/program/program.h"

namespace amdahlc::binding {

/// The programs of which a module was made, by label of the run. Who made it asks the analysis manager for them
/// (`AnalysisManager::request`), so that they need not be found again.
struct ProgramsOfRuns {
  using Options = std::map<std::string, std::shared_ptr<const program::Program>>;
};

/// Binds each device event to the call that launched it, if the module is the program of this run and perhaps of others
/// (`ir::callsOf`). No cover otherwise: then the program is a model for this run. Nothing is weighed.
///
/// A kernel is a call with all its operators, and has the first candidate in the order of choice that holds exactly
/// these, of an admitted rule. Its events are those of the call in all selected iterations.
BoundRun bindByCalls(const ir::Module& module, const ir::OperatorGraph& operators,
                     const IdVector<ir::RuleId, bool>& admitted, const Timeline& timeline,
                     const program::Program& program);

}  // namespace amdahlc::binding
