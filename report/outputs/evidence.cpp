// One row per call and option, with the rows of evidence.def that agree and their sum, weighed anew from the bound
// run. A row without nodes says what it costs that the call stays unbound. Rows without an event follow, one per
// unit: what it costs that no call runs it. If the alternatives take more than limits::kEvidenceBytes, a last row
// says how many are left out. Only the head if nothing was weighed: the rules bind by names, or the run comes from IR
// text, which has no host events.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "ir/facets/bound.h"
#include "ir/operator_graph.h"
#include "passes/trace_bind/explain.h"
#include "passes/trace_bind/instances.h"
#include "passes/trace_bind/scorer.h"
#include "report/fields.h"
#include "report/outputs/output.h"
#include "support/limits.h"

namespace amdahlc::binding {

namespace {

/// A row of CSV. The first five are of a call, the unit is of nodes, and `from` to `calls` of a way along the program.
struct EvidenceRow {
  std::optional<int32_t> iteration = {};
  std::optional<size_t> event = {};
  std::optional<int64_t> startNs = {}, durationNs = {};
  std::string_view op = {};
  std::optional<uint32_t> unit = {}, from = {}, to = {}, calls = {};
  std::string nodes = {}, evidence = {}, score = {};
  bool isChosen = false;
};

constexpr auto kEvidenceFields = inCsv(
    fields<EvidenceRow>(field<&EvidenceRow::iteration>("iteration", ""), field<&EvidenceRow::event>("event", ""),
                        field<&EvidenceRow::startNs>("ts_ns", ""), field<&EvidenceRow::durationNs>("duration_ns", ""),
                        field<&EvidenceRow::op>("operator", ""), field<&EvidenceRow::unit>("unit", ""),
                        field<&EvidenceRow::from>("from", ""), field<&EvidenceRow::to>("to", ""),
                        field<&EvidenceRow::calls>("calls", ""), field<&EvidenceRow::nodes>("nodes", ""),
                        field<&EvidenceRow::evidence>("evidence", ""), field<&EvidenceRow::score>("score", ""),
                        field("chosen", "", [](auto& row) { return std::string_view(row.isChosen ? "yes" : "no"); })));

/// Of a row without the names of its nodes, about.
constexpr size_t kRowBytes = 64;

/// Weighs the calls of a bound run anew by the same evidence, for what the binder does not keep. The order of
/// launches is the likely one, the votes are those of the finished binding, and no alternative is excluded: where the
/// binder chose otherwise, its scores differ.
class EvidenceWriter {
 public:
  EvidenceWriter(const ir::Module& module, const ir::OperatorGraph& operators, const ir::Cover& cover,
                 const Timeline& timeline)
      : module_(module),
        facts_(*cover.facets.get<ir::BoundFacet>()),
        graph_(module, operators, groupingOn(module, operators, timeline.target).value_or(TargetGrouping())),
        run_(graph_, observeLaunches(graph_, timeline)),
        kinds_(run_),
        scorer_(kinds_, run_.likelyOrder()),
        cover_(cover),
        rankOf_(ranksOfSelected(timeline)),
        kernelOf_(ir::eventOwners(timeline, facts_)),
        outside_(timeline.size(), false),
        ran_(module.ops.size(), false) {
    for (const ir::Kernel& kernel : cover.kernels)
      if (!facts_.kernels[kernel.id].events.empty())
        for (const ir::OpId op : kernel.ops) ran_[op] = true;
    for (const ir::UnboundEvent& unbound : facts_.unbound)
      outside_[unbound.event] = unbound.reason.kind == ir::UnboundReason::Kind::OutsideModel;
  }

