// The types of the report, written by contract/generate.py from `amdahlc -help=schema-report`. This file is long because it
// has a line for each key of the report.

/** The report of `amdahlc -emit=json`. Every key is present; a fact that was not established is null. Times are integers of nanoseconds per iteration. Keys may be added under the same name of the schema. */
export interface Report {
  schema: "amdahlc.report/2";
  model: Model; // the graph as it was read
  runs: ReportRun[]; // one for each trace that is bound; without one, one run with `trace` null
  compare: Compare | null; // the runs by segments of the model; null with fewer than two measured runs
  comparisons: Comparison[] | null; // the first measured run with each other one, and runs with those of the baseline; null if there are none
  ranks: ReportRank[] | null; // the ranks of the run; null without traces of several
  across_ranks: AcrossRanks | null; // what the ranks tell of each other; null without traces of several
  data_problems: DataProblem[] | null; // unusual but usable data
}

/** The graph as it was read. */
export interface Model {
  name: string; // of the graph
  file: string; // without folders; of a program, that of its trace
  front_end: "onnx" | "trace" | "execution-trace"; // `onnx`: a model; `trace`: the program of a run; `execution-trace`: the same with its data
  edges: "data" | "order"; // `data`: operators use the results of others; `order`: only the order of calls is known
  data_edges: number | null; // of a program: pairs of calls of which one reads what the other one wrote; 0 where only the order is known; null for a model
  opset: number; // of ONNX's own domain
  nodes: ModelNode[]; // every node, functions inlined, bodies included
}

/** An entry of `nodes`. */
export interface ModelNode {
  index: number; // position in the model
  name: string; // unique name
  op_type: string; // ONNX operator
  scope: string; // module scope; may be empty
}

/** An entry of `runs`. */
export interface ReportRun {
  label: string; // of the trace; `default` without one
  verdict: string | null; // the first line of the summary; null without times
  trust: "full" | "limited" | "none" | null; // how far the verdict says to trust the numbers
  target: Target; // as the trace says, else `-target=`
  trace: Trace | null; // null without one
  model: Model | null; // the program of the run, in the form of `model`; null where a model was given
  nodes: NodeState[]; // parallel to the nodes of the model
  kernels: Kernel[]; // by id
  aggregates: Aggregates | null; // groups of kernels; null without times
  branches: Branch[] | null; // branches into joins; null without critical-path
  critical_path: CriticalPath | null; // null without critical-path
  unbound: Unbound[] | null; // events without a kernel, longest first; null without a trace
  binding: BindingQuality | null; // how well the trace fits the model, and device time by state; null without trace-bind
  captures: Capture[] | null; // captures of the graphs that the run launches; null if none is given
  step_classes: StepClass[] | null; // iterations by the class of a server's step; null if none is such a step
  phases: Phase[] | null; // device time by phase, longest first; null without host
  forward_groups: ForwardGroup[] | null; // forwards that do the same, in order of first occurrence; null without host
  overheads: Overheads | null; // what the operators and launch calls of the host cost; null without the pass host, and where the trace does not tell
  streams: Stream[] | null; // of the device, by number; null as above
  concurrency: Concurrency[] | null; // time with exactly so many streams active; null as above
  throughput: Throughput | null; // null without the option `batch-size` of the pass `host`
  idle: IdlePiece[] | null; // causes of idle time, which they sum to; null without schedule
  run_path: PathPiece[] | null; // the critical path of the run, back from the end of the last event; its pieces sum to wall
  window_path: PathPiece[] | null; // the same back from the end of the window; its pieces sum to the window
  waits: Waits | null; // who waits for whom, per iteration; null without schedule
  replay: ReplayQuality | null; // the run replayed from its calls; null without schedule
  roofline: Roofline | null; // the least times of kernels on the device; null without roofline
  what_if: WhatIf[] | null; // predictions; null without speed-ups
  curves: Curve[] | null; // times against the speed-up of one group; null if none was asked for
  goal: Goal | null; // the speed-ups with which an iteration takes the time of `-goal=`; null without
  advice_limit: AdviceLimit | null; // the time of an iteration, and whether host or device limits it; null without a trace
  advice: Advice[] | null; // what to do first, the best first; null without a trace
  liveness: Liveness | null; // tensors over the schedule, of a program its storages; null without liveness. What the runtime reuses in place is not known from ONNX
}

/** As the trace says, else `-target=`. */
export interface Target {
  runtime: string | null; // such as `pytorch`
  vendor: string | null;
  arch: string | null; // such as `sm_90`
  device: string | null; // name of the device
}

