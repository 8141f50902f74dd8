#include "runs/builder/event_table.h"

namespace amdahlc {

Row EventTable::topLevelModuleFrame(Row row) const {
  Row topLevel = kNoRow;
  if (launch[row] == kNoRow) return topLevel;
  for (Row at = parent[launch[row]]; at != kNoRow; at = parent[at])
    if (kind[at] == EventKind::ModuleFrame) topLevel = at;
  return topLevel;
}

}  // namespace amdahlc
