#include "passes/liveness/measured_memory.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

#include "ir/facets/bound.h"
#include "passes/liveness/liveness_analysis.h"
#include "runs/program/call_tree.h"

namespace amdahlc {
namespace {

/// Sums of sizes that a trace states may need more than 64 bits.
using ByteSum = __int128;

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

class Measurement {
 public:
  Measurement(const Timeline& run, const ir::Cover& cover, const Liveness& liveness)
      : run_(run),
        host_(*run.host),
        bound_(*cover.facets.get<ir::BoundFacet>()),
        liveness_(liveness),
        tree_(run, *run.host),
        iteration_(static_cast<int32_t>(representativeIteration(run))),
        recording_(run.iterations[static_cast<size_t>(iteration_)].recording) {}

  Known<MeasuredMemory> run() {
    findCalls();
    if (!findPeak()) return Absence{Absence::Reason::NoAllocations};
    pairRecords();
    if (all_.empty()) return Absence{Absence::Reason::NoAllocations};
    assignTensors();
    explain();
    for (const MeasuredLife& life : all_)
      if (life.fromNs <= toNs_ && endOf(life) >= fromNs_) found_.lives.push_back(life);
    return std::move(found_);
  }

 private:
  static int64_t endOf(const MeasuredLife& life) { return life.toNs.value_or(kNever); }

  /// The call that a kernel is: the node of the calls, or the operator that launched it.
  HostEventId callOf(EventIndex event) const {
    const HostEventId op = host_.launchOp[event];
    if (op.isNone()) return host_.launch[event];
    return tree_.nodeOf[op].isNone() ? op : tree_.nodeOf[op];
  }

  /// When the calls of each kernel begin and end in the iteration, and the extent of all of them.
  void findCalls() {
    fromNs_ = kNever;
    toNs_ = std::numeric_limits<int64_t>::min();
    for (const ir::KernelId kernel : liveness_.kernels) {
      TimeInterval& calls = calls_.emplace_back(TimeInterval{kNever, std::numeric_limits<int64_t>::min()});
      const auto position = static_cast<SchedulePosition>(calls_.size() - 1);
      for (const auto& served : bound_.kernels[kernel].events) {
        if (run_.iteration[served.event] != iteration_) continue;
        const HostEventId call = callOf(served.event);
        if (call.isNone()) continue;
        positionsOf_[call.index()].push_back(position);
        calls.startNs = std::min(calls.startNs, host_.startNs[call]);
        calls.endNs = std::max(calls.endNs, host_.endNs(call));
      }
    }
    for (EventIndex event = 0; event < run_.size(); ++event) {
      const HostEventId call = run_.iteration[event] == iteration_ ? callOf(event) : HostEventId();
      if (call.isNone()) continue;
      fromNs_ = std::min(fromNs_, host_.startNs[call]);
      toNs_ = std::max(toNs_, host_.endNs(call));
    }
    const Iteration& iteration = run_.iterations[static_cast<size_t>(iteration_)];
    fromNs_ = iteration.startNs.value_or(fromNs_);
    toNs_ = iteration.endNs.value_or(toNs_);
  }

  /// The peak of the iteration, and the last kernel that was called by then.
  bool findPeak() {
    const MemoryRecord* most = nullptr;
    for (const MemoryRecord& record : host_.memory)
      if (record.ns >= fromNs_ && record.ns <= toNs_ &&
          (most == nullptr || record.allocatedBytes > most->allocatedBytes))
        most = &record;
    if (most == nullptr) return false;
    found_.peakBytes = most->allocatedBytes;
    found_.peakNs = most->ns;
    int64_t latest = std::numeric_limits<int64_t>::min();
    for (SchedulePosition at = 0; at < calls_.size(); ++at) {
      if (calls_[at].startNs > most->ns || calls_[at].startNs < latest) continue;
      latest = calls_[at].startNs;
      found_.position = at;
    }
    return true;
  }