/** Null without one. */
export interface Trace {
  file: string; // without folders; of several files with commas between them
  files: string[]; // of each recording, as `file`
  format: string; // of the trace
  content_hash: string; // of the trace's content
  execution_trace: ExecutionTrace | null; // what an execution trace added to the calls; null without one, and where the graph is its
  device_events: number | null; // selected device events
  iterations: number | null; // selected iterations
  statistic: "median" | "mean"; // `median`: rows are medians over the selected iterations, and times of the run are those of the representative one; `mean`: all are means
  representative: string | null; // name of the iteration with the median wall time; null: means are reported
  undisturbed_busy_ns: number | null; // busy if each kernel took its median; null: means are reported
  disturbed_ratio: number | null; // (mean busy - undisturbed busy) / mean busy; null with fewer than three iterations, and where means are reported
  steps: Step[]; // all iterations of the run
  busy_ns: number | null; // union of the device events, nanoseconds per iteration
  busy_ns_total: number | null; // the exact sum over the iterations
  busy_ns_stddev: number | null; // standard deviation over the iterations
  busy_ns_mean: number | null; // mean over the iterations, rounded half to even
  wall_ns: number | null; // first start to last end of device events; null without start times, nanoseconds per iteration
  wall_ns_total: number | null; // the exact sum over the iterations
  wall_ns_stddev: number | null; // standard deviation over the iterations
  wall_ns_mean: number | null; // mean over the iterations, rounded half to even
  window_ns: number | null; // enclosing annotation or step on the host; null without one, nanoseconds per iteration
  window_ns_total: number | null; // the exact sum over the iterations
  window_ns_stddev: number | null; // standard deviation over the iterations
  window_ns_mean: number | null; // mean over the iterations, rounded half to even
  samples_ns: TraceSamples | null; // times of the run; null where times are means
  spill_in_ns: number | null; // device time whose launch is not in the trace; null if it is not known, nanoseconds per iteration
  spill_in_ns_total: number | null; // the exact sum over the iterations
  spill_in_ns_stddev: number | null; // standard deviation over the iterations
  spill_in_ns_mean: number | null; // mean over the iterations, rounded half to even
  latency_ns: number | null; // whole executions, measured apart from the events, nanoseconds per iteration
  latency_ns_total: number | null; // the exact sum over the iterations
  latency_ns_stddev: number | null; // standard deviation over the iterations
  latency_ns_mean: number | null; // mean over the iterations, rounded half to even
  latency_runs: number | null; // executions of which `latency_ns` is
  idle_ns: number | null; // wall - busy
  computation_ns: number | null; // union of the kernels that compute; null without a device or without start times
  exposed_communication_ns: number | null; // communication between devices in which nothing computes
  exposed_copies_ns: number | null; // copies and sets while nothing computes or communicates
  device_ns: number | null; // sum of durations, per iteration
  bound_ns: number | null; // of bound events, per iteration
  unbound_ns: number | null; // `device_ns` - `bound_ns`
  device_ns_total: number | null; // over all iterations
  bound_ns_total: number | null; // over all iterations
  unbound_ns_total: number | null; // over all iterations
}

/** What an execution trace added to the calls; null without one, and where the graph is its. */
export interface ExecutionTrace {
  file: string; // without folders
  calls: number; // operators and annotations of the trace
  linked: number; // those that the execution trace has, too
  operands: number; // of these, whose operands only it has
  numbers: number; // of these, whose numbers of autograd only it has
}

/** An entry of `steps`. */
export interface Step {
  name: string;
  recording: number; // its place in `files` and in `samples_ns`
  selected: boolean; // whether it counts
}

/** Times of the run; null where times are means. */
export interface TraceSamples {
  busy: number[][] | null; // for each recording, a time for each selected iteration
  wall: number[][] | null; // as busy; null without start times
  window: number[][] | null; // as busy; null without a window
}

/** An entry of `nodes`. */
export interface NodeState {
  index: number; // of the node in the model
  state: "bound" | "ambiguous" | "absorbed" | "no-device-work" | "folded" | "not-executed" | "missed" | null; // null if it needs a trace and there is none
  kernels: number[]; // ids of the kernels with the node
}

/** An entry of `kernels`. */
export interface Kernel {
  id: number; // rank in the order of the kernel graph
  label: string; // of the rule, else the operators
  rule: string | null; // null: an operator that no rule covers
  category: string; // of the rule; without one, of the family of the kernel, or `other`
  nodes: string[]; // names, anchor first
  scope: string; // module scope of the anchor; may be empty
  operator: string | null; // the operator that was called, as the trace names it; null for a model
  state: "missed" | "bound" | "no-device-work" | "not-executed" | "ambiguous" | null; // null if it needs a trace and there is none
  reason: string | null; // why it was missed
  trip_count: number | null; // of a loop, if known from events
  events: number | null; // in the representative iteration, or the mean, rounded half to even
  events_total: number | null; // over all iterations
  duration_ns: number | null; // union of the kernel's own events, nanoseconds per iteration
  duration_ns_total: number | null; // the exact sum over the iterations
  duration_ns_stddev: number | null; // standard deviation over the iterations
  duration_ns_mean: number | null; // mean over the iterations, rounded half to even
  samples_ns: number[][] | null; // for each recording, a time for each selected iteration
  per_forward_ns: number | null; // `duration_ns` over the forwards of an iteration; null if they are unknown
  ratio: number | null; // of undisturbed busy time
  max_speedup: number | null; // of undisturbed busy time if this cost nothing; null: infinite
  max_speedup_wall: number | null; // of wall time, with idle time kept; null: infinite, or wall is unknown
  critical: boolean | null; // on the reported path
  slack_ns: number | null; // per iteration
  phase: "communication" | "optimizer" | "backward" | "data" | "forward" | "other" | null; // in which most of the kernel's time is; null without events, and as `phases`
  roofline: KernelRoofline | null; // the least time of the kernel; null without roofline, and where its work is not known
  doc: string | null; // the rule's comment
}