  void write(std::string& out) {
    vote();
    countOptions();
    size_t leftOut = inAll_;
    eachCall([&](const Call& call, uint32_t kind) {
      EvidenceRow row = rowOf(call);
      const auto options = scorer_.options(kind);
      for (size_t option = 0; option < options.size(); ++option) {
        if (ranks_[kind][option] >= most_ && !isChosen(call, options[option])) continue;
        writeOption(out, row, call, options[option]);
        --leftOut;
      }
      writeRow(out, row, only(scorer_.unbound(kind)), kernelOf_[call.events.front()].isNone());
    });
    const Program& program = scorer_.program();
    for (const Unit& unit : program.units()) {
      const uint32_t from = program.positionOf(program.unitOf(unit.ops.front()));
      writeRow(out,
               {.unit = program.unitOf(unit.ops.front()), .from = from, .to = from + 1, .nodes = namesOf(unit.ops)},
               only(unit.skip), std::ranges::none_of(unit.ops, [&](ir::OpId op) { return ran_[op]; }));
    }
    if (leftOut == 0) return;
    EvidenceRow row;
    row.nodes = fmt::format(
        "{} of {} alternatives of calls are left out, of each call those of the least evidence; "
        "`-steps=` and `-window=` choose fewer calls, with more alternatives each",
        leftOut, inAll_);
    addCsvRow(out, row, kEvidenceFields);
  }

 private:
  template <typename Function>
  void eachCall(const Function& function) {
    for (size_t iteration = 0; iteration < run_.launches.iterations().size(); ++iteration) {
      const auto calls = run_.launches.calls(iteration);
      for (size_t call = 0; call < calls.size(); ++call)
        if (!calls[call].events.empty()) function(calls[call], kinds_.of(iteration, call));
    }
  }
  /// Whether the call is bound to the kernel that the option is.
  bool isChosen(const Call& call, const Option& option) const {
    if (kernelOf_[call.events.front()].isNone()) return false;
    const ir::Kernel& kernel = cover_.kernels[kernelOf_[call.events.front()]];
    const Alternative& alternative = graph_.alternatives()[option.alternative];
    return kernel.candidate ? *kernel.candidate == alternative.candidate
                            : alternative.rule == kNoRule && kernel.anchor() == alternative.anchor;
  }
  /// By option: how many have more evidence, or as much and come before it.
  static std::vector<size_t> ranksOf(std::span<const Option> options) {
    std::vector<size_t> order(options.size()), ranks(options.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](size_t option) { return options[option].evidence; });
    for (size_t rank = 0; rank < order.size(); ++rank) ranks[order[rank]] = rank;
    return ranks;
  }
  /// Finds how many alternatives each call may have so that those of all calls take no more than the limit.
  void countOptions() {
    std::vector<size_t> callsOf(kinds_.size(), 0);
    eachCall([&](const Call&, uint32_t kind) { ++callsOf[kind]; });
    std::vector<size_t> bytesOf;  // by alternative
    for (const Alternative& alternative : graph_.alternatives()) {
      bytesOf.push_back(kRowBytes);
      for (const ir::OpId op : alternative.ops) bytesOf.back() += module_.displayName(op).size() + 1;
    }
    // Of all calls, by the rank of the alternative.
    std::vector<size_t> bytes(limits::kEvidenceOptions, 0);
    for (uint32_t kind = 0; kind < callsOf.size(); ++kind) {
      const auto options = scorer_.options(kind);
      inAll_ += options.size() * callsOf[kind];
      ranks_.push_back(ranksOf(options));
      for (size_t option = 0; option < options.size(); ++option)
        if (const size_t rank = ranks_[kind][option]; rank < bytes.size())
          bytes[rank] += bytesOf[options[option].alternative] * callsOf[kind];
    }
    for (size_t sum = 0; most_ < bytes.size(); ++most_) {
      sum += bytes[most_];
      if (sum > static_cast<size_t>(limits::kEvidenceBytes)) break;
    }
  }
  /// The binder votes in rounds; these are the votes of its result.
  void vote() {
    eachCall([&](const Call& call, uint32_t kind) {
      const auto instance = run_.launches.instanceOf(call);
      if (!instance) return;
      for (const Option& option : scorer_.options(kind))
        if (isChosen(call, option))
          instances_.vote(*instance, scorer_.program().units()[option.unit].scope, option.vote());
    });
  }
  static Judgement only(evidence::Row row) { return {evidence::bit(row), value(row)}; }
  void writeOption(std::string& out, EvidenceRow row, const Call& call, const Option& option) {
    Judgement found{option.rows, option.evidence, option.kinds};
    if (const auto instance = run_.launches.instanceOf(call))
      instances_.judge(*instance, scorer_.program().units()[option.unit].scope, found);
    if (outside_[call.events.front()]) found.take(evidence::Row::OutsideRoot);
    const Alternative& alternative = graph_.alternatives()[option.alternative];
    std::vector<ir::OpId> ops{alternative.anchor};
    std::ranges::copy_if(alternative.ops, std::back_inserter(ops),
                         [&](ir::OpId op) { return op != alternative.anchor; });
    row.unit = option.unit;
    row.from = option.from;
    row.to = option.to;
    row.calls = option.calls;
    row.nodes = namesOf(ops);
    writeRow(out, std::move(row), found, isChosen(call, option));
  }
  EvidenceRow rowOf(const Call& call) const {
    const Timeline& timeline = run_.launches.timeline();
    const EventIndex event = call.events.front();
    EvidenceRow row{.iteration = timeline.iteration[event],
                    .event = rankOf_[event],
                    .durationNs = timeline.durationNs[event],
                    .op = timeline.text(call.op.isNone() ? timeline.name[event] : run_.launches.host().name[call.op])};
    if (timeline.hasStarts) row.startNs = timeline.startNs[event];
    return row;
  }
  std::string namesOf(const std::vector<ir::OpId>& ops) const {
    std::string names;
    for (const ir::OpId op : ops) names += (names.empty() ? "" : ";") + module_.displayName(op);
    return names;
  }
  static void writeRow(std::string& out, EvidenceRow row, const Judgement& found, bool chosen) {
    row.evidence = evidence::describe(found.rows);
    row.score = fmt::format("{:.2f}", found.score / 100.0);
    row.isChosen = chosen;
    addCsvRow(out, row, kEvidenceFields);
  }

