#include "ir/segments.h"

#include <doctest/doctest.h>

#include "ir/kernel_graph.h"
#include "sample_module.h"

using namespace amdahlc;
using namespace amdahlc::ir;
using namespace amdahlc::ir::test;

namespace {

/// A chain of operators in these scopes.
struct Chain {
  ModuleBuilder builder;
  std::vector<Cover> covers;

  explicit Chain(const std::vector<std::string>& scopes) {
    builder.input("v0");
    for (size_t i = 0; i < scopes.size(); ++i) {
      const std::string in = "v" + std::to_string(i), out = "v" + std::to_string(i + 1);
      builder.op("Op" + std::to_string(i), {in}, {out});
      builder.module.ops[OpId(i)].scope = builder.module.addScope(scopes[i]);
    }
    builder.output("v" + std::to_string(scopes.size()));
  }

  /// A cover with these kernels of several operators.
  void add(std::vector<std::vector<OpId>> groups) {
    covers.emplace_back().kernels =
        numberKernels(builder.module, OperatorGraph(builder.module), grouping(builder.module, std::move(groups)))
            .value();
  }

  std::vector<std::string> names(std::string_view choice) const {
    std::vector<const Cover*> list;
    for (const Cover& cover : covers) list.push_back(&cover);
    std::vector<std::string> names;
    for (const Segment& segment : segmentsOf(builder.module, list, parseSegmentChoice(choice)).segments)
      names.push_back(segment.name);
    return names;
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a segment is the outermost numbered scope that no kernel divides, else the innermost scope") {
  Chain chain({"stem.conv", "body.layers.0.mlp.1", "body.layers.0.norm", "body.layers.1.norm", "head"});
  chain.add({});
  CHECK(chain.names("auto") == Names{"stem.conv", "body.layers.0", "body.layers.1", "head"});
  CHECK(chain.names("1") == Names{"stem", "body", "head"});
  CHECK(chain.names("3") == Names{"stem.conv", "body.layers.0", "body.layers.1", "head"});
  CHECK(chain.names("atoms") == Names{"Op0#0", "Op1#1", "Op2#2", "Op3#3", "Op4#4"});
}

TEST_CASE("a kernel of any cover takes the scopes that it divides away") {
  Chain chain({"stem", "layers.0.a", "layers.0.b", "layers.1.a", "layers.1.b", "head"});
  chain.add(idLists<OpId>({{1, 2}}));
  CHECK(chain.names("auto") == Names{"stem", "layers.0", "layers.1", "head"});
  // Two covers make one atom of three operators.
  chain.add(idLists<OpId>({{2, 3}}));
  CHECK(chain.names("auto") == Names{"stem", "layers", "layers.1.b", "head"});
  CHECK(chain.names("atoms") == Names{"Op0#0", "Op1#1 and 2 more", "Op4#4", "Op5#5"});
  // `layers` has what is inside, so that nothing of it is a segment of its own at depth 1.
  CHECK(chain.names("1") == Names{"stem", "layers", "head"});
  chain.add(idLists<OpId>({{4, 5}}));
  CHECK(chain.names("auto") == Names{"stem", "Op1#1 and 2 more", "Op4#4 and 1 more"});
}

TEST_CASE("an operator that is computed several times unites no kernels") {
  Chain chain({"layers.0", "layers.0", "layers.1", "layers.1"});
  chain.add(idLists<OpId>({{0, 1}, {2, 3}}));
  Kernel again = chain.covers[0].kernels[1_kernel];
  again.ops.push_back(0_op);
  chain.covers[0].kernels[1_kernel] = again;
  CHECK(chain.names("auto") == Names{"layers.0", "layers.1"});
}

TEST_CASE("scopes deeper than the limit count as the one at the limit") {
  std::string deep = "0";
  for (int i = 0; i < 1000; ++i) deep += ".a";
  Chain chain({deep, deep + ".b"});
  chain.add({});
  CHECK(chain.names("auto") == Names{"0"});
  CHECK(chain.names("9") == Names{"0.a.a.a.a.a.a.a.a"});
}
