#include "passes/roofline/roofline_analysis.h"

#include <doctest/doctest.h>

#include <limits>

namespace amdahlc {
namespace {

using ir::ElementType;

/// 1000 bytes per ns; per ns 2000 float16 and 500 TF32 operations on matrices, 100 float32 and 50 float64 others.
ir::HardwareDescription device() {
  ir::HardwareDescription hardware;
  hardware.memoryBytesPerS = 1'000'000'000'000;
  hardware.matrixPerS = {{ElementType::Float16, 2'000'000'000'000}, {ElementType::Int8, 4'000'000'000'000}};
  hardware.tf32PerS = 500'000'000'000;
  hardware.vectorPerS = {{ElementType::Float, 100'000'000'000}, {ElementType::Double, 50'000'000'000}};
  return hardware;
}

KernelWorkOf workOf(int64_t bytes, FlopsByType matrix, FlopsByType vector) {
  KernelWorkOf work;
  work.reads = {{ir::ValueId(0), bytes, false}};
  work.matrixFlops = std::move(matrix);
  work.vectorFlops = std::move(vector);
  return work;
}

TEST_CASE("the longer time of memory and operations bounds a kernel") {
  const Attainable memory = *attainable(workOf(5000, {{ElementType::Float16, 2000}}, {}), device());
  CHECK(memory.memoryNs == 5);
  CHECK(memory.computeNs() == 1);
  CHECK(memory.ns() == 5);
  CHECK(memory.isMemoryBound());
  const Attainable compute = *attainable(workOf(500, {{ElementType::Float16, 2000}}, {}), device());
  CHECK(compute.ns() == 1);
  CHECK_FALSE(compute.isMemoryBound());
}

TEST_CASE("matrix units and all others work at the same time, types of one kind one after the other") {
  const Attainable time = *attainable(
      workOf(0, {{ElementType::Float16, 2000}, {ElementType::Int8, 8000}}, {{ElementType::Float, 200}}), device());
  CHECK(time.matrixNs == 3);
  CHECK(time.vectorNs == 2);
  CHECK(time.computeNs() == 3);
}

TEST_CASE("products of float32 are rounded to TF32, unless they may not be") {
  const KernelWorkOf work = workOf(0, {{ElementType::Float, 500}}, {});
  CHECK(attainable(work, device())->matrixNs == 1);
  CHECK(attainable(work, device(), Float32Products::Ieee)->matrixNs == 5);
  ir::HardwareDescription older = device();
  older.tf32PerS.reset();
  CHECK(attainable(work, older)->matrixNs == 5);
}

TEST_CASE("a type without a peak") {
  // Vectors have the highest peak, so that the time is not too long.
  CHECK(attainable(workOf(0, {}, {{ElementType::Int64, 100}}), device())->vectorNs == 1);
  // Unsigned integers are multiplied as signed ones are.
  CHECK(attainable(workOf(0, {{ElementType::UInt8, 4000}}, {}), device())->matrixNs == 1);
  // Without a peak for matrices, that of vectors.
  CHECK(attainable(workOf(0, {{ElementType::Double, 50}}, {}), device())->matrixNs == 1);
  CHECK(attainable(workOf(0, {{ElementType::BFloat16, 1}}, {}), device()).absence() ==
        Absence{Absence::Reason::NoPeak, {"bfloat16"}});
}

TEST_CASE("bytes and operations of a kernel add up, to the largest number at most") {
  KernelWorkOf work = workOf(24, {{ElementType::Float16, 10}}, {{ElementType::Float16, 3}});
  work.writes = {{ir::ValueId(1), 8, false}};
  CHECK(work.readBytes() == 24);
  CHECK(work.writtenBytes() == 8);
  CHECK(work.bytes() == 32);
  CHECK(work.flops() == 13);
  work.reads.push_back({ir::ValueId(2), std::numeric_limits<int64_t>::max(), true});
  CHECK(work.bytes() == std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace amdahlc