  /// Makes lives of the records, and finds the call of each. Records of other recordings tell nothing: addresses of
  /// another process mean other memory.
  void pairRecords() {
    std::unordered_map<int64_t, size_t> open;  // by address; looked up only
    std::vector<std::vector<HostEventId>> stacks(run_.tracks.size());
    HostEventId next{0};
    for (const MemoryRecord& record : host_.memory) {
      for (; next.index() < host_.size() && host_.startNs[next] <= record.ns; next = next.next()) {
        if (host_.kind[next] != EventKind::Operator) continue;
        auto& stack = stacks[host_.track[next]];
        while (!stack.empty() && host_.endNs(stack.back()) <= host_.startNs[next]) stack.pop_back();
        stack.push_back(next);
      }
      HostEventId call;
      if (record.track != kNoTrack) {
        auto& stack = stacks[record.track];
        while (!stack.empty() && host_.endNs(stack.back()) < record.ns) stack.pop_back();
        if (!stack.empty()) call = stack.back();
      }
      if (record.ns == found_.peakNs && record.allocatedBytes == found_.peakBytes) found_.peakCall = call;
      if (record.bytes == 0 || run_.recordingAt(record.ns) != recording_) continue;
      // Memory that is given again was free before, whether or not that is recorded.
      if (const auto known = open.find(record.address); known != open.end()) {
        all_[known->second].toNs = record.ns;
        open.erase(known);
      }
      if (record.bytes < 0) continue;
      open.emplace(record.address, all_.size());
      all_.push_back({record.address, record.bytes, record.ns, std::nullopt, call, {}, {}});
    }
  }

  /// A kernel's tensors are among what its calls allocated: each is in the smallest memory that is large enough and
  /// that is not free before its last use; of equal ones in that which is free last. Larger tensors choose first, of
  /// equal ones that with the last use.
  void assignTensors() {
    std::vector<std::vector<size_t>> given(calls_.size());
    for (size_t life = 0; life < all_.size(); ++life) {
      if (all_[life].call.isNone() || all_[life].fromNs < fromNs_ || all_[life].fromNs > toNs_) continue;
      const HostEventId node = tree_.nodeOf[all_[life].call];
      const auto known = positionsOf_.find((node.isNone() ? all_[life].call : node).index());
      if (known == positionsOf_.end()) continue;
      all_[life].kernel = liveness_.kernels[known->second.front()];
      for (const SchedulePosition at : known->second)
        if (given[at].empty() || given[at].back() != life) given[at].push_back(life);
    }
    std::vector<std::vector<TensorId>> born(calls_.size());
    for (const TensorId tensor : liveness_.tensors.ids())
      if (isBornHere(tensor)) born[liveness_.tensors[tensor].birth].push_back(tensor);
    lifeOf_.resize(liveness_.tensors.size(), kNoLife);
    for (SchedulePosition at = 0; at < calls_.size(); ++at) {
      std::ranges::stable_sort(born[at], std::greater(), [&](TensorId id) {
        return std::pair(*liveness_.tensors[id].bytes, liveness_.uses[id].back().position);
      });
      std::ranges::stable_sort(given[at], {},
                               [&](size_t life) { return std::pair(all_[life].bytes, -endOf(all_[life])); });
      for (const TensorId tensor : born[at]) assign(tensor, at, given[at]);
    }
  }

  void assign(TensorId tensor, SchedulePosition at, const std::vector<size_t>& given) {
    const auto lastUse = liveness_.uses[tensor].back().position;
    for (const size_t life : given) {
      MeasuredLife& found = all_[life];
      if (!found.tensor.isNone() || found.bytes < *liveness_.tensors[tensor].bytes) continue;
      const int64_t usedNs = calls_[lastUse].startNs;  // never if no call of the iteration launched the kernel
      if (lastUse != at && usedNs != kNever && endOf(found) < usedNs) continue;
      found.tensor = tensor;
      found.kernel = liveness_.kernels[at];
      lifeOf_[tensor] = life;
      return;
    }
  }

