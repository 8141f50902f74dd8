#include "sample_module.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "grammar/rule_loader.h"
#include "ir/facets/bound.h"
#include "ir/facets/critical_path.h"
#include "ir/facets/timed.h"
#include "ir/text.h"

namespace amdahlc::ir::test {

ModuleBuilder::ModuleBuilder() {
  module.modelName = "sample.onnx";
  module.opsets[""] = 18;
  module.graphs.emplace_back().name = module.strings.intern("main");
}

ValueId ModuleBuilder::define(const std::string& name, Value::Kind kind, GraphId graph) {
  Value value;
  value.name = module.strings.intern(name);
  value.kind = kind;
  value.graph = graph;
  value.type = Type::tensor(ElementType::Float, {Dim::of(2), Dim::of(4)});
  value.byteSize = value.type.byteSize();
  return module.values.push_back(std::move(value));
}

GraphId ModuleBuilder::addGraph(OpId parent, const std::string& regionName) {
  const auto id = module.graphs.nextId();
  module.graphs.emplace_back().name = module.strings.intern(regionName + " graph");
  module.graphs[id].parent = parent;
  module.ops[parent].regions.push_back({regionName, id});
  return id;
}

ValueId ModuleBuilder::input(const std::string& name, GraphId graph) {
  const ValueId id = define(name, Value::Kind::Input, graph);
  module.graphs[graph].inputs.push_back(id);
  return id;
}

ValueId ModuleBuilder::constant(const std::string& name, std::vector<int64_t> data, GraphId graph) {
  const ValueId id = define(name, Value::Kind::Constant, graph);
  Value& value = module.values[id];
  value.type = Type::tensor(ElementType::Int64, {Dim::of(static_cast<int64_t>(data.size()))});
  value.byteSize = value.type.byteSize();
  value.constant = TensorConstant{value.type, std::move(data), std::nullopt};
  return id;
}

ValueId ModuleBuilder::value(const std::string& name) const {
  for (size_t index = module.values.size(); index-- > 0;) {
    const ValueId id(index);
    if (module.text(module.values[id].name) == name) return id;
  }
  throw std::logic_error("no value " + name);
}

OpId ModuleBuilder::op(const std::string& type, const std::vector<std::string>& inputs,
                       const std::vector<std::string>& outputs, GraphId graph) {
  const auto id = module.ops.nextId();
  Op op;
  op.type = module.strings.intern(type);
  op.graph = graph;
  for (const auto& name : inputs) op.inputs.push_back(name.empty() ? ValueId(kNone) : value(name));
  for (const auto& name : outputs) {
    op.outputs.push_back(name.empty() ? ValueId(kNone) : define(name, Value::Kind::Result, graph));
    if (name.empty()) continue;
    module.values.back().producer = id;
    module.values.back().producerIndex = static_cast<uint32_t>(op.outputs.size() - 1);
  }
  module.ops.push_back(std::move(op));
  module.graphs[graph].order.push_back(id);
  return id;
}

void ModuleBuilder::output(const std::string& name, GraphId graph) {
  module.graphs[graph].outputs.push_back(value(name));
}

KernelList grouping(const Module& module, std::vector<std::vector<OpId>> groups) {
  KernelList result;
  IdVector<OpId, bool> held(module.ops.size(), false);
  for (const auto& group : groups) {
    for (const OpId op : group) held[op] = true;
    result.push_back({{}, std::nullopt, group});
  }
  for (const OpId op : module.ops.ids()) {
    if (module.ops[op].state == OpState::Live && !held[op]) result.push_back({{}, std::nullopt, {op}});
  }
  return result;
}

void fuseTrivially(Module& module) {
  Cover cover;
  cover.name = "default";
  cover.kernels = numberKernels(module, OperatorGraph(module), grouping(module, {})).value();
  module.covers.push_back(std::move(cover));
  module.establish(Facet::Fused);
}

namespace {

/// Every part of rules, and every kind of expression.
constexpr const char* kRules = R"(akp 1;
hidden Identity, com.microsoft::Gelu;
views View { Reshape, "my domain"::View }
views View2 runtime "onnx runtime" on nvidia arch "sm_80+" { Flatten }

kernel unused {
  match -> Other();
}

/// First line.
///
/// Second line.
kernel linear : gemm {
  label "Linear \"x\" \x01\n";
  priority -3;
  runtime pytorch;
  vendor nvidia | amd;
  arch "sm_80+";
  match -> Other()
  or match(x, and_odd?, q) {
    c = const(it > 0);
    (_, b) = (MatMul | com.microsoft::*)(x, and_odd, c, c, ...) { axis in (-4, 1..8), alpha == 0.1 or not trans and perm == [0, 1e300] };
    (d, _, e) = (Split(b) | (Relu(_?), _, (Tanh(const 1.4142135623730951) | _)));
    y = (any but Add | Sub)*(Cast(d)?, _, e, ...);
    shared b;
    anchor y;
    where rank(q) == -4 or rank(q) != 5 and rank(q) < 6 | rank(q) <= 7 and not (rank(q) > 8 or rank(q) >= 9);
    where (rank(q) + 1 - 2) * 3 / 4 % 5 - -(rank(q) - (rank(x) - 1)) in (rank(x)..7);
    where type(q) in (float16, bfloat16);
    where scope(y) == /gemm|"cutlass"\/\x{1b}/ or scope(y) == "kernel\n" or true;
  } -> (y, b, (Mul | Div){2,3}(x, q));
  runs as set { /split\dk/*; (grid.x / 2 > 1 and kind == "copy")+; /reduce/ } for op "aten::linear" | /aten::.*/ arch gfx942
  or as { /a/{2}; /b/{3,}; /c/? };
}

kernel "view of it" : view {
  label "view";
  recompute;
  evidence names;
  match -> Other();
  runs as nothing;
}

kernel fused : fused {
  generated;
  match -> _(_, ...);
  runs as /fused/;
}
)";

RuleSet everyRule() {
  SourceManager sources;
  std::string messages;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { messages += render(diagnostic, sources, false); });
  auto rules = grammar::loadRuleText("rules.akp", kRules, sources, diagnostics);
  if (!rules) throw std::logic_error(messages);
  return std::move(*rules);
}

void addEvent(Timeline& timeline, EventKind kind, int64_t start, std::string_view name, int32_t iteration,
              HostEventId launch = {}) {
  timeline.kind.push_back(kind);
  timeline.startNs.push_back(start);
  timeline.durationNs.push_back(10);
  timeline.name.push_back(timeline.strings.intern(name));
  timeline.track.push_back(1);
  timeline.correlation.push_back(start);
  timeline.iteration.push_back(iteration);
  timeline.factsIndex.push_back(kNoFacts);
  timeline.host->launch.push_back(launch);
  timeline.host->launchOp.push_back(launch.isNone() ? launch : timeline.host->parent[launch]);
}

HostEventId addHostEvent(Timeline& timeline, EventKind kind, int64_t start, std::string_view name, HostEventId parent) {
  HostFacts& host = *timeline.host;
  host.startNs.push_back(start);
  host.durationNs.push_back(10);
  host.name.push_back(timeline.strings.intern(name));
  host.track.push_back(0);
  host.correlation.push_back(-1);
  host.parent.push_back(parent);
  host.iteration.push_back(0);
  host.factsIndex.push_back(kNoFacts);
  return host.kind.push_back(kind);
}

/// Device events 0, 1, 2 (dropped iteration), 3, 4 (outside all), 5, and two host events.
Timeline timelineOf(const std::string& label) {
  Timeline timeline;
  timeline.label = label;
  timeline.file = "trace \xff.json";
  timeline.format = "kineto";
  timeline.contentHash = "00ff";
  timeline.target.runtime = "pytorch";
  timeline.target.device = "NVIDIA H100 80GB HBM3";
  timeline.tracks = {{"1", "main", false, ""}, {"0", "stream 7", true, "compute"}};
  timeline.iterations = {{"ProfilerStep#0", 5, 55, LeftOut::WarmUp, 10},
                         {"ProfilerStep#1", 10, 70},
                         {"after", std::nullopt, std::nullopt, LeftOut::WithoutDeviceWork, std::nullopt}};
  timeline.problems = {{"clipped-event", 3, "events that end after their parent"}};
  timeline.host.emplace();
  const HostEventId op = addHostEvent(timeline, EventKind::Operator, 10, "aten::linear", {});
  const HostEventId call = addHostEvent(timeline, EventKind::Runtime, 12, "cudaLaunchKernel", op);
  addEvent(timeline, EventKind::Kernel, 20, "void gemm<float, 128>(\"a\")", 1, call);
  addEvent(timeline, EventKind::Copy, 30, "Memcpy HtoD", 1);
  addEvent(timeline, EventKind::Kernel, 30, "warm-up", 0);
  addEvent(timeline, EventKind::Set, 40, "", 1);
  addEvent(timeline, EventKind::Kernel, 50, "outside", kNoIteration);
  addEvent(timeline, EventKind::Kernel, 60, "softmax", 1);
  timeline.launchFacts.push_back({{1, 2, 3}, {128, 1, 1}, 255, 49152, -1});
  timeline.factsIndex[0] = 0;
  timeline.launchFacts.push_back({{-1, -1, -1}, {-1, -1, -1}, -1, -1, 4096});
  timeline.factsIndex[1] = 1;
  timeline.launchFacts.push_back({});
  timeline.factsIndex[5] = 2;
  return timeline;
}

Cover measured(const Cover& base, const std::string& label, ScopeId scope) {
  Cover cover = base;
  cover.name = cover.traceLabel = label;
  BoundFacet bound;
  TimedFacet timed;
  CriticalPathFacet path;
  bound.kernels.resize(cover.kernels.size());
  timed.run = RunTimes{1, 0, 4, {40}, std::vector<int64_t>{50}, std::vector<int64_t>{60}, {40}, {30}, 40};
  timed.kernels.resize(cover.kernels.size(), KernelTime{{0}, 0, 40});
  timed.kernels[0_kernel] = KernelTime{{20}, 20, 20};
  timed.kernels[1_kernel] = KernelTime{{10}, 10, 30};
  path.kernels.resize(cover.kernels.size(), KernelPath{false, 20});
  path.kernels[0_kernel] = KernelPath{true, 0};
  bound.kernels[0_kernel] = {KernelState::Bound, {{0, 31, 1000}, {1, 0, 0}}, std::nullopt, std::nullopt};
  const auto evidence = static_cast<EvidenceSet>(Evidence::Name) | static_cast<EvidenceSet>(Evidence::Order);
  bound.kernels[1_kernel] = {
      KernelState::Bound, {{3, static_cast<EvidenceSet>(evidence), 512}}, std::nullopt, std::nullopt};
  bound.kernels[2_kernel].missReason = MissReason::NoRule;
  bound.kernels[3_kernel].state = KernelState::NotExecuted;
  bound.kernels[4_kernel].tripCount = 7;
  bound.unbound = {{5, scope, {UnboundReason::Kind::NoKernelLeft, "", 1_rule, 3, {}, 0, {}, 0}}};
  bound.fit = {true, 2, 7250, 980, 1000, 512, {true, true, false, true}, false};
  path.durationNs = 20;
  path.path = {0_kernel};
  path.ties = std::numeric_limits<int64_t>::max();
  path.branches = {{3_kernel, 0_kernel, "", 2_kernel, "", ids<KernelId>({1, 2}), 2, 10, 10},
                   {3_kernel, std::nullopt, "", std::nullopt, "x \n", {}, 0, 0, 0},
                   {3_kernel, std::nullopt, "x", 1_kernel, "", {1_kernel}, 1, 10, 10},
                   {4_kernel, 0_kernel, "", 2_kernel, "", ids<KernelId>({1, 2}), 4, 10, 20},
                   {4_kernel, 0_kernel, "", 3_kernel, "", ids<KernelId>({2, 3}), std::nullopt, 10, std::nullopt}};
  cover.facets.set(std::move(bound));
  cover.facets.set(std::move(timed));
  cover.facets.set(std::move(path));
  return cover;
}

}  // namespace

