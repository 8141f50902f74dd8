#include "timeline/event_table.h"

#include <string>

namespace amdahlc {

Row EventTable::topLevelModuleFrame(Row row) const {
  Row topLevel = kNoRow;
  if (launch[row] == kNoRow) return topLevel;
  for (Row at = parent[launch[row]]; at != kNoRow; at = parent[at])
    if (kind[at] == EventKind::ModuleFrame) topLevel = at;
  return topLevel;
}

void EventTable::addProblem(std::string_view problem, int64_t count, std::string_view what) {
  if (count == 0) return;
  for (Timeline::Problem& known : problems) {
    if (known.name != problem) continue;
    known.count += count;
    return;
  }
  problems.push_back({std::string(problem), count, std::string(what)});
}

}  // namespace amdahlc