/** The least time of the kernel; null without roofline, and where its work is not known. */
export interface KernelRoofline {
  bytes: number; // that one run of the kernel must read and write
  read_bytes: number; // of these, read
  written_bytes: number; // of these, written
  flops: number; // operations of one run, in any type; a multiply-add is two
  matrix_flops: Record<string, number>; // of these, products of matrices, by element type
  vector_flops: Record<string, number>; // of these, all others, by element type
  runs: number | null; // of the kernel per iteration: forwards times trips; 1 without a trace
  memory_ns: number | null; // one run at the bandwidth of memory; null if the hardware is not known
  compute_ns: number | null; // one run at the peaks of the device; null if the hardware or a peak is not known
  attainable_ns: number | null; // the longer one of both, for all runs in an iteration: what `duration_ns` could be at least
  bound: "memory" | "compute" | "cache" | null; // which is the longer one; `cache` where the kernel ran faster than memory allows; null if it does nothing, or if that is not known
  at_roof: boolean; // the attainable time is from 80 % to 100 % of the measured one
  above_peak: boolean; // faster than the peaks of the device: the description or the binding is wrong, or the run computed in a narrower type than the model
}

/** Groups of kernels; null without times. */
export interface Aggregates {
  rule: Aggregate[]; // by label, longest first
  category: Aggregate[]; // longest first
  op_type: Aggregate[]; // of the anchor, longest first
  operator: Aggregate[]; // by the operator that was called, longest first; empty for a model
  scope: ScopeAggregate[]; // each scope with everything inside it, by name
}

/** An entry of `rule`. */
export interface Aggregate {
  name: string;
  kernels: number;
  events: number; // as of kernels
  events_total: number | null; // over all iterations
  duration_ns: number | null; // union of the events of the group, nanoseconds per iteration
  duration_ns_total: number | null; // the exact sum over the iterations
  duration_ns_stddev: number | null; // standard deviation over the iterations
  duration_ns_mean: number | null; // mean over the iterations, rounded half to even
  undisturbed_ns: number; // what of undisturbed busy time it takes: `ratio` is of it, and `max_speedup`
  samples_ns: number[][] | null; // for each recording, a time for each selected iteration
  ratio: number | null; // of undisturbed busy time
  max_speedup: number | null; // of undisturbed busy time if this cost nothing; null: infinite
  max_speedup_wall: number | null; // of wall time, with idle time kept; null: infinite, or wall is unknown
}

/** An entry of `scope`. */
export interface ScopeAggregate {
  name: string;
  kernels: number;
  events: number; // as of kernels
  events_total: number | null; // over all iterations
  duration_ns: number | null; // union of the events of the group, nanoseconds per iteration
  duration_ns_total: number | null; // the exact sum over the iterations
  duration_ns_stddev: number | null; // standard deviation over the iterations
  duration_ns_mean: number | null; // mean over the iterations, rounded half to even
  undisturbed_ns: number; // what of undisturbed busy time it takes: `ratio` is of it, and `max_speedup`
  samples_ns: number[][] | null; // for each recording, a time for each selected iteration
  ratio: number | null; // of undisturbed busy time
  max_speedup: number | null; // of undisturbed busy time if this cost nothing; null: infinite
  max_speedup_wall: number | null; // of wall time, with idle time kept; null: infinite, or wall is unknown
  own_duration_ns: number; // of kernels of exactly this scope
  own_duration_ns_total: number | null; // over all iterations
  own_kernels: number;
}

/** An entry of `branches`. */
export interface Branch {
  join: number; // kernel with two or more predecessors
  from: number | string | null; // immediate dominator of the join: a kernel id, the name of a graph input, or null for the virtual entry
  via: number | string | null; // the predecessor: a kernel id or the name of a graph input
  kernels: number[]; // on the paths from `from`, excluded, to `via`, included; of many, those nearest to the join
  kernel_count: number | null; // of all of them; null: too costly to count
  path_ns: number; // longest path through them, per iteration
  sum_ns: number | null; // sum of all of them, per iteration
  path_ratio: number; // of undisturbed busy time
  sum_ratio: number | null; // of undisturbed busy time
}

/** Null without critical-path. */
export interface CriticalPath {
  duration_ns: number; // per iteration
  ratio: number; // of undisturbed busy time
  kernels: number[]; // ids from the start
  ties: number | null; // longest paths beyond this one; null if there are 2^63 - 2 or more
}

/** An entry of `unbound`. */
export interface Unbound {
  name: string; // of the events
  events: number; // as of kernels
  events_total: number | null; // over all iterations
  duration_ns: number; // sum of durations in the representative iteration, or the mean
  duration_ns_total: number | null; // over all iterations
  class: "ambiguous" | "runtime-only" | "foreign" | "unknown"; // state of the events
  reason: string; // a clause
  phase: "communication" | "optimizer" | "backward" | "data" | "forward" | "other" | null; // of the events; null where it is not known
}