Module everything() {
  ModuleBuilder b;
  Module& m = b.module;
  m.modelName = "odd \"name\"\xc3\x28.onnx";
  m.opsets["com.microsoft"] = 1;
  m.target = {"pytorch", "nvidia", "sm_90", "NVIDIA H100 80GB HBM3"};
  m.truncatedRoots = 2;
  m.dataProblems.add("b-problem", 1, "second");
  m.dataProblems.add("a-problem", 2, "first");
  const auto sym = [&](std::string_view text) { return m.strings.intern(text); };

  b.input("x");
  b.input("value with spaces");
  b.constant("shape", {1, -2, std::numeric_limits<int64_t>::min()});
  b.constant("empty", {});
  const ValueId weight = b.constant("w", {});
  m.values[weight].type = Type::tensor(ElementType::Float16, {Dim::of(768), Dim::of(768)});
  m.values[weight].constant = TensorConstant{m.values[weight].type, std::nullopt, std::nullopt};
  m.values[weight].byteSize = 12;
  m.storages = {{4096, true, true, false}, {std::nullopt, false, false, true}, {0, false, true, false}};
  m.values[weight].storage = StorageId(0);
  const ValueId floats = b.constant("floats", {});
  const double inf = std::numeric_limits<double>::infinity();
  m.values[floats].type = Type::tensor(ElementType::Float, {Dim::of(7)});
  m.values[floats].constant =
      TensorConstant{m.values[floats].type, std::nullopt,
                     std::vector<double>{0.1, 1, -0.0, 1e300, inf, -inf, std::numeric_limits<double>::quiet_NaN()}};
  m.values[floats].byteSize = std::nullopt;
  const ValueId folded = b.constant("folded", {3});
  m.values[folded].constant->type = Type::tensor(ElementType::Int32, {Dim::of(1), Dim::of(1)});

  const OpId shape = b.op("Shape", {"x"}, {});
  const OpId matmul = b.op("MatMul", {"x", "w"}, {"h"});
  m.values[b.value("h")].storage = StorageId(1);
  m.values[b.value("h")].isWritten = true;
  const OpId identity = b.op("Identity", {"h"}, {"h2"});
  m.values[b.value("h2")].storage = StorageId(1);
  const OpId add = b.op("Add", {"h", "floats"}, {"sum"});
  const OpId split = b.op("Split", {"sum", "", "shape"}, {"s0", "", "s2"});
  const OpId loop = b.op("Loop", {"", "folded", "s0"}, {"looped"});
  const GraphId body = b.addGraph(loop, "body");
  b.input("i", body);
  b.constant("k", {5}, body);
  const OpId inBody = b.op("Mul", {"i", "s2"}, {"x2"}, body);
  const OpId branch = b.op("If", {"k"}, {"chosen"}, body);
  const GraphId thenBranch = b.addGraph(branch, "then_branch");
  b.op("Relu", {"sum"}, {"then out"}, thenBranch);
  b.output("then out", thenBranch);
  const GraphId elseBranch = b.addGraph(branch, "else_branch");
  b.output("s2", elseBranch);
  const OpId deadIdentity = b.op("Identity", {"h2"}, {"h3"}, body);
  b.output("chosen", body);
  b.op("Sink", {"looped", "x"}, {});
  const OpId deadIf = b.op("If", {"h2"}, {"never"});
  const GraphId deadBranch = b.addGraph(deadIf, "then_branch");
  const OpId deadRelu = b.op("Relu", {"h2"}, {"nothing"}, deadBranch);
  b.output("nothing", deadBranch);
  b.output("looped");
  b.output("x");
  b.output("x");

  const auto erase = [&](OpId op, OpId into) {
    auto& order = m.graphs[m.ops[op].graph].order;
    order.erase(std::find(order.begin(), order.end(), op));
    m.ops[op].state = into == kNone ? OpState::Folded : OpState::Absorbed;
    m.ops[op].absorbedInto = into;
    if (into != kNone) m.ops[into].absorbed.push_back(op);
  };
  erase(shape, kNone);
  erase(identity, add);
  erase(deadIdentity, inBody);
  erase(deadIf, kNone);
  erase(deadRelu, kNone);
  // The folded value is a constant that its operator produced.
  m.ops[shape].outputs = {folded};
  m.values[folded].producer = shape;

  Op& op = m.ops[matmul];
  op.name = sym("/encoder/MatMul");
  op.domain = sym("com.microsoft");
  op.scope = m.addScope("encoder.layer.0");
  m.scopes.setClass(op.scope, sym("Linear"));
  m.scopes.setClass(kRootScope, sym("odd class"));
  op.sourceCall = sym("linear_5");
  op.sourceTarget = sym("aten.linear.default");
  op.docString = sym("line one\nline two\ttab \\ // no comment \x01");
  op.metadata = {{sym("z"), sym("1")}, {sym("a b"), sym("")}};
  const TensorConstant tensor{Type::tensor(ElementType::Int4, {Dim::of(2)}), std::vector<int64_t>{-1, 1}, std::nullopt};
  const TensorConstant opaque{Type::tensor(ElementType::Float, {Dim::of(9)}), std::nullopt, std::nullopt};
  Type map;
  map.kind = Type::Kind::Map;
  map.element = ElementType::String;
  map.parameters = {Type::unranked(ElementType::BFloat16)};
  op.attributes = {{"a", int64_t{-7}},
                   {"b", 1.0},
                   {"c", std::string("\xff\"")},
                   {"d", tensor},
                   {"e", map},
                   {"f", std::vector<int64_t>{1, 2}},
                   {"g", std::vector<double>{1.5, -inf}},
                   {"h", std::vector<std::string>{"", "x"}},
                   {"i", std::vector<TensorConstant>{tensor, opaque}},
                   {"j", std::vector<Type>{map, Type{}}},
                   {"k l", std::vector<int64_t>{}},
                   {"m", std::vector<double>{}},
                   {"n", std::vector<std::string>{}},
                   {"o", std::vector<TensorConstant>{}},
                   {"p", std::vector<Type>{}},
                   {"q", inf},
                   {"r", std::vector<double>{2.0}},
                   {"s", opaque}};
  m.ops[split].name = sym("split");
  m.values[b.value("h")].type =
      Type::tensor(ElementType::Float, {Dim::named("batch"), Dim::named("2 * seq"), Dim{}, Dim::of(0)});
  m.values[b.value("h")].byteSize = std::nullopt;
  m.values[b.value("looped")].type = Type{};
  m.values[b.value("looped")].byteSize = std::nullopt;
  m.values[b.value("s0")].constant =
      TensorConstant{Type::tensor(ElementType::Float, {Dim::of(0)}), std::nullopt, std::vector<double>{}};
  m.establish(Facet::Simplified);

  m.rules = everyRule();
  const ValueId h = b.value("h"), sum = b.value("sum");
  m.candidates = {{1_rule, 1, add, matmul, {matmul, add}, 2, {sum, h}, 3},
                  {2_rule, 0, inBody, inBody, {inBody}, 0, {}, 4}};
  KernelList groups = grouping(m, {{matmul, add}, {inBody}});
  groups[0_kernel].candidate = 0_candidate;
  groups[1_kernel].candidate = 1_candidate;
  Cover cover;
  cover.name = "default";
  cover.kernels = numberKernels(m, OperatorGraph(m), groups).value();
  const ScopeId scope = m.findScope("encoder.layer.0");
  m.covers = {cover, measured(cover, "h100", scope), measured(cover, "run 2", scope)};
  m.covers.back().facets.get<BoundFacet>()->unbound[0].reason = {
      UnboundReason::Kind::Ambiguous, "", {}, 0, 1_kernel, 612, 2_kernel, 300};
  m.timelines.push_back(timelineOf("h100"));
  m.timelines.push_back(timelineOf("run 2"));
  m.timelines.back().hasDevice = false;
  for (const FacetInfo& facet : allFacets()) m.establish(facet.facet);
  Scenario scenario{"faster", {}};
  scenario.changes = {{ChangeKind::NewTime, {{SelectorKind::Any, "sdpa"}}, Rational::of(1, 2), {}, {}, {}},
                      {ChangeKind::NewTime, {{SelectorKind::Regex, "a\"b"}}, std::nullopt, 10000, std::nullopt, {}},
                      {ChangeKind::Fuse, {{SelectorKind::Rule, "sdpa"}, {SelectorKind::KernelId, "2"}}, {}, {}, {}, {}},
                      {ChangeKind::Move, {{SelectorKind::Node, "stream"}}, {}, {}, 20, {}},
                      {ChangeKind::Graph, {}, {}, {}, {}, {}}};
  m.scenarios.push_back(scenario);
  m.scenarios.push_back({"graph", {{ChangeKind::Graph, {}, {}, {}, {}, {}}}});
  return std::move(m);
}

std::optional<Module> parseText(const std::string& text, std::string& messages) {
  SourceManager sources;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { messages += render(diagnostic, sources, false); });
  return parse(sources.add("sample.air", text), sources, grammar::ruleReader(sources), diagnostics);
}

}  // namespace amdahlc::ir::test
