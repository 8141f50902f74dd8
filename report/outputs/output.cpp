#include "report/outputs/output.h"

#include <algorithm>

namespace amdahlc {

const Report& OutputContext::reported() const { return analyses.get<Report>(); }

const RunReport& OutputContext::reported(ir::CoverId cover) const {
  const auto& runs = reported().runs;
  return *std::find_if(runs.begin(), runs.end(),
                       [&](const RunReport& row) { return row.cover == &module.cover(cover); });
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
  const auto found = std::find_if(all.begin(), all.end(), [&](const Output* output) { return output->name == name; });
  return found == all.end() ? nullptr : *found;
}

std::vector<const Output*> outputsOf(std::string_view pass) {
  std::vector<const Output*> outputs;
  for (const Output* output : allOutputs())
    if (output->pass == pass) outputs.push_back(output);
  return outputs;
}

}  // namespace amdahlc