/** How well the trace fits the model, and device time by state; null without trace-bind. */
export interface BindingQuality {
  fits: boolean | null; // whether the trace is one of this model
  names_only: boolean; // the rules bind by kernel names only: nothing was tested
  forwards: number | null; // runs of the model in an iteration, the mean
  forwards_total: number | null; // runs of the model in all iterations together
  bits_per_call: number | null; // evidence per call inside the model; null if events name nodes
  calls_explained: number | null; // share of the calls inside the model that have a node, by weight
  units_run: number | null; // share of the units that must launch and did, by weight
  weights_seen: number | null; // share of the dimensions of weights that occur in the trace; null without shapes, and of packed weights
  bound_ns: number; // device time of the events of this state, per iteration; those of all states sum to `device_ns`
  ambiguous_ns: number; // device time of the events of this state, per iteration; those of all states sum to `device_ns`
  runtime_only_ns: number; // device time of the events of this state, per iteration; those of all states sum to `device_ns`
  foreign_ns: number; // device time of the events of this state, per iteration; those of all states sum to `device_ns`
  unknown_ns: number; // device time of the events of this state, per iteration; those of all states sum to `device_ns`
  weight_types: WeightType[] | null; // time of kernels with weights in floating point, by type; null if the trace has none
  evidence: RecordedEvidence; // what the trace recorded
}

/** An entry of `weight_types`. */
export interface WeightType {
  model: string; // type of the weights in the model
  run: string | null; // type in which the call computes; null for copies, and where the trace does not tell
  duration_ns: number; // device time per iteration
}

/** What the trace recorded. */
export interface RecordedEvidence {
  operators: boolean; // of the framework
  shapes: boolean; // of operands
  frames: boolean; // of modules
  marks: boolean; // of steps
  nodes: boolean; // the names of the nodes that an event ran
  calls: boolean; // all calls of the graph, which is the program of the run
}

/** An entry of `captures`. */
export interface Capture {
  file: string; // the trace of the capture
  name: string | null; // the innermost annotation around it; null without one
  launches: number; // calls that it captured
  replays: number; // launches of its graph in the whole trace of the run
  events: number; // device events of these that are a captured launch
}

/** An entry of `step_classes`. */
export interface StepClass {
  name: string; // `prefill`, `decode` or `mixed`
  iterations: number; // selected ones of the class
  busy_ns: number; // over them, as `trace.statistic` says
  wall_ns: number | null; // the same; null without starts
  window_ns: number | null; // the same; null without one
}

/** An entry of `phases`. */
export interface Phase {
  name: "communication" | "optimizer" | "backward" | "data" | "forward" | "other";
  events: number; // per iteration; together all events of the device
  duration_ns: number; // sum of durations per iteration; of all phases `device_ns`
  ratio: number; // of device time
}

/** An entry of `forward_groups`. */
export interface ForwardGroup {
  name: string; // `forward`, `prefill`, `decode`, or one of these with a number
  forwards: number; // in an iteration, the mean
  forwards_total: number; // in all selected iterations
  busy_ns: number; // of one forward: union of its device events
  wall_ns: number | null; // of one forward: from its first device event to the end of the last one; null without starts
}

/** What the operators and launch calls of the host cost; null without the pass host, and where the trace does not tell. */
export interface Overheads {
  t1: Statistic | null; // gaps of less than 200 us between neighbouring top-level operators of a thread
  t4: Record<string, Statistic>; // durations of the launch calls, by name
  operators: Record<string, OperatorOverheads>; // top-level operators, by name
  data_loading: DataLoading[]; // spans that fetch input; what runs in them is left out
}

/** Gaps of less than 200 us between neighbouring top-level operators of a thread. */
export interface Statistic {
  count: number; // samples, over all iterations and threads
  mean_ns: number; // rounded half to even
  std_ns: number; // standard deviation of the population
  median_ns: number;
  min_ns: number;
  q1_ns: number; // the lower quartile, on the line between two samples; rounded half to even
  q3_ns: number; // the upper quartile
  max_ns: number;
  total_ns: number; // the exact sum
}

/** An entry of `operators`. */
export interface OperatorOverheads {
  t2: Statistic | null; // start to start of the first launch
  t3: Statistic | null; // end of the last launch to end
  t5: Statistic | null; // between launches; 0 with one launch, and the whole operator without any
}

/** An entry of `data_loading`. */
export interface DataLoading {
  name: string; // of the spans
  count: number; // spans, over all iterations
  total_ns: number; // over all iterations
  operators: number; // top-level operators in them
}

/** An entry of `streams`. */
export interface Stream {
  device: number | string; // as the trace names it
  stream: number | string; // as the trace names it
  count: number; // events per iteration
  runtime_ns: number; // sum of durations per iteration; of all streams `device_ns`
  runtime_ns_total: number; // the exact sum over the reported iterations
  busy_ns: number; // union of its events, per iteration
  idle_ns: number; // wall of the run - busy of the stream, per iteration
  start_delay_ns: number | null; // start of the window to the first event, the mean over the reported iterations with events; null without a window
  window_share: number | null; // busy of the window; null without one
  queue: Queue | null; // events launched and not started; null without launches
  launch_latency: Statistic | null; // end of the launching call to start of the event
  families: Family[]; // of kernels, longest first
  operators: StreamOperator[]; // top-level operators, longest first
}

/** Events launched and not started; null without launches. */
export interface Queue {
  max: number; // most at once
  mean: number; // over wall
}

/** An entry of `families`. */
export interface Family {
  name: string; // such as `gemm`
  count: number; // events per iteration; they add up to the row above
  runtime_ns: number; // device time per iteration; it adds up to the row above
  runtime_ns_total: number; // the exact sum over the reported iterations
}

/** An entry of `operators`. */
export interface StreamOperator {
  name: string | null; // of the top-level operators, or of data-loading spans; null: no operator is around the launch, or the launch is unknown
  count: number; // events per iteration; they add up to the row above
  runtime_ns: number; // device time per iteration; it adds up to the row above
  runtime_ns_total: number; // the exact sum over the reported iterations
  operators: LaunchingOperator[]; // innermost operators around the launches, longest first
  kernels: StreamKernel[]; // of all these operators, longest first
}

