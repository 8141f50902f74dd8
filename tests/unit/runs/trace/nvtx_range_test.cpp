#include "runs/trace/nvtx_range.h"

#include <doctest/doctest.h>

#include <string>

using namespace amdahlc;
using namespace amdahlc::trace;

namespace {

using Dims = std::vector<std::vector<int64_t>>;

}  // namespace

TEST_CASE("the range of an operator gives its name, numbers and shapes") {
  const NvtxRange range = readNvtxRange(
      "aten::addmm, seq = 12, op_id = 40, sizes = [[768], [8, 768], [], [768, 768]], input_op_ids = [(3,0)]");
  CHECK(range.kind == EventKind::Operator);
  CHECK(range.name == "aten::addmm");
  CHECK(range.operatorId == 40);
  CHECK_FALSE(range.cutOff);
  CHECK(range.sequenceNumber == 12);
  CHECK(range.shapesText == "[[768], [8, 768], [], [768, 768]]");
  CHECK(range.shapes == Dims{{768}, {8, 768}, {}, {768, 768}});
}

TEST_CASE("each field of an operator's range may be absent") {
  CHECK(readNvtxRange("aten::view").kind == EventKind::Operator);
  CHECK_FALSE(readNvtxRange("aten::view").shapes);
  const NvtxRange numbered = readNvtxRange("aten::view, op_id = 7");
  CHECK(numbered.name == "aten::view");
  CHECK(numbered.operatorId == 7);
  CHECK_FALSE(numbered.shapes);
  const NvtxRange old = readNvtxRange("aten::view, seq = 3, sizes = []");
  CHECK(old.shapes == Dims{});
  CHECK(old.sequenceNumber == 3);
  CHECK(readNvtxRange("AddmmBackward0, seq = 5, op_id = 9").kind == EventKind::Operator);
  CHECK(readNvtxRange("autograd::engine::evaluate_function: AddmmBackward0, op_id = 9").kind == EventKind::Operator);
  CHECK(readNvtxRange("torchvision::nms, op_id = 9").kind == EventKind::Operator);
}

TEST_CASE("ranges of users are annotations, and calls of one have one name") {
  for (const char* text : {"step", "step, op_id = 5", "step, op_id = 6, sizes = [[1]]", "step, sizes = []"}) {
    CAPTURE(text);
    const NvtxRange range = readNvtxRange(text);
    CHECK(range.kind == EventKind::Annotation);
    CHECK(range.name == "step");
    CHECK_FALSE(range.shapes);
  }
  const NvtxRange module = readNvtxRange("FSDP::pre_forward (encoder.block.0), op_id = 5");
  CHECK(module.kind == EventKind::Annotation);
  CHECK(module.name == "FSDP::pre_forward (encoder.block.0)");
  CHECK(readNvtxRange("my::step").kind == EventKind::Annotation);
}

TEST_CASE("a text of another form is a name as it is") {
  for (const char* text : {"loss, seq = soon", "a, op_id = 5 and more", "a, sizes = large", ", op_id = x",
                           "x, seq = 1, size = [1]", "aten::add, op_id = -"}) {
    CAPTURE(text);
    const NvtxRange range = readNvtxRange(text);
    CHECK(range.kind == EventKind::Annotation);
    CHECK(range.name == text);
  }
}

TEST_CASE("a text that ends anywhere is read without its last fields, and wrong shapes never result") {
  const std::string text = "aten::addmm, seq = 12, op_id = 40, sizes = [[768], [8, 768]]";
  for (size_t length = 0; length < text.size(); ++length) {
    CAPTURE(length);
    const NvtxRange range = readNvtxRange(std::string_view(text).substr(0, length));
    CHECK_FALSE(range.shapes);
    if (length >= std::string_view("aten::addmm, seq = ").size()) {
      CHECK(range.name == "aten::addmm");
      CHECK(range.kind == EventKind::Operator);
    }
    if (length > text.find(", sizes")) CHECK(range.cutOff);
  }
}
