/// The calls of a run as a tree: which call of an operator each host event is part of, and in which scope it runs.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/timeline/timeline.h"
#include "support/id.h"
#include "support/string_pool.h"

namespace amdahlc::program {

using ScopeId = Id<struct ProgramScopeTag>;
inline constexpr ScopeId kRootScope{0};

/// A module or an annotation inside others.
struct Scope {
  /// None for the root, which is the first scope and has no name.
  ScopeId parent;
  /// Of the host events that open it: a call of a module, or an annotation.
  Symbol name;
  friend bool operator==(const Scope&, const Scope&) = default;
};

/// The scopes of a run and the scope of each host event: the modules and annotations around it on its thread.
///
/// A step of the backward pass, with all that runs inside, is in the scope of its forward call (`ForwardCalls`), if the
/// trace tells it: the scope of a module holds its work of both passes. A module that a step calls again is in the
/// scope in which the forward pass called it last.
///
/// Marks of iterations are no scopes: steps of a profiler, and annotations around a whole iteration. Nor are, in a run
/// with steps of the backward pass, annotations that state the forward or the backward pass (`phaseStatedBy`): the
/// phases tell these apart inside of each scope. A scope has the same number whenever it is entered.
struct CallScopes {
  /// `host` is that of the timeline, or of the captures of its graphs. Linear in its events.
  CallScopes(const Timeline& timeline, const HostFacts& host);

  IdVector<ScopeId, Scope> scopes;
  /// By host event; of a module or an annotation the one around it.
  IdVector<HostEventId, ScopeId> scopeOf;
};

/// The calls that are nodes of a program.
///
/// An operator of a library is `lib::name`. A call of one is a node if no other encloses it. Events whose names are no
/// operators are transparent: regions of a compiler, frames of an autograd engine, dispatch modes. Such an event is a
/// node where it has work of its own, which is device events that it launched or stretches of its self time, and
/// nothing below it has any. Without a device, a region of code that a compiler generated is a node, too, unless a
/// region inside it is. On a device, generated kernels are device events without a call.
struct CallTree {
  /// `host` is that of the timeline, or of the captures of its graphs. Linear in the events.
  CallTree(const Timeline& timeline, const HostFacts& host);

  /// By host event: the node that it is or is part of; none for others.
  IdVector<HostEventId, HostEventId> nodeOf;
  /// The node whose work a device event is: that of its launch. None for events that no operator launched, and for the
  /// work of transparent events around nodes.
  HostEventId nodeOfEvent(const HostFacts& host, EventIndex event) const {
    const HostEventId op = host.launchOp[event];
    return op.isNone() ? op : nodeOf[op];
  }
};

}  // namespace amdahlc::program