/** An entry of `operators`. */
export interface LaunchingOperator {
  name: string | null; // of the innermost operator around the launch; null: none is
  count: number; // events per iteration; they add up to the row above
  runtime_ns: number; // device time per iteration; it adds up to the row above
  runtime_ns_total: number; // the exact sum over the reported iterations
  kernels: StreamKernel[]; // by name, longest first
}

/** An entry of `kernels`. */
export interface StreamKernel {
  name: string; // of the device events
  family: string; // such as `gemm`
  count: number; // events per iteration; they add up to the row above
  runtime_ns: number; // device time per iteration; it adds up to the row above
  runtime_ns_total: number; // the exact sum over the reported iterations
}

/** An entry of `concurrency`. */
export interface Concurrency {
  active: number; // streams
  ns: number; // per iteration; together wall
}

/** Null without the option `batch-size` of the pass `host`. */
export interface Throughput {
  batch_size: number; // samples in an iteration
  wall_samples_per_second: number | null; // of wall; null without start times
  window_samples_per_second: number | null; // of the window; null without one
}

/** An entry of `idle`. */
export interface IdlePiece {
  cause: string;
  detail: string | null; // of the operator, call, frame or event, or what else is known; null: nothing
  ns: number; // per iteration
}

/** An entry of `run_path`. */
export interface PathPiece {
  kind: string;
  name: string | null; // of the operator, call, frame or event, or what else is known; null: nothing
  ns: number; // per iteration
}

/** Who waits for whom, per iteration; null without schedule. */
export interface Waits {
  device_for_host_ns: number; // idle time in which the host was at work
  host_for_device_ns: number; // of all threads, in calls that waited
  calls: WaitingCall[]; // the calls that waited, the longest first
}

/** An entry of `calls`. */
export interface WaitingCall {
  name: string;
  count: number; // in the representative iteration; with means, in all
  ns: number; // per iteration
}

/** The run replayed from its calls; null without schedule. */
export interface ReplayQuality {
  reason: string | null; // why there is no replay; null if there is one
  wall_ns: number | null; // of the unchanged run, without unexplained waits, per iteration
  window_ns: number | null; // the same of the windows; null if they are unknown
  error: number | null; // of wall: (replayed - measured) / measured
  window_error: number | null; // of the windows
  kept_error: number | null; // of wall with unexplained waits kept, as predictions are made
  unexplained: number | null; // unexplained waits over wall; they may overlap
  audit: number | null; // time in calls that look like waits, but are not modelled as such, over wall
  without_device: number | null; // wall if no device work took any time, over replayed wall
  without_host: number | null; // wall if the host took no time, over replayed wall
  carried_in: number | null; // events whose measured start is taken over
  without_launch: number | null; // events whose launch is not in the trace
  contradictions: number | null; // calls that wait for what ended long after them
  queue_length: number | null; // launches that a stream holds; null: no limit
  constants: Constant[] | null; // estimated from the trace
}

/** An entry of `constants`. */
export interface Constant {
  kind: string;
  name: string | null; // of the call or kernel; null: all others
  ns: number; // may be negative
  samples: number; // measured values; 0: assumed
}

/** The least times of kernels on the device; null without roofline. */
export interface Roofline {
  hardware: string | null; // name of its description
  reason: string | null; // why the hardware is not known
  float32: "tf32" | "ieee"; // `-float32=`
  shapes: "model" | "run" | "mixed"; // where shapes and element types are from: the run, or, if the trace has none, the model; `mixed` if some of the run could not be solved
  attainable_busy_ns: number | null; // busy time per iteration if each kernel took at most its attainable time; null without a trace or hardware
  attainable_speedup: number | null; // of undisturbed busy time
  attainable_speedup_wall: number | null; // of wall time, if idle time stays
  memory_bytes_per_s: number | null; // bandwidth of the device's memory; null without hardware
  matrix_peaks: Record<string, number>; // operations per second of products of matrices, by the element types of the kernels
  vector_peaks: Record<string, number>; // the same of all other operations
  unknown: UnknownRoofline[]; // kernels without an attainable time, by reason
}

/** An entry of `unknown`. */
export interface UnknownRoofline {
  reason: string; // a clause
  kernels: number[]; // their ids
}

/** An entry of `what_if`. */
export interface WhatIf {
  name: string; // of the scenario
  wall_model: "idle-constant" | "replay" | null; // idle time stays, or the run is replayed from its calls; null: wall is unknown
  no_replay: string | null; // why the run is not replayed; null: it is
  base_busy_ns: number; // what the prediction started from: as measured of a run that is replayed, else undisturbed
  base_wall_ns: number | null; // the same of wall; null: unknown
  base_window_ns: number | null; // the same of the window; null: no window is predicted
  busy_ns: number; // predicted, per iteration
  wall_ns: number | null; // predicted, per iteration
  window_ns: number | null; // predicted, per iteration; null if it is unknown, and where neither a replay nor one thread tells it
  speedup: number | null; // base over predicted busy; null: infinite, or the run took no time
  speedup_wall: number | null; // base over predicted wall; null: infinite, or wall is unknown
  caution: string | null; // why the prediction is worth little; null: no reason
  assumes: string[]; // what it rests on, besides what every prediction does
  kernels: WhatIfKernel[]; // those with a new time
  critical_path: WhatIfPath | null; // of the kernels, with the new times
}

