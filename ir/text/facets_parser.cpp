#include "ir/text/parser.h"
#include "support/edit_distance.h"

namespace amdahlc::ir {

void Parser::parseCandidates() {
  block([&] {
    const SourceRange where = range(token_);
    if (const uint32_t number = index("a candidate's number"); !panicking_ && number != module_.candidates.size()) {
      return failAt(where, "candidate " + std::to_string(number) + " where " +
                               std::to_string(module_.candidates.size()) + " is next");
    }
    Candidate candidate;
    const SourceRange at = range(token_);
    expect("@");
    const std::string rule = nameOrString("a rule's name");
    if (panicking_) return;
    if (const auto found = ruleIds_.find(rule); found != ruleIds_.end()) {
      candidate.rule = found->second;
    } else {
      std::vector<std::string> names;
      for (const Rule& known : module_.rules.rules) names.push_back(known.name);
      unknown(at, "no rule `@" + rule + "`" + didYouMean(rule, names));
    }
    if (accept("alternative")) candidate.alternative = index("an alternative's number");
    expect("root");
    const auto root = knownOpRef();
    expect("anchor");
    const auto anchor = knownOpRef();
    expect("ops");
    list([&] {
      if (const auto op = knownOpRef()) candidate.ops.push_back(*op);
    });
    // Values are named as the root sees them; without a root there is nothing to resolve them in.
    if (panicking_) return;
    if (!root || !anchor) return skipLine();
    candidate.root = *root;
    candidate.anchor = *anchor;
    const GraphId graph = module_.ops[*root].graph;
    expect("owned");
    candidate.owned = index("a number of operators");
    expect("values");
    list(
        [&] {
          const uint32_t value = index("a pattern value's number");
          expect("=");
          candidate.values.emplace_back(value, valueRef(graph));
        },
        "{", "}");
    expect("results");
    list([&] { candidate.results.push_back(valueRef(graph)); });
    expect("component");
    candidate.component = index("a component's number");
    if (!panicking_) module_.candidates.push_back(std::move(candidate));
  });
}

RunTimes Parser::parseRunTimes() {
  RunTimes times;
  expect("iterations");
  times.iterations = integer("a number of iterations");
  expect("events");
  times.deviceEvents = integer("a number of events");
  expect("busy");
  times.busyNs = integers("a time in ns");
  expect("wall");
  times.wallNs = integers("a time in ns");
  if (accept("window")) times.windowNs = integers("a time in ns");
  expect("device");
  times.deviceNs = integer("a time in ns");
  expect("bound");
  times.boundNs = integer("a time in ns");
  expect("unbound");
  times.unboundNs = integer("a time in ns");
  return times;
}

Branch Parser::parseBranch() {
  Branch branch;
  expect("join");
  branch.join = id<KernelId>("a kernel's id");
  expect("from");
  if (accept("input")) {
    branch.fromInput = string("a graph input's name");
  } else if (!accept("entry")) {
    branch.from = id<KernelId>("a kernel's id, `input` or `entry`");
  }
  expect("via");
  if (accept("input")) {
    branch.viaInput = string("a graph input's name");
  } else {
    branch.via = id<KernelId>("a kernel's id or `input`");
  }
  expect("kernels");
  branch.kernels = kernelIds();
  branch.kernelCount = static_cast<int64_t>(branch.kernels.size());
  if (accept("of")) {
    branch.kernelCount.reset();
    if (!accept("unknown")) branch.kernelCount = integer("a number of kernels or `unknown`");
  }
  expect("path");
  branch.pathNs = integer("a time in ns");
  expect("sum");
  if (!accept("unknown")) branch.sumNs = integer("a time in ns or `unknown`");
  return branch;
}

void Parser::parseBoundEvent(Kernel& kernel) {
  BoundEvent bound;
  bound.event = index("an event's number");
  if (!accept("none")) {
    do {
      bool known = false;
      std::vector<std::string> names;
      for (EvidenceSet bit = 1; bit <= static_cast<EvidenceSet>(Evidence::Order);
           bit = static_cast<EvidenceSet>(bit << 1)) {
        names.push_back(toString(bit));
        if (token_.kind != Token::Kind::Name || token_.text != names.back()) continue;
        bound.evidence |= bit;
        known = true;
      }
      if (!known)
        return fail("expected evidence such as `name`" +
                    (token_.kind == Token::Kind::Name ? didYouMean(token_.text, names) : std::string()));
      advance();
    } while (accept("+"));
  }
  const SourceRange where = range(token_);
  const uint32_t confidence = index("a confidence in thousandths");
  if (confidence > 1000) return failAt(where, "confidence " + std::to_string(confidence) + "; the most is 1000");
  bound.confidencePermille = static_cast<uint16_t>(confidence);
  kernel.events.push_back(bound);
}

void Parser::parseKernel(Cover& cover) {
  const SourceRange where = range(token_);
  Kernel kernel;
  kernel.id = id<KernelId>("a kernel's id");
  if (!panicking_ && kernel.id != cover.kernels.nextId()) {
    return failAt(where, "kernel " + std::to_string(kernel.id.index()) + " where " +
                             std::to_string(cover.kernels.size()) + " is next");
  }
  if (accept("candidate")) {
    const SourceRange at = range(token_);
    kernel.candidate = id<CandidateId>("a candidate's number");
    expect("@");
    const std::string rule = nameOrString("a rule's name");
    if (panicking_) return;
    if (!module_.candidates.contains(*kernel.candidate)) {
      unknown(at, "no candidate " + std::to_string(kernel.candidate->index()) + "; there are " +
                      std::to_string(module_.candidates.size()));
    } else if (const RuleId of = module_.candidates[*kernel.candidate].rule;
               module_.rules.rules.contains(of) && module_.rules.rules[of].name != rule) {
      // A candidate of an unknown rule has been reported.
      return failAt(at, "candidate " + std::to_string(kernel.candidate->index()) + " is of rule `@" +
                            module_.rules.rules[of].name + "`, not `@" + rule + "`");
    }
  }
  bool known = false;
  for (uint8_t row = 0; row < kKernelStateCount && token_.kind == Token::Kind::Name; ++row) {
    if (token_.text != name(static_cast<KernelState>(row))) continue;
    kernel.state = static_cast<KernelState>(row);
    known = true;
  }
  if (!known) {
    return failExpected({name(KernelState::Unbound), name(KernelState::Bound), name(KernelState::NoDeviceWork),
                         name(KernelState::NotExecuted)});
  }
  advance();
  if (accept("reason")) kernel.missReason = string("a reason");
  if (accept("trips")) kernel.tripCount = integer("a number of trips");
  if (accept("time")) {
    KernelTime time;
    time.perIterationNs = integers("a time in ns");
    expect("total");
    time.totalNs = integer("a time in ns");
    expect("busy-without");
    time.busyWithoutNs = integer("a time in ns");
    kernel.time = std::move(time);
  }
  const bool critical = accept("critical");
  if (critical || at("slack")) {
    expect("slack");
    kernel.path = KernelPath{critical, integer("a time in ns")};
  }
  block([&] {
    if (at("#")) {
      if (const auto op = knownOpRef()) kernel.ops.push_back(*op);
    } else if (accept("event")) {
      parseBoundEvent(kernel);
    } else {
      fail("expected an operator such as `#7`, or `event`");
    }
  });
  if (!panicking_) cover.kernels.push_back(std::move(kernel));
}

void Parser::parseCover() {
  Cover cover;
  cover.name = nameOrString("a cover's name");
  if (accept("trace")) cover.traceLabel = nameOrString("a timeline's label");
  block([&] {
    if (accept("kernel")) {
      parseKernel(cover);
    } else if (accept("times")) {
      cover.times = parseRunTimes();
    } else if (accept("critical-path")) {
      CriticalPath path;
      path.durationNs = integer("a time in ns");
      expect("ties");
      path.ties = integer("a number of paths");
      expect("kernels");
      path.kernels = kernelIds();
      cover.criticalPath = std::move(path);
    } else if (accept("branch")) {
      cover.branches.push_back(parseBranch());
    } else if (accept("unbound")) {
      UnboundEvent unbound;
      unbound.event = index("an event's number");
      unbound.category = nameOrString("a class");
      if (accept("scope")) unbound.scope = nameOrString("a module scope");
      unbound.reason = string("a reason");
      cover.unbound.push_back(std::move(unbound));
    } else {
      failExpected({"times", "critical-path", "kernel", "branch", "unbound"});
    }
  });
  if (!panicking_) module_.covers.push_back(std::move(cover));
}

Prediction Parser::parsePrediction() {
  Prediction prediction;
  prediction.cover = nameOrString("a cover's name");
  expect("busy");
  prediction.busyNs = real("a time in ns");
  expect("wall");
  prediction.wallNs = real("a time in ns");
  expect("path");
  prediction.pathNs = real("a time in ns");
  expect("kernels");
  prediction.path = kernelIds();
  expect("factors");
  list(
      [&] {
        const auto kernel = id<KernelId>("a kernel's id");
        expect("=");
        if (const auto factor = rational("a factor")) prediction.factors.emplace_back(kernel, *factor);
      },
      "{", "}");
  return prediction;
}

void Parser::parseScenario() {
  Scenario scenario;
  scenario.name = nameOrString("a scenario's name");
  block([&] {
    if (accept("request")) {
      SpeedupRequest request;
      const auto kind =
          token_.kind == Token::Kind::Name ? selectorKindFromName(token_.text) : std::optional<SelectorKind>();
      if (!kind) {
        std::vector<std::string_view> names;
        for (const SelectorRow& row : selectorTable()) names.push_back(row.name);
        return failExpected(names);
      }
      request.kind = *kind;
      request.range = range(token_);
      advance();
      request.selector = string("a selector");
      if (accept("factor")) request.factor = rational("a factor");
      if (accept("fixed")) request.fixedNs = integer("a time in ns");
      scenario.requests.push_back(std::move(request));
    } else if (accept("predict")) {
      scenario.predictions.push_back(parsePrediction());
    } else {
      failExpected({"request", "predict"});
    }
  });
  if (!panicking_) module_.scenarios.push_back(std::move(scenario));
}

}  // namespace amdahlc::ir
