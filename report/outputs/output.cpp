#include "report/outputs/output.h"

#include <algorithm>

namespace amdahlc {

const Report& OutputContext::reported() const { return analyses.get<Report>(); }

const RunReport& OutputContext::reported(ir::CoverId cover) const {
  const auto& runs = reported().runs;
  return *std::ranges::find_if(runs, [&](const RunReport& row) { return row.cover == &module.cover(cover); });
}

std::span<const Output* const> allOutputs() {
  static constexpr const Output* kOutputs[] = {
#define AMDAHLC_OUTPUT(FILE, NAME) &NAME,
#include "report/outputs.def"
  };
  return kOutputs;
}

const Output* findOutput(std::string_view name) {
  const auto all = allOutputs();
  const auto found = std::ranges::find(all, name, &Output::name);
  return found == all.end() ? nullptr : *found;
}

std::vector<const Output*> outputsOf(std::string_view pass) {
  std::vector<const Output*> outputs;
  for (const Output* output : allOutputs())
    if (output->pass == pass) outputs.push_back(output);
  return outputs;
}

}  // namespace amdahlc
