#include "replay/runtimes/collectives.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "support/case_folding.h"

namespace amdahlc {
namespace {

struct KindRow {
  CollectiveKind kind;
  std::string_view name;
  bool synchronizes = false;
};
/// In the order of `CollectiveKind`.
constexpr KindRow kKinds[] = {
    {CollectiveKind::AllReduce, "all-reduce", true},
    {CollectiveKind::AllGather, "all-gather", true},
    {CollectiveKind::ReduceScatter, "reduce-scatter", true},
    {CollectiveKind::AllToAll, "all-to-all", true},
    {CollectiveKind::Barrier, "barrier", true},
    {CollectiveKind::Broadcast, "broadcast"},
    {CollectiveKind::Reduce, "reduce"},
    {CollectiveKind::Gather, "gather"},
    {CollectiveKind::Scatter, "scatter"},
    {CollectiveKind::PointToPoint, "point-to-point"},
    {CollectiveKind::Unknown, "collective"},
};
static_assert(std::size(kKinds) == static_cast<size_t>(CollectiveKind::Unknown) + 1);

struct Word {
  std::string_view text;
  CollectiveKind kind;
};
/// The first that occurs in a name, in lower case and without underscores, tells its kind. `reduce`, `gather` and
/// `scatter` are parts of other words.
constexpr Word kWords[] = {
    {"reducescatter", CollectiveKind::ReduceScatter},
    {"allreduce", CollectiveKind::AllReduce},
    {"crossdevicereduce", CollectiveKind::AllReduce},
    {"allgather", CollectiveKind::AllGather},
    {"alltoall", CollectiveKind::AllToAll},
    {"barrier", CollectiveKind::Barrier},
    {"broadcast", CollectiveKind::Broadcast},
    {"send", CollectiveKind::PointToPoint},
    {"recv", CollectiveKind::PointToPoint},
    {"gather", CollectiveKind::Gather},
    {"scatter", CollectiveKind::Scatter},
    {"reduce", CollectiveKind::Reduce},
};

/// How the names of kernels of communication libraries begin.
constexpr std::string_view kLibraries[] = {"nccl", "rccl", "msccl", "nvshmem", "oneccl"};
/// Parts of the names of other kernels that only communicate: of PyTorch's symmetric memory, of vLLM.
constexpr std::string_view kKernels[] = {"one_shot_all_reduce", "two_shot_all_reduce", "multimem_",
                                         "cross_device_reduce"};

/// The name without its return type, arguments, and what follows.
std::string_view functionName(std::string_view kernel) {
  constexpr std::string_view kReturnsNothing = "void ";
  if (kernel.starts_with(kReturnsNothing)) kernel.remove_prefix(kReturnsNothing.size());
  return kernel.substr(0, kernel.find_first_of("(<"));
}

}  // namespace

std::string_view name(CollectiveKind kind) { return kKinds[static_cast<size_t>(kind)].name; }

bool isSynchronizing(CollectiveKind kind) { return kKinds[static_cast<size_t>(kind)].synchronizes; }

bool isCommunicationKernel(std::string_view kernel) {
  const std::string_view function = functionName(kernel);
  return std::any_of(std::begin(kLibraries), std::end(kLibraries),
                     [&](std::string_view library) { return function.starts_with(library); }) ||
         std::any_of(std::begin(kKernels), std::end(kKernels),
                     [&](std::string_view part) { return function.find(part) != std::string_view::npos; });
}

CollectiveKind collectiveKind(std::string_view name) {
  std::string text = toLower(functionName(name));
  std::erase(text, '_');
  for (const Word& word : kWords)
    if (text.find(word.text) != std::string::npos) return word.kind;
  return CollectiveKind::Unknown;
}

}  // namespace amdahlc
