#include "report/drawing/layout.h"

#include <fmt/format.h>
#include <graphviz/gvc.h>

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/boost_graph.h"

extern "C" {
// The engine `dot`. Linked instead of loaded, Graphviz needs neither its configuration nor any file.
extern gvplugin_library_t gvplugin_dot_layout_LTX_library;  // NOLINT(*-identifier-naming)
}

#if defined(__has_feature)
#define AMDAHLC_HAS_FEATURE(x) __has_feature(x)
#else
#define AMDAHLC_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || AMDAHLC_HAS_FEATURE(address_sanitizer)
// Graphviz's engine keeps some kilobytes of each picture. It is its fault, and no picture is drawn twice. The runtime
// of the sanitizers, a shared library, looks for these two functions by name.
#pragma GCC visibility push(default)
extern "C" const char* __lsan_default_suppressions() { return "leak:libgvc.so\n"; }  // NOLINT(*-reserved-identifier)
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }   // NOLINT(*-reserved-identifier)
#pragma GCC visibility pop
#endif

namespace amdahlc::drawing {
namespace {

constexpr double kPointsPerInch = 72;

/// Steps of Graphviz's network simplex, as multiples of the number of boxes.
constexpr double kSimplexLimit = 0.5;
/// Each step visits many points of the layout, so that a large layout gets fewer: so many steps times points.
constexpr double kSimplexWork = 4'000'000;
/// Points that the borders of a frame add, at least.
constexpr size_t kPointsOfFrame = 3;
/// With more edges, Graphviz ranks all nodes at once. Its other way, which ranks each module first, takes the square of
/// the number of edges.
constexpr size_t kMostEdgesByModule = 2'000;
/// Of the iterations that reduce crossings.
constexpr const char* kCrossingLimit = "0.25";
/// Graphviz keeps the way of an edge through two boxes of each rank, in an array of 1000 whose end it does not check.
constexpr int kMostRanksOfCurve = 490;
/// Graphviz winds an edge that leads back over many ranks around each of them. With more points, it becomes a plain
/// curve at the left of its boxes.
constexpr int kMostPointsBack = 60;
/// How far such a curve is from its boxes.
constexpr double kBesideBoxes = 24;

/// Numbers for the nodes, edges and clusters of a graph, in the order in which they are made. Graphviz walks over them
/// by number, and its own numbers are addresses of names, so that a picture would depend on where memory happens to be.
struct Numbers {
  std::map<std::pair<int, std::string>, IDTYPE> ofNames;
  /// By number; empty for an object without a name.
  std::vector<std::string> names;

  static Numbers& of(void* state) { return *static_cast<Numbers*>(state); }
  static void* open(Agraph_t*, Agdisc_t*) { return new Numbers; }
  static void close(void* state) { delete static_cast<Numbers*>(state); }
  static long map(void* state, int kind, char* name, IDTYPE* number, int isNew) {
    Numbers& numbers = of(state);
    if (name == nullptr) {
      *number = numbers.add("");
      return 1;
    }
    const std::pair<int, std::string> key(kind == AGINEDGE ? AGOUTEDGE : kind, name);
    auto known = numbers.ofNames.find(key);
    if (known == numbers.ofNames.end()) {
      if (isNew == 0) return 0;
      known = numbers.ofNames.emplace(key, numbers.add(name)).first;
    }
    *number = known->second;
    return 1;
  }
  static long refuse(void*, int, IDTYPE) { return 0; }
  static void keep(void*, int, IDTYPE) {}
  static char* nameOf(void* state, int, IDTYPE number) {
    std::string& name = of(state).names[number];
    return name.empty() ? nullptr : name.data();
  }
  static void ignoreObject(void*, int, void*) {}

  IDTYPE add(std::string name) {
    names.push_back(std::move(name));
    return names.size() - 1;
  }
};
Agiddisc_t kNumbers = {Numbers::open,   Numbers::map,   Numbers::refuse,      Numbers::keep,
                       Numbers::nameOf, Numbers::close, Numbers::ignoreObject};

struct CloseContext {
  void operator()(GVC_t* context) const { gvFreeContext(context); }
};

struct CloseGraph {
  void operator()(Agraph_t* graph) const { agclose(graph); }
};

int ignore(char*) { return 0; }

/// Of each box the number of edges on the longest path to it.
std::vector<size_t> layersOf(const LayoutRequest& request) {
  DirectedGraph<size_t>::Edges edges;
  for (const auto& edge : request.edges)
    if (edge.orders) edges.emplace_back(edge.from, edge.to);
  const DirectedGraph<size_t> graph(request.boxes.size(), std::move(edges));
  // Boxes are not in a topological order.
  std::vector<size_t> usersFirst, layer(graph.size(), 0);
  boost::topological_sort(graph, std::back_inserter(usersFirst));
  for (auto box = usersFirst.rbegin(); box != usersFirst.rend(); ++box)
    for (const size_t user : graph.successors(*box)) layer[user] = std::max(layer[user], layer[*box] + 1);
  return layer;
}

class Drawing {
 public:
  explicit Drawing(const LayoutRequest& request) : request_(request) {
    static lt_symlist_t engines[] = {
        {"gvplugin_dot_layout_LTX_library", static_cast<void*>(&gvplugin_dot_layout_LTX_library)}, {nullptr, nullptr}};
    // A route that is not found becomes a line; that is no message for users.
    agseterrf(ignore);
    context_.reset(gvContextPlugins(engines, 0));
    Agdisc_t disciplines = {nullptr, &kNumbers, nullptr};
    graph_.reset(agopen(text("g"), Agdirected, &disciplines));
  }

