/// The rows of evidence.def by name, and by what a unit holds.
#include <algorithm>

#include "passes/trace_bind/evidence.h"

namespace amdahlc::binding {

using evidence::Row;

std::string evidence::describe(Rows rows) {
  constexpr std::string_view kNames[] = {
#define AMDAHLC_EVIDENCE(ID, ...) #ID,
#include "passes/trace_bind/evidence.def"
#undef AMDAHLC_EVIDENCE
  };
  std::string text;
  for (size_t row = 0; row < kRows; ++row) {
    if (!(rows >> row & 1)) continue;
    if (!text.empty()) text += '+';
    text += kNames[row];
  }
  return text;
}

Row evidence::skipRow(const AlternativeGraph& graph, const Unit& unit, Program::Run run) {
  Need most = Need::None;
  for (const ir::OpId op : unit.ops) most = std::max(most, graph.need(op));
  if (run.hasGeneratedCode && most > Need::Unknown && !unit.multiplies) return Row::SkipGenerated;
  if (run.statesNodes && most > Need::Unlikely && most < Need::Heavy) return Row::SkipNamed;
  switch (most) {
    case Need::None:
      return Row::SkipView;
    case Need::Unlikely:
      return Row::SkipUnlikely;
    case Need::Unknown:
      return Row::SkipUnruled;
    case Need::Ruled:
      return unit.source.empty() ? Row::SkipRuled : Row::SkipExported;
    case Need::Heavy:
      return Row::SkipHeavy;
  }
  return Row::SkipView;
}

}  // namespace amdahlc::binding