/** An entry of `kernels`. */
export interface WhatIfKernel {
  id: number;
  factor: string; // new / old time, a fraction
  duration_ns: number; // predicted, per iteration
}

/** Of the kernels, with the new times. */
export interface WhatIfPath {
  duration_ns: number;
  ratio: number | null; // of the predicted busy time
  kernels: number[]; // ids from the start
}

/** An entry of `curves`. */
export interface Curve {
  selector: string; // of the group, as `-what-if=` takes it
  wall_model: "idle-constant" | "replay" | null; // as in `what_if`; null: wall is unknown
  points: Point[]; // by falling factor, from 1 to 0; times between are on straight lines
  knee: number | null; // the speed-up beyond which more of it saves wall time at most half as fast as at first; null: none
  next: string | null; // selector of the group that limits wall time beyond the knee; null: none alone
  rest: string | null; // selector of the group that would save most if this one cost nothing; null: none alone
  path_knee: number | null; // as `knee`, of the critical path
  path_next: number[]; // ids of the kernels that are on the path beyond its knee and not before
  flat: string | null; // why a faster group saves less than 0.5 % of wall time, as a clause; null: it saves more
  caution: string | null; // as in `what_if`, of the group without any time
  complete: boolean; // false: a part of the breaks was not looked for
}

/** An entry of `points`. */
export interface Point {
  factor: string; // new / old time of the group, a fraction
  busy_ns: number; // predicted, per iteration
  wall_ns: number | null; // predicted, per iteration; null: unknown
  window_ns: number | null; // predicted, per iteration; null if it is unknown, and where neither a replay nor one thread tells it
  path_ns: number; // the critical path of the kernels, per iteration
}

/** The speed-ups with which an iteration takes the time of `-goal=`; null without. */
export interface Goal {
  target_ns: number; // wall time per iteration that is wanted; busy time where wall is unknown
  wall_model: "idle-constant" | "replay" | null; // as in `what_if`; null: wall is unknown
  reachable: boolean; // whether the floor is at most the target
  floor_ns: number; // the same time if all groups cost nothing
  solutions: Solution[]; // the cheapest first; empty if none is needed, or none is enough
  predictions: number; // how many the search made
  complete: boolean; // false: the number of predictions ended the search
}

/** An entry of `solutions`. */
export interface Solution {
  factors: Record<string, string>; // by selector the speed-up, `2x` for twice as fast; `0`: the group costs nothing
  what_if: string; // the same as one text, as `-what-if=` takes it
  busy_ns: number; // predicted, per iteration
  wall_ns: number | null; // predicted, per iteration; null: unknown
  caution: string | null; // as in `what_if`
}

/** The time of an iteration, and whether host or device limits it; null without a trace. */
export interface AdviceLimit {
  limit: string | null; // `host`: a device that takes no time saves less than a tenth; `device`: a host that takes none does; `both`: each of the two; `turns`: neither; null: unknown
  base_ns: number; // the time of an iteration: the longer one of wall and window
  noise_ns: number | null; // by how much it differs for no reason of the program: the larger one of the deviation of the iterations, and of what disturbed the reported one; null for fewer than three iterations
  without_device_ns: number | null; // what remains of it if all work of the device took no time, predicted; null unless replayed
  without_host_ns: number | null; // the same if the host took no time
}

/** An entry of `advice`. */
export interface Advice {
  kind: string; // `change`: somebody can do it; `bound`: nothing says how
  selector: string | null; // what changes, as `-what-if=` takes it; null where that cannot say it
  change: string; // what to do
  places: string[]; // module scopes of the kernels that change, those with the most time first
  saves_ns: SavesN; // of the time of an iteration, the longer one of wall and window: by itself, predicted, per iteration; negative if it only helps after those before it
  saves_wall_ns: SavesN; // of wall likewise
  saves_window_ns: SavesN | null; // of the window likewise; null where it is not known
  wall_ns: number; // after all changes before it, each as likely, and after it: as likely, or if the bound is reached; predicted, per iteration
  window_ns: number | null; // of the window likewise; null where it is not known
  why: string;
  within_noise: boolean | null; // whether it likely saves, or a bound saves at most, no more than `noise_ns` of `advice_limit`; false also for advice to measure again; null where the noise is unknown
  assumes: string | null; // what it rests on; null: nothing in particular
}

/** Of the time of an iteration, the longer one of wall and window: by itself, predicted, per iteration; negative if it only helps after those before it. */
export interface SavesN {
  certain: number; // of what vanishes: launches, and traffic at the bandwidth of memory
  likely: number; // with what is left at the rates that the run reaches
  at_most: number; // with what is left at its roof; without a known roof, if it took no time
}

