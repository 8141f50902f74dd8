// Launch facts, the names of kernel tests: each with its row at the end of the file.
#include "ir/expression/functions.h"

namespace amdahlc::expression {
namespace {

using Arguments = std::span<const Value>;

Value recorded(int64_t fact) { return fact < 0 ? Value::unknown() : Value::of(fact); }

template <int64_t LaunchFacts::* kMember>
Value fact(const Leaves& leaves, Arguments) {
  return leaves.launch ? recorded(leaves.launch->facts.*kMember) : Value::unknown();
}

template <int64_t (LaunchFacts::*kDims)[3], size_t kAxis>
Value extent(const Leaves& leaves, Arguments) {
  return leaves.launch ? recorded((leaves.launch->facts.*kDims)[kAxis]) : Value::unknown();
}

/// Unknown where one extent is, or beyond 64 bits.
template <int64_t (LaunchFacts::*kDims)[3]>
Value volume(const Leaves& leaves, Arguments) {
  const auto product = [](const Value& a, const Value& b) { return arithmetic(ir::Expr::Kind::Mul, a, b); };
  return product(product(extent<kDims, 0>(leaves, {}), extent<kDims, 1>(leaves, {})), extent<kDims, 2>(leaves, {}));
}

Value kind(const Leaves& leaves, Arguments) {
  return leaves.launch ? Value::of(name(leaves.launch->kind)) : Value::unknown();
}

constexpr Context kKernel[] = {Context::Kernel};
constexpr std::string_view kKinds[] = {"kernel", "copy", "set"};

constexpr auto kFact = Function::Form::Name;
constexpr auto kNumber = Type::Number;

constexpr Function kFacts[] = {
    {"block", kFact, {}, kNumber, kKernel, "threads of a block", volume<&LaunchFacts::block>},
    {"block.x", kFact, {}, kNumber, kKernel, "threads of a block along x", extent<&LaunchFacts::block, 0>},
    {"block.y", kFact, {}, kNumber, kKernel, "threads of a block along y", extent<&LaunchFacts::block, 1>},
    {"block.z", kFact, {}, kNumber, kKernel, "threads of a block along z", extent<&LaunchFacts::block, 2>},
    {"bytes", kFact, {}, kNumber, kKernel, "bytes that a copy or a set writes", fact<&LaunchFacts::bytes>},
    {"grid", kFact, {}, kNumber, kKernel, "blocks of the grid", volume<&LaunchFacts::grid>},
    {"grid.x", kFact, {}, kNumber, kKernel, "blocks of the grid along x", extent<&LaunchFacts::grid, 0>},
    {"grid.y", kFact, {}, kNumber, kKernel, "blocks of the grid along y", extent<&LaunchFacts::grid, 1>},
    {"grid.z", kFact, {}, kNumber, kKernel, "blocks of the grid along z", extent<&LaunchFacts::grid, 2>},
    {"kind",
     kFact,
     {},
     Type::String,
     kKernel,
     "what the device did: `\"kernel\"`, `\"copy\"` or `\"set\"`",
     kind,
     kKinds},
    {"registers", kFact, {}, kNumber, kKernel, "registers of a thread", fact<&LaunchFacts::registers>},
    {"shared_memory",
     kFact,
     {},
     kNumber,
     kKernel,
     "shared memory of a block in bytes",
     fact<&LaunchFacts::sharedMemoryBytes>},
};

}  // namespace

std::span<const Function> launchFacts() { return kFacts; }

}  // namespace amdahlc::expression