  /// Whether a call of the iteration allocates the tensor.
  bool isBornHere(TensorId id) const {
    const Tensor& tensor = liveness_.tensors[id];
    return !tensor.isGlobal && !tensor.isBefore && tensor.bytes.value_or(0) > 0;
  }

  void explain() {
    const int64_t at = found_.peakNs;
    std::array<ByteSum, kMemoryDifferences> differences{};
    const auto add = [&](MemoryDifference why, ByteSum bytes) { differences[static_cast<size_t>(why)] += bytes; };
    ByteSum ofRecords = 0;
    for (const MeasuredLife& life : all_) {
      if (life.fromNs > at || endOf(life) <= at) continue;
      ofRecords += life.bytes;
      if (life.fromNs < fromNs_) {
        add(MemoryDifference::Before, life.bytes);
      } else if (life.tensor.isNone()) {
        add(MemoryDifference::NoTensor, life.bytes);
      } else {
        const bool isLive = liveness_.isLive(life.tensor, found_.position);
        add(MemoryDifference::Held, isLive ? 0 : life.bytes);
        add(MemoryDifference::Rounding, isLive ? life.bytes - *liveness_.tensors[life.tensor].bytes : 0);
      }
    }
    add(MemoryDifference::Before, found_.peakBytes - ofRecords);
    for (const TensorId id : liveness_.tensors.ids()) {
      if (!liveness_.isLive(id, found_.position)) continue;
      const int64_t bytes = liveness_.tensors[id].bytes.value_or(0);
      const size_t life = lifeOf_[id];
      if (!isBornHere(id))
        add(MemoryDifference::Before, -bytes);
      else if (life == kNoLife)
        add(MemoryDifference::NotFound, -bytes);
      else if (all_[life].fromNs > at)
        add(MemoryDifference::NotYet, -bytes);
      // A live tensor is not free: its last use is behind the position, and `assign` takes nothing that ends before it.
      else if (endOf(all_[life]) <= at)
        add(MemoryDifference::NotFound, -bytes);
    }
    add(MemoryDifference::Elsewhere, liveness_.liveBytes[found_.position] - liveness_.peakBytes());
    for (size_t why = 0; why < kMemoryDifferences; ++why)
      found_.differences[why] = static_cast<int64_t>(std::clamp<ByteSum>(differences[why], -kNever, kNever));
  }

  static constexpr size_t kNoLife = std::numeric_limits<size_t>::max();

  const Timeline& run_;
  const HostFacts& host_;
  const ir::BoundFacet& bound_;
  const Liveness& liveness_;
  const program::CallTree tree_;
  const int32_t iteration_;
  const uint32_t recording_;
  MeasuredMemory found_;
  /// By position.
  std::vector<TimeInterval> calls_;
  // By the index of a call; looked up only.
  std::unordered_map<uint32_t, std::vector<SchedulePosition>> positionsOf_;
  /// The extent of the iteration.
  int64_t fromNs_ = 0, toNs_ = 0;
  std::vector<MeasuredLife> all_;
  IdVector<TensorId, size_t> lifeOf_;
};

}  // namespace

Known<MeasuredMemory> measuredMemory(const ir::Module& module, const ir::Cover& cover, const Liveness& liveness) {
  const Timeline* const run = module.findTimeline(cover.traceLabel);
  if (run == nullptr) return Absence{Absence::Reason::TraceNotGiven};
  if (const auto absence = run->absenceOfTrace()) return *absence;
  if (!liveness.isMeasured || !liveness.peak) return Absence{Absence::Reason::NoDeviceWork};
  if (run->host->memory.empty()) return Absence{Absence::Reason::NoAllocations};
  return Measurement(*run, cover, liveness).run();
}

}  // namespace amdahlc
