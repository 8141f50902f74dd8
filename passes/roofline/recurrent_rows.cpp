// Recurrent operators. T steps, B sequences, D directions, I inputs, H hidden elements; each step has G gates: products
// of I and of H elements with H columns for each gate. Gates and cells count with the default activations. Weights are
// read once for all steps.
#include <iterator>

#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

/// `perCell` operations for each hidden element in each step, and `gates` more for a bias.
void recurrent(OperatorWork& work, int64_t gates, int64_t perCell) {
  const bool isBatchFirst = work.integer("layout", 0) != 0;
  const Amount steps = work.dim(0, isBatchFirst ? 1 : 0), batch = work.dim(0, isBatchFirst ? 0 : 1);
  const Amount inputs = work.dim(0, 2), hidden = work.dim(2, 2), directions = work.dim(2, 0);
  Amount stepsOfAll = steps * batch;
  if (work.has(4)) {
    const auto lengths = work.constantIntegers(4);
    if (!lengths) return work.unknownElements(4);
    stepsOfAll = 0;
    for (const int64_t length : *lengths) stepsOfAll = stepsOfAll + Amount(length);
  }
  const Amount cells = stepsOfAll * directions * hidden;
  work.matrix(Amount(2) * Amount(gates) * cells * (inputs + hidden));
  work.vector(cells * Amount(perCell + (work.has(3) ? gates : 0)));
}

/// Four sums of two products, three sigmoids, two tanh, f c + i g, o tanh(c); three peepholes are multiply-adds.
void lstm(OperatorWork& work) { recurrent(work, 4, 4 + 3 * 4 + 2 + 3 + 1 + (work.has(7) ? 6 : 0)); }

/// Three sums of two products, two sigmoids, tanh, r h, (1 - z) n + z h.
void gru(OperatorWork& work) { recurrent(work, 3, 3 + 2 * 4 + 1 + 1 + 4); }

/// A sum and tanh.
void rnn(OperatorWork& work) { recurrent(work, 1, 2); }

constexpr OperatorRow kRecurrentRows[] = {
    {"", "GRU", gru, "6 (I + H) and 17 per cell and step; 3 for a bias"},
    {"", "LSTM", lstm, "8 (I + H) and 22 per cell and step; 4 for a bias, 6 for peepholes"},
    {"", "RNN", rnn, "2 (I + H) and 2 per cell and step; 1 for a bias"},
};

}  // namespace

std::span<const OperatorRow> recurrentRows() { return kRecurrentRows; }

}  // namespace amdahlc