  /// The most ranks that an edge crosses.
  int longestEdge() {
    prepare("1", "spline");
    gvLayout(context_.get(), graph_.get(), "dot");
    int most = 0;
    for (const auto& edge : request_.edges)
      most = std::max(most, std::abs(ND_rank(boxes_[edge.to]) - ND_rank(boxes_[edge.from])));
    gvFreeLayout(context_.get(), graph_.get());
    return most;
  }

  /// `routes` is what edges are: `spline`, or `line`, which crosses any number of ranks.
  Layout layOut(const char* routes) {
    prepare("", routes);
    gvLayout(context_.get(), graph_.get(), "dot");
    Layout layout = result();
    gvFreeLayout(context_.get(), graph_.get());
    return layout;
  }

 private:
  /// Graphviz takes texts that it does not change as `char*`.
  static char* text(const char* constant) { return const_cast<char*>(constant); }  // NOLINT
  static void set(void* object, const char* name, const std::string& value) {
    std::string empty;
    agsafeset(object, text(name), const_cast<char*>(value.c_str()), empty.data());  // NOLINT
  }

  /// `phase` is 1 to rank the boxes only, or empty.
  void prepare(const char* phase, const char* routes) {
    setAttributes(phase, routes);
    addFrames();
    addBoxes();
    addEdges();
  }

  void setAttributes(const char* phase, const char* routes) {
    const double work = static_cast<double>(request_.boxes.size() * std::max<size_t>(layoutCost(request_).points, 1));
    const std::string steps = fmt::format("{:.4f}", std::min(kSimplexLimit, kSimplexWork / std::max(work, 1.0)));
    const std::tuple<int, const char*, const char*> attributes[] = {
        {AGRAPH, "rankdir", request_.leftToRight ? "LR" : "TB"},
        {AGRAPH, "nslimit", steps.c_str()},
        {AGRAPH, "nslimit1", steps.c_str()},
        {AGRAPH, "newrank", request_.edges.size() > kMostEdgesByModule ? "true" : "false"},
        {AGRAPH, "mclimit", kCrossingLimit},
        {AGRAPH, "phase", phase},
        {AGRAPH, "splines", routes},
        {AGRAPH, "ranksep", "0.25"},
        {AGRAPH, "nodesep", "0.2"},
        {AGRAPH, "labelloc", "t"},
        {AGRAPH, "labeljust", "l"},
        {AGRAPH, "label", ""},
        {AGRAPH, "fontsize", "10"},
        {AGNODE, "shape", "box"},
        {AGNODE, "label", ""},
        {AGNODE, "fixedsize", "true"},
        {AGNODE, "width", "1"},
        {AGNODE, "height", "1"},
        {AGEDGE, "label", ""},
        {AGEDGE, "fontsize", "9"},
        {AGEDGE, "constraint", "true"},
    };
    for (const auto& [kind, name, value] : attributes) agattr(graph_.get(), kind, text(name), text(value));
  }

  /// A text of about this width, for which Graphviz reserves the space.
  static std::string placeholder(double width) { return std::string(static_cast<size_t>(width / 5) + 1, 'x'); }

  void addFrames() {
    for (size_t i = 0; i < request_.frames.size(); ++i) {
      const auto& frame = request_.frames[i];
      Agraph_t* const parent = frame.parent ? frames_[*frame.parent] : graph_.get();
      frames_.push_back(agsubg(parent, fmt::format("cluster{}", i).data(), 1));
      if (frame.labelWidth > 0) set(frames_.back(), "label", placeholder(frame.labelWidth));
    }
  }

  void addBoxes() {
    for (size_t i = 0; i < request_.boxes.size(); ++i) {
      const auto& box = request_.boxes[i];
      Agraph_t* const frame = box.frame ? frames_[*box.frame] : graph_.get();
      boxes_.push_back(agnode(frame, fmt::format("{}", i).data(), 1));
      set(boxes_.back(), "width", fmt::format("{:.4f}", box.width / kPointsPerInch));
      set(boxes_.back(), "height", fmt::format("{:.4f}", box.height / kPointsPerInch));
    }
  }

  void addEdges() {
    for (size_t i = 0; i < request_.edges.size(); ++i) {
      const auto& edge = request_.edges[i];
      edges_.push_back(agedge(graph_.get(), boxes_[edge.from], boxes_[edge.to], fmt::format("{}", i).data(), 1));
      if (edge.labelWidth > 0) set(edges_.back(), "label", placeholder(edge.labelWidth));
      if (!edge.orders) set(edges_.back(), "constraint", "false");
    }
  }

