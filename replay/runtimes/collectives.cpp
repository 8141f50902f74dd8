#include "replay/runtimes/collectives.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "support/case_folding.h"
#include "support/name_list.h"

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

}  // namespace

std::string_view name(CollectiveKind kind) { return kKinds[static_cast<size_t>(kind)].name; }

bool isSynchronizing(CollectiveKind kind) { return kKinds[static_cast<size_t>(kind)].synchronizes; }

std::string qualifiedName(std::string_view kernel) {
  constexpr std::string_view kVoid = "void ", kAnonymous[] = {"(anonymous namespace)::", "<unnamed>::"};
  if (kernel.starts_with(kVoid)) kernel.remove_prefix(kVoid.size());
  std::string name;
  while (!kernel.empty()) {
    const size_t end = kernel.find_first_of("<(");
    name += kernel.substr(0, end);
    if (end == std::string_view::npos) break;
    kernel.remove_prefix(end);
    const auto* anonymous =
        std::ranges::find_if(kAnonymous, [&](std::string_view prefix) { return kernel.starts_with(prefix); });
    if (anonymous == std::end(kAnonymous)) break;
    kernel.remove_prefix(anonymous->size());
  }
  return name;
}

bool isCommunicationKernel(std::string_view kernel) {
  const std::string function = qualifiedName(kernel);
  return startsWithOneOf(kLibraries, function) || std::ranges::any_of(kKernels, [&](std::string_view part) {
           return function.find(part) != std::string_view::npos;
         });
}

CollectiveKind collectiveKind(std::string_view name) {
  std::string text = toLower(qualifiedName(name));
  std::erase(text, '_');
  for (const Word& word : kWords)
    if (text.find(word.text) != std::string::npos) return word.kind;
  return CollectiveKind::Unknown;
}

}  // namespace amdahlc
