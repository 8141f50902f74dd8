#include "passes/fuse/kernel_quotient.h"

#include <algorithm>

#include "support/limits.h"

namespace amdahlc {

using ir::kNone;
using ir::OpId;

KernelQuotient::KernelQuotient(const ir::OperatorGraph& graph) : graph_(graph) {
  const size_t count = graph.size();
  group_.resize(count);
  slot_.resize(count);
  for (const OpId op : group_.ids()) {
    group_[op] = ownGroup(op);
    slot_[ownGroup(op)] = graph.position(op);
  }
  inside_.assign(count, 0);
  seen_.assign(count, 0);
}

template <typename Visit>
void KernelQuotient::forEachHolder(OpId op, const Visit& visit) const {
  visit(group_[op]);
  if (furtherGroups_.empty()) return;
  if (const auto further = furtherGroups_.find(op); further != furtherGroups_.end()) {
    for (const Group group : further->second) visit(group);
  }
}

bool KernelQuotient::holds(Group group, OpId op) const {
  bool found = false;
  forEachHolder(op, [&](Group holder) { found |= holder == group; });
  return found;
}

/// Collects in `after_` the groups reachable from the operators, up to slot `highest`. Cycle if one leads back.
KernelQuotient::Result KernelQuotient::searchForward(std::span<const OpId> added, uint32_t highest) {
  ++search_;
  after_.clear();
  Result result;
  const auto visit = [&](Group group) {
    if (slot_[group] > highest || seen_[group] == search_) return;
    seen_[group] = search_;
    after_.push_back(group);
  };
  for (const OpId op : added) {
    for (const OpId user : graph_.successors(op)) {
      if (isInside(user)) continue;
      forEachHolder(user, [&](Group group) {
        if (!holds(group, op)) visit(group);
      });
    }
  }
  for (size_t next = 0; next < after_.size(); ++next) {
    if (next >= limits::kGroupsSearched) return {Choice::TooLarge, kNone};
    const Group group = after_[next];
    for (const OpId op : ops(group)) {
      // An operator in both groups is computed inside the new group as well.
      if (isInside(op)) continue;
      for (const OpId user : graph_.successors(op)) {
        if (isInside(user)) return {Choice::Cycle, op};
        forEachHolder(user, [&](Group holder) {
          if (holder != group && !holds(holder, op)) visit(holder);
        });
      }
    }
  }
  return result;
}

/// Collects in `before_` the groups that reach the operators, down to slot `lowest`. False if there are too many.
bool KernelQuotient::searchBackward(std::span<const OpId> added, uint32_t lowest) {
  ++search_;
  before_.clear();
  const auto visit = [&](Group group) {
    if (slot_[group] < lowest || seen_[group] == search_) return;
    seen_[group] = search_;
    before_.push_back(group);
  };
  for (const OpId op : added) {
    for (const OpId producer : graph_.predecessors(op)) {
      if (!isInside(producer)) forEachHolder(producer, visit);
    }
  }
  for (size_t next = 0; next < before_.size(); ++next) {
    if (next >= limits::kGroupsSearched) return false;
    const Group group = before_[next];
    for (const OpId op : ops(group)) {
      for (const OpId producer : graph_.predecessors(op)) {
        if (!holds(group, producer)) forEachHolder(producer, visit);
      }
    }
  }
  return true;
}

KernelQuotient::Result KernelQuotient::add(std::span<const OpId> added, OpId root, bool recompute) {
  auto& slots = slots_;
  slots.clear();
  for (const OpId op : added) {
    if (!isGrouped(op)) {
      slots.push_back(slot_[ownGroup(op)]);
      continue;
    }
    bool allowed = recompute && op != root;
    forEachHolder(op, [&](Group group) { allowed &= recomputed_[group - graph_.size()]; });
    if (!allowed) return {Choice::Overlaps, op};
  }
  ++addition_;
  for (const OpId op : added) inside_[op] = addition_;

  // The part of the order that the new group can change: its own operators, and the groups that it must follow or
  // precede.
  auto [lowest, highest] = std::ranges::minmax(slots);
  const bool overlaps = slots.size() != added.size();
  if (overlaps) {
    for (const OpId op : added) {
      for (const OpId producer : graph_.predecessors(op)) {
        if (!isInside(producer))
          forEachHolder(producer, [&](Group group) { highest = std::max(highest, slot_[group]); });
      }
      for (const OpId user : graph_.successors(op)) {
        if (!isInside(user)) forEachHolder(user, [&](Group group) { lowest = std::min(lowest, slot_[group]); });
      }
    }
  }
  uint32_t place = highest;
  if (added.size() > 1) {
    const Result forward = searchForward(added, highest);
    if (forward.choice != Choice::Chosen) return forward;
    if (!after_.empty() || overlaps) {
      if (!searchBackward(added, lowest)) return {Choice::TooLarge, kNone};
      const auto bySlot = [&](Group a, Group b) { return slot_[a] < slot_[b]; };
      std::sort(before_.begin(), before_.end(), bySlot);
      std::sort(after_.begin(), after_.end(), bySlot);
      for (const Group group : before_) slots.push_back(slot_[group]);
      for (const Group group : after_) slots.push_back(slot_[group]);
      std::sort(slots.begin(), slots.end());
      for (size_t i = 0; i < before_.size(); ++i) slot_[before_[i]] = slots[i];
      for (size_t i = 0; i < after_.size(); ++i) slot_[after_[i]] = slots[slots.size() - after_.size() + i];
      place = slots[slots.size() - after_.size() - 1];
    }
  }
  const auto group = static_cast<Group>(graph_.size() + members_.size());
  for (const OpId op : added) members_.append(op);
  members_.endRow();
  recomputed_.push_back(recompute);
  slot_.push_back(place);
  seen_.push_back(0);
  for (const OpId op : added) {
    if (isGrouped(op)) {
      furtherGroups_[op].push_back(group);
    } else {
      group_[op] = group;
    }
  }
  return {};
}

}  // namespace amdahlc