  const ir::Module& module_;
  const ir::BoundFacet& facts_;
  AlternativeGraph graph_;
  ObservedRun run_;
  CallKinds kinds_;
  Scorer scorer_;
  Instances instances_;
  const ir::Cover& cover_;
  /// By event.
  std::vector<size_t> rankOf_;
  std::vector<ir::KernelId> kernelOf_;
  std::vector<bool> outside_;
  IdVector<ir::OpId, bool> ran_;
  /// By kind of call and option.
  std::vector<std::vector<size_t>> ranks_;
  /// Alternatives of each call that are written, beside the chosen one.
  size_t most_ = 0;
  /// Alternatives of all calls.
  size_t inAll_ = 0;
};

std::string writeEvidence(const OutputContext& context, ir::CoverId id) {
  const ir::Cover& cover = context.module.cover(id);
  const Timeline& timeline = *context.module.findTimeline(cover.traceLabel);
  std::string out = writeCsv(std::vector<EvidenceRow>(), kEvidenceFields);
  const ir::ModelFit& fit = *cover.facets.get<ir::BoundFacet>()->fit;
  if (timeline.host && !fit.namesOnly && !fit.evidence.isStated())
    EvidenceWriter(context.module, context.analyses.get<ir::OperatorGraph>(), cover, timeline).write(out);
  return out;
}

}  // namespace
}  // namespace amdahlc::binding

namespace amdahlc {

constinit const Output kEvidenceOutput{
    .name = "evidence",
    .summary = "one CSV row per call of the run and way to bind it, with the evidence for and against it",
    .pass = "trace-bind",
    .needs = ir::Facet::Bound,
    .write = binding::writeEvidence,
    .isCsv = true};

}  // namespace amdahlc
