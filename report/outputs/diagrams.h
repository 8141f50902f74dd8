/// What pictures show: the kernels of a run, or the operators of the model.
#pragma once

#include <span>

#include "ir/operator_graph.h"
#include "report/drawing/diagram.h"
#include "report/report.h"

namespace amdahlc {

/// The kernels of a run with their times, dependences, branch totals and the critical path, in their modules.
drawing::Diagram kernelDiagram(const Report& report, const RunReport& run, const ir::OperatorGraph& operators,
                               bool docStrings);

/// The operators after `simplify`, with the dependences between them.
drawing::Diagram simplifiedDiagram(const ir::Module& module, const ir::OperatorGraph& operators, bool docStrings);

/// All nodes of the model, those that `simplify` removed too, and the tensors between them.
drawing::Diagram fullDiagram(const ir::Module& module, bool docStrings);

}  // namespace amdahlc