  Point place(pointf point) const { return {point.x - origin_.x, origin_.y - point.y}; }

  Layout result() {
    const boxf all = GD_bb(graph_.get());
    origin_ = {all.LL.x, all.UR.y};
    Layout layout;
    layout.width = all.UR.x - all.LL.x;
    layout.height = all.UR.y - all.LL.y;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      const Point middle = place(ND_coord(boxes_[i]));
      const auto& box = request_.boxes[i];
      layout.boxes.push_back({middle.x - box.width / 2, middle.y - box.height / 2, box.width, box.height});
    }
    for (Agraph_t* const frame : frames_) {
      const boxf area = GD_bb(frame);
      const Point corner = place({area.LL.x, area.UR.y});
      layout.frames.push_back({corner.x, corner.y, area.UR.x - area.LL.x, area.UR.y - area.LL.y});
    }
    for (size_t i = 0; i < edges_.size(); ++i) layout.edges.push_back(routeOf(i, layout));
    return layout;
  }

  Layout::Route routeOf(size_t index, const Layout& layout) const {
    Agedge_t* const edge = edges_[index];
    Layout::Route route;
    if (const textlabel_t* label = ED_label(edge); label && label->set) route.label = place(label->pos);
    const splines* const curves = ED_spl(edge);
    if (curves == nullptr || curves->size == 0) {
      const Rectangle &from = layout.boxes[request_.edges[index].from], &to = layout.boxes[request_.edges[index].to];
      route.points = {{from.left + from.width / 2, from.top + from.height}, {to.left + to.width / 2, to.top}};
      return route;
    }
    const bezier& curve = curves->list[0];
    if (!request_.edges[index].orders && curve.size > kMostPointsBack) {
      const Rectangle &from = layout.boxes[request_.edges[index].from], &to = layout.boxes[request_.edges[index].to];
      const double left = std::min(from.left, to.left) - kBesideBoxes;
      const double begin = from.top + from.height / 2, end = to.top + to.height / 2;
      route.points = {{from.left, begin}, {left, begin}, {left, end}, {to.left, end}};
      return route;
    }
    for (int i = 0; i < curve.size; ++i) route.points.push_back(place(curve.list[i]));
    if (curve.eflag) route.points.insert(route.points.end(), 3, place(curve.ep));
    return route;
  }

  const LayoutRequest& request_;
  std::unique_ptr<GVC_t, CloseContext> context_;
  std::unique_ptr<Agraph_t, CloseGraph> graph_;
  std::vector<Agraph_t*> frames_;
  std::vector<Agnode_t*> boxes_;
  std::vector<Agedge_t*> edges_;
  Point origin_;
};

}  // namespace

LayoutCost layoutCost(const LayoutRequest& request) {
  const std::vector<size_t> layer = layersOf(request);
  const size_t layers = layer.empty() ? 0 : *std::ranges::max_element(layer) + 1;
  const bool hasLabels =
      std::ranges::any_of(request.edges, [](const LayoutRequest::Edge& edge) { return edge.labelWidth > 0; });
  const size_t perLayer = hasLabels ? 2 : 1;
  LayoutCost cost;
  // By layer: edges that begin to cross to the next one, less those that end there.
  std::vector<int64_t> change(layers + 1, 0);
  for (const auto& edge : request.edges) {
    const auto [first, last] = std::minmax(layer[edge.from], layer[edge.to]);
    cost.points += perLayer * (last - first);
    ++change[first];
    --change[last];
  }
  int64_t across = 0;
  for (const int64_t begun : change) {
    across += begun;
    cost.pairs += perLayer * static_cast<size_t>(across * across);
  }
  std::vector<size_t> top(request.frames.size(), layers), end(request.frames.size(), 0);
  for (size_t box = 0; box < request.boxes.size(); ++box) {
    if (!request.boxes[box].frame) continue;
    const size_t frame = *request.boxes[box].frame;
    top[frame] = std::min(top[frame], layer[box]);
    end[frame] = std::max(end[frame], layer[box] + 1);
  }
  for (size_t frame = request.frames.size(); frame-- > 0;) {
    cost.points += kPointsOfFrame;
    if (end[frame] > top[frame]) cost.frameLayers += perLayer * (end[frame] - top[frame]);
    if (!request.frames[frame].parent) continue;
    const size_t parent = *request.frames[frame].parent;
    top[parent] = std::min(top[parent], top[frame]);
    end[parent] = std::max(end[parent], end[frame]);
  }
  return cost;
}

Layout layOut(const LayoutRequest& request) {
  // Graphviz has variables of the process.
  static std::mutex inUse;
  const std::lock_guard alone(inUse);
  // No edge crosses more ranks than there are boxes, and as many of labels.
  const bool mayBeLong = 2 * request.boxes.size() > static_cast<size_t>(kMostRanksOfCurve);
  const bool isLong = mayBeLong && Drawing(request).longestEdge() > kMostRanksOfCurve;
  return Drawing(request).layOut(isLong ? "line" : "spline");
}

}  // namespace amdahlc::drawing
