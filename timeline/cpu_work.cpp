#include "timeline/cpu_work.h"

#include <string_view>
#include <vector>

#include "timeline/relations.h"

namespace amdahlc {
void markCpuWork(EventTable& table, const RuntimeAdapter& runtime) {
  std::vector<Row> operators;
  const std::vector<Row> outer = enclosingOperators(table);
  std::vector<bool> hasChildren(table.size(), false);
  for (Row event = 0; event < table.size(); ++event) {
    if (table.kind[event] != EventKind::Operator) continue;
    operators.push_back(event);
    if (outer[event] != kNoRow) hasChildren[outer[event]] = true;
  }

  // A parent has a lower index than its children, so an ascending loop visits parents first, a descending one children
  // first.
  std::vector<bool> workInside(table.size(), false);
  std::vector<bool> writesInside(table.size(), false);
  for (auto at = operators.rbegin(); at != operators.rend(); ++at) {
    const std::string_view name = table.text(table.name[*at]);
    if (runtime.writes(name)) writesInside[*at] = true;
    if (outer[*at] == kNoRow) continue;
    if (workInside[*at] || runtime.role(name, hasChildren[*at]) == OperatorRole::Work) workInside[outer[*at]] = true;
    if (writesInside[*at]) writesInside[outer[*at]] = true;
  }

  std::vector<bool> settled(table.size(), false);  // the operator is an event, is inside one, or has no work in it
  for (Row event : operators) {
    if (outer[event] != kNoRow && settled[outer[event]]) {
      settled[event] = true;
      continue;
    }
    const OperatorRole role = runtime.role(table.text(table.name[event]), hasChildren[event]);
    if (role == OperatorRole::Wrapper || workInside[event]) continue;
    settled[event] = true;
    if (role == OperatorRole::NoWork || (role == OperatorRole::Detail && !writesInside[event])) continue;
    table.deviceWork[event] = true;
    table.launch[event] = event;
    table.launchOp[event] = event;
  }
}

}  // namespace amdahlc
