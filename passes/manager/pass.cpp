#include "passes/manager/pass.h"

namespace amdahlc {

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
