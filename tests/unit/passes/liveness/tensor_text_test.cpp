#include "passes/liveness/tensor_text.h"

#include <doctest/doctest.h>

#include <limits>

namespace amdahlc {
namespace {

TEST_CASE("dimensions are written as PyTorch abbreviates types") {
  using ir::Dim;
  using ir::ElementType;
  using ir::Type;
  CHECK(tensorDimensions(Type::tensor(ElementType::Float, {Dim::of(64), Dim::of(64)})) == "f32[64, 64]");
  CHECK(tensorDimensions(Type::tensor(ElementType::Int64, {Dim::named("batch"), Dim{}})) == "i64[batch, ?]");
  CHECK(tensorDimensions(Type::tensor(ElementType::Bool, {})) == "b8[]");
  CHECK(tensorDimensions(Type::unranked(ElementType::BFloat16)) == "bf16[*]");
}

TEST_CASE("bytes have three digits in units of 1024") {
  CHECK(shownBytes(0) == "0 B");
  CHECK(shownBytes(1023) == "1023 B");
  CHECK(shownBytes(1024) == "1.00 KiB");
  CHECK(shownBytes(1536 * 1024) == "1.50 MiB");
  CHECK(shownBytes(int64_t{1} << 34) == "16.0 GiB");
  CHECK(shownBytes(1023 * 1024 + 800) == "1.00 MiB");
  CHECK(shownBytes(std::numeric_limits<int64_t>::max()) == "8.00 EiB");
}

}  // namespace
}  // namespace amdahlc
