#include "passes/manager/pass.h"

namespace amdahlc {

const PassInputText& textOf(PassInput input) {
  // In the order of `PassInput`.
  static constexpr PassInputText kTexts[] = {
      {"rules", "give them with `-rules=`", "the rules are not used"},
      {"a trace", "give one with `-trace=`", "the trace is not used"},
      {"host events", "give the trace with `-trace=`, because IR text does not contain them", "the trace is not used"},
      {"a planned speed-up", "give one with `-what-if=`", "the planned speed-ups are not used"},
      {"a description of the hardware", "give one with `-hardware=`, or a trace that names its device",
       "the description of the hardware is not used"},
      {"the program of a run", "a model is a file already; give the trace without it", "the program is not used"}};
  return kTexts[static_cast<size_t>(input)];
}

void PassContext::remark(RemarkKind kind, Location location, std::string message) {
  if (wants(kind) && remarkSink_) remarkSink_(kind, std::move(location), std::move(message));
}

void Pass::hasOldSpelling(std::string name, std::string_view sets) {
  const PassOption& option = *findOption(sets);
  addsCommandOption({.name = std::move(name),
                     .argument = option.kind == PassOption::Kind::Flag ? "" : "value",
                     .once = option.kind != PassOption::Kind::List,
                     .sets = option.name,
                     .isOldSpelling = true});
}

int64_t& Pass::statistic(std::string name, std::string description) {
  statistics_.push_back(std::make_unique<Statistic>(Statistic{std::move(name), std::move(description), 0}));
  return statistics_.back()->value;
}

}  // namespace amdahlc
