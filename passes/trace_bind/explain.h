/// What decided about an event or a node, as text for people.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "replay/timeline/timeline.h"

namespace amdahlc::binding {

/// The rank of a selected event, in order of start, as outputs number events; or the operators of one name.
using Subject = std::variant<size_t, std::vector<ir::OpId>>;

/// By event: its rank among the selected ones, as outputs number events. 0 for the others.
std::vector<size_t> ranksOfSelected(const Timeline& timeline);

/// Reads `event:12`, `node:NAME`, a node's name, or an event's number. Empty operators if no node has the name.
Subject readSubject(const ir::Module& module, std::string_view text);

/// The binding of a bound cover: whether the trace fits, times by state, the events of each kernel with their
/// probability and evidence, and the events of no kernel with their reasons.
std::string printBinding(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses);

}  // namespace amdahlc::binding
