/// The scopes of events outside of the model, by what the trace records around their calls.
#pragma once

#include "ir/module.h"
#include "passes/trace_bind/bind_timeline.h"

namespace amdahlc::binding {

/// Gives each foreign event without a scope of the model the modules and annotations around its call, those of the
/// forward call for a step of the backward pass (`program::CallScopes`). They are added to the scopes of the module.
/// An event whose innermost module is one of the model keeps its scope. Precondition: the timeline has host events, and
/// the run a cover.
void addRecordedScopes(ir::Module& module, const Timeline& timeline, BoundRun& run);

}  // namespace amdahlc::binding
