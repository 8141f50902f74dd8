#include "driver/options.h"

namespace amdahlc::driver {
namespace {

constexpr OptionRow kOptions[] = {
#define AMDAHLC_OPTION(ID, NAME, ARGUMENT, ARITY, TOPIC, JOBS, HELP) \
  {OptionId::ID, NAME, ARGUMENT, Arity::ARITY, Topic::TOPIC, JOBS, HELP},
#include "driver/options.def"
};

}  // namespace

std::span<const OptionRow> optionTable() { return kOptions; }

bool Invocation::has(OptionId id) const { return find(id) != nullptr; }

const Occurrence* Invocation::find(OptionId id) const {
  for (const Occurrence& option : options)
    if (option.id == id) return &option;
  return nullptr;
}

std::vector<const Occurrence*> Invocation::all(OptionId id) const {
  std::vector<const Occurrence*> result;
  for (const Occurrence& option : options)
    if (option.id == id) result.push_back(&option);
  return result;
}

}  // namespace amdahlc::driver
