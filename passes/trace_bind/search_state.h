/// One hypothesis of the alignment: which operators are claimed or skipped. Hypotheses share the blocks in which they
/// agree.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "passes/trace_bind/alternatives.h"
#include "timeline/timeline.h"

namespace amdahlc::binding {

enum class OpStatus : uint8_t { Open, Claimed, Skipped };

/// Status by operator, copied on write in blocks, with a hash that depends on the content only.
class StatusMap {
 public:
  explicit StatusMap(size_t count) {
    static const auto kOpen = std::make_shared<const Block>(Block{});
    blocks_.assign((count + kBlockSize - 1) / kBlockSize, kOpen);
  }
  OpStatus operator[](ir::OpId op) const { return (*blocks_[op.index() / kBlockSize])[op.index() % kBlockSize]; }
  void set(ir::OpId op, OpStatus status) {
    const OpStatus before = (*this)[op];
    if (before == status) return;
    hash_ ^= mix(op, before) ^ mix(op, status);
    auto copy = std::make_shared<Block>(*blocks_[op.index() / kBlockSize]);
    (*copy)[op.index() % kBlockSize] = status;
    blocks_[op.index() / kBlockSize] = std::move(copy);
  }
  uint64_t hash() const { return hash_; }
  /// What `op` with that status contributes to the hash.
  static uint64_t mix(ir::OpId op, OpStatus status) {
    if (status == OpStatus::Open) return 0;
    uint64_t x = (static_cast<uint64_t>(op.index()) << 2 | static_cast<uint64_t>(status)) + 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }

 private:
  static constexpr size_t kBlockSize = 512;
  using Block = std::array<OpStatus, kBlockSize>;
  std::vector<std::shared_ptr<const Block>> blocks_;
  uint64_t hash_ = 0;
};

struct SearchState {
  explicit SearchState(size_t ops) : status(ops) {}
  StatusMap status;
  /// Like `status.hash()`, over the operators that launch something.
  uint64_t workHash = 0;
  int64_t score = 0;
  /// Skip costs of operators that are still open.
  int64_t openCost = 0;
  /// By long family: all members before it are used up.
  std::vector<uint32_t> cursor;
  uint32_t history = 0xffffffffu;
  /// The kernel bound last.
  AlternativeId last = kNoAlternative;
  HostEventId lastCall;
  uint32_t lastRank = 0;
  /// The score of its fit, which a later launch of the same call may improve.
  int32_t lastFit = 0;
  /// The whole call is known to run this kernel.
  bool ownsCall = false;
};

}  // namespace amdahlc::binding