/** Tensors over the schedule, of a program its storages; null without liveness. What the runtime reuses in place is not known from ONNX. */
export interface Liveness {
  kernels: number[]; // ids of the kernels of the schedule, by position
  inputs: number[][]; // by position, the tensors that the kernel reads, by their places in `tensors`
  outputs: number[][]; // the same of those that it writes
  peak_bytes: number; // most live bytes at once, of tensors of known size
  peak_kernel: number | null; // id of the first kernel at which so many are live; null without kernels
  peak_position: number | null; // its position
  global_bytes: number; // of the globals, which are live at all positions
  unknown_sizes: number; // tensors of unknown size, which no sum contains
  live_bytes: number[]; // by position
  live_at_peak: LiveAtPeak[]; // tensors that are live at the peak, without globals; largest first
  offload_bytes_per_s: number; // bandwidth that `offload` assumes
  offload: MemorySaving[] | null; // inactive periods that are longer than moving the tensor out and back, best first; null without a run
  recompute: MemorySaving[] | null; // inactive periods at whose end all is live that the tensor was made of, best first; null without a run
  tensors: Tensor[]; // in the order of first use
  measured: Measured | null; // what the allocator recorded in the representative iteration; null if the trace has no such records, or is not given
  no_measured: string | null; // why `measured` is null; null if it is not
}

/** An entry of `live_at_peak`. */
export interface LiveAtPeak {
  name: string; // of the tensor
  bytes: number | null; // null where a dimension is not known
}

/** An entry of `offload`. */
export interface MemorySaving {
  tensor: string; // its name
  bytes: number; // of the tensor
  from: number; // of the inactive period
  to: number; // of the inactive period
  ns: number; // of the inactive period, per iteration
  cost_ns: number; // of both transfers
  byte_seconds: number; // bytes times the length of the period: the rank
}

/** An entry of `tensors`. */
export interface Tensor {
  name: string; // of the value; in a body behind its operator and branch
  global: boolean; // a constant of the model, or a storage that is there before the program and after it: always live
  type: string; // as in IR text: `float32[1,batch]`, `?` if it is not known
  bytes: number | null; // null where a dimension is not known
  birth: number | null; // position of the first use; null for a global
  death: number | null; // position behind the last kernel that reads it, -1 if none does; null for a global
  live_end: number | null; // position behind the last at which it is live; null for a global
  periods: Period[]; // inactive periods, by position
}

/** An entry of `periods`. */
export interface Period {
  from: number; // position behind the earlier use
  to: number; // position of the later use; around the end of the iteration it is not above `from`
  ns: number | null; // time of the kernels between, per iteration; null without a run
}

/** What the allocator recorded in the representative iteration; null if the trace has no such records, or is not given. */
export interface Measured {
  peak_bytes: number; // most that was allocated at once in the iteration
  peak_call: string | null; // the innermost operator at that time; null for none
  peak_position: number; // position of the last kernel that was called by then
  differences: Difference[]; // why the peak is not the computed one; their sum is the difference; largest first
  lives: Live[]; // memory that was allocated for some of the iteration, in order of time
}

/** An entry of `differences`. */
export interface Difference {
  why: string; // `rounding`, `held`, `no-tensor`, `before`, `not-yet`, `not-found` or `elsewhere`
  bytes: number; // that were allocated beyond what is computed; negative where less was
}

/** An entry of `lives`. */
export interface Live {
  address: number | null; // as recorded; null if it is unknown
  bytes: number; // that the allocator gave
  from_ns: number; // when, as the trace has it
  to_ns: number | null; // when they were free; null if that is after the recording
  call: string | null; // the innermost operator that allocated them; null for none
  kernel: number | null; // id of the kernel whose call that was; null for none
  tensor: number | null; // that they hold, by its place in `tensors`; null for none
}

/** The runs by segments of the model; null with fewer than two measured runs. */
export interface Compare {
  labels: string[]; // of the runs
  segments: Segment[]; // in the order of the model, without those in which no run did anything
  uncompiled: Record<string, number | null>; // nanoseconds of the window outside of segments; null without a window
  totals: Record<string, CompareTotal>;
  caveats: string[]; // what restricts the comparison, as sentences
  discarded: Record<string, string | null>; // the iteration that is left out as warm-up; of several recordings all of them
}

/** An entry of `segments`. */
export interface Segment {
  name: string; // unique
  scope: string; // empty if the segment is no module scope
  nodes: string[]; // names
  cells: Record<string, Cell>; // by label of the run; a run without one did nothing there
  uncompiled_before: Record<string, number | null>; // time outside of segments that ended with an event of this one; null without a window
}

/** An entry of `cells`. */
export interface Cell {
  runs: number; // iterations, or executions of which the time is the mean
  duration_ns: number | null; // sum of the durations of the bound events; null if no event is bound, although some may be of the segment
  mean_ns: number | null; // the mean of it over the iterations
  mean_ns_total: number | null; // the exact sum over the iterations
  std_ns: number | null; // standard deviation over the iterations
  failures: number | null; // iterations in which a kernel has fewer events than in most; null if only means are known
  kernels_without_events: number; // kernels that should have launched, and whose time may be missing; 0 if all device time is explained
  share: number | null; // of the run's device time
  times_best: number | null; // over the shortest time of the segment
  against_best: "best" | "slower" | "within-noise" | "noise-unknown" | null; // null: not compared
}

/** An entry of `totals`. */
export interface CompareTotal {
  compiled_ns: number; // of all segments
  with_uncompiled_ns: number | null; // null without a window
  compiled_against_best: "best" | "slower" | "within-noise" | "noise-unknown" | null; // of `compiled_ns`; null: not compared
  std_ns: number | null; // standard deviation of `with_uncompiled_ns`
  other_device_ns: number; // device time of events of no segment
  times_best: number | null; // of `with_uncompiled_ns`
  against_best: "best" | "slower" | "within-noise" | "noise-unknown" | null; // of `with_uncompiled_ns`; null: not compared
}

/** An entry of `comparisons`. */
export interface Comparison {
  before: string; // label of the run
  baseline: string | null; // the report that it is from; null: this one
  after: string; // label of the other run
  not_comparable: string | null; // why no row is judged; null: all are
  caveats: string[]; // facts that make the comparison unfair, as sentences
  totals: Total[]; // median busy, wall and window, those that both runs have
  kernels: Total[]; // smallest sets of kernels whose operators are the same on both sides; the largest difference first
  categories: Total[]; // likewise
  scopes: Total[]; // likewise, each with all inside it
}

/** An entry of `totals`. */
export interface Total {
  name: string; // of the group, or of the rules of the kernels
  node: string | null; // of kernels: the anchor of the first one; null of other rows
  scope: string | null; // of the kernel; null of other rows, and outside of modules
  category: string | null; // of the kernel; null of other rows
  before_ns: number | null; // median per iteration; null if the run has no such row, or if its time is not known
  after_ns: number | null; // the same of the other run
  before_unexplained_ns: number | null; // unexplained time of the run in which kernels of the row may be, so that it takes at least `before_ns`; null: all of its time is known
  after_unexplained_ns: number | null; // the same of the other run
  change: "new" | "gone" | "faster" | "slower" | "within-noise" | "noise-unknown" | "unknown" | null; // null if the runs are not comparable
  ratio_low: number | null; // of the 95 % interval of after / before; null if the noise is unknown
  ratio_high: number | null; // the other end of the interval
}

/** An entry of `ranks`. */
export interface ReportRank {
  rank: number; // its number
  file: string; // without folders
  device: string | null; // its name
  iterations: number; // steps that all ranks have; its own, if they have none in common
  busy_ns: number; // per step, as all times of a rank where nothing else is said
  wall_ns: number | null; // first start to last end of device events; null without start times
  window_ns: number | null; // enclosing annotation or step on the host; null without one
  computation_ns: number | null; // union of the kernels that compute; null if the communication is not known
  communication_ns: number | null; // union of the kernels that communicate
  exposed_communication_ns: number | null; // the part of it in which nothing computes
  exposed_copies_ns: number | null; // copies and sets while nothing computes or communicates
  wait_ns: number | null; // waiting for the last rank in operations that need all of their ranks, the union; null if none could be compared
  exposed_wait_ns: number | null; // the part of it in which the rank computes nothing
  skew_ns: number | null; // how much later than the first rank it begins such an operation, mean over the operations
  operations: number; // such operations, over all compared steps
  last: number; // those that it began last
  waited_for_ns: number | null; // how long others waited for it, the sum over ranks and compared steps
  clock_offset_ns: number | null; // what is added to its times; null if it is not known
  clock_drift_ns: number | null; // how much more is to be added at its last operation than at the first, against the lowest rank; null if operations are too few to tell
  clock_drift_ppm: number | null; // the same in millionths of the time between
  other_steps: string[]; // steps that are not compared: another rank lacks them
}

/** What the ranks tell of each other; null without traces of several. */
export interface AcrossRanks {
  world_size: number | null; // as the traces state it
  missing: number[]; // ranks without a trace
  missing_count: number; // of which `missing` has the first 4096
  steps: string[]; // that all ranks have
  clocks: "unknown" | "as-recorded" | "aligned"; // `aligned`: shifted so that the ranks end operations together; `unknown`: not compared
  compared: number; // operations that need all of their ranks and could be compared; 0: nothing is known of waiting
  straggler: Straggler | null; // the rank with most of the waiting; null if there is none
  collectives: Collective[]; // operations of several ranks, most waiting first
  waits: RankWait[]; // who waits for whom, longest first; the first 1000
  data_problems: DataProblem[]; // unusual but usable data, of all ranks
}

/** The rank with most of the waiting; null if there is none. */
export interface Straggler {
  rank: number;
  wait_ns: number; // per step, of each rank that waits for it
  exposed_wait_ns: number; // the part of it in which those ranks compute nothing
  share: number; // of all waiting
  behind_next_ns: number; // how much later than the rank before it, mean of the operations that it begins last
  more_computation_ns: number | null; // its computation per step - the median of the other ranks
  advice: string; // what to do about it
}

/** An entry of `collectives`. */
export interface Collective {
  operation: string; // as the framework calls it, else the kernel and its stream
  kind: string; // such as `all-reduce`
  group: string | null; // the name of the group of ranks
  group_ranks: string | null; // as the traces write them
  ranks: number; // given ranks that take part
  count: number; // operations, over all compared steps
  start_skew_ns: number; // last start - first start, mean
  most_start_skew_ns: number; // the largest one
  end_skew_ns: number; // last end - first end, mean
  wait_ns: number | null; // the waiting of all ranks, over all compared steps; null if it does not need all of its ranks
  last_rank: number | null; // that most often began last; null if none did
  last_count: number | null; // how often
}

/** An entry of `waits`. */
export interface RankWait {
  rank: number;
  for_rank: number; // which began the operations last
  ns: number; // over all compared steps
  exposed_ns: number; // the part of it in which `rank` computes nothing
}

/** An entry of `data_problems`. */
export interface DataProblem {
  name: string; // stable name of the problem
  count: number; // how often
  what: string; // a sentence
}
