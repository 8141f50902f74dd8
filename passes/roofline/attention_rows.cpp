// Attention. A score is of one query, one key and one head, as many as masks and causality leave: 2 D operations for it
// and 2 V for its part of the result, with D elements of a key and V of a value; and per score one for the scale, one
// for a mask, three for a soft cap, and the five of `Softmax`. Projections, where the operator has them, are products.

#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

struct Scores {
  /// Of all heads and sequences.
  Amount count = 0;
  Amount keySize = 0, valueSize = 0;
  bool hasMask = false, hasCap = false;
  /// The operand in whose type they are computed.
  size_t typed = 0;
};

void addScores(OperatorWork& work, const Scores& scores) {
  work.matrix(Amount(2) * scores.count * (scores.keySize + scores.valueSize), scores.typed);
  work.vector(scores.count * Amount(1 + 5 + (scores.hasMask ? 1 : 0) + (scores.hasCap ? 3 : 0)));
}

/// Pairs of a query and a key. If `isCausal`, query i is at the position `before` + i, and sees the keys up to there;
/// only the last `window` of them if that is positive.
Amount pairs(Amount queries, Amount keys, bool isCausal, Amount before, int64_t window = -1) {
  if (!isCausal) return queries * keys;
  if (!before.isKnown()) return before;
  const Amount seen = lowerTriangle(queries, keys, *before);
  return window > 0 ? seen - lowerTriangle(queries, keys, *before - window) : seen;
}

/// (Q, K, V, mask, past K, past V, lengths): of three axes with all heads in the last one, or of four.
void attention(OperatorWork& work) {
  if (work.has(6)) return work.unknownElements(6);
  const bool isFlat = work.rank(0) == 3;
  const int64_t heads = work.integer("q_num_heads", 0), keyHeads = work.integer("kv_num_heads", 0);
  if (isFlat && (heads <= 0 || keyHeads <= 0)) return work.unknownForm();
  const Amount queries = work.dim(0, isFlat ? 1 : 2), past = work.has(4) ? work.dim(4, 2) : Amount(0);
  const Amount keys = work.dim(1, isFlat ? 1 : 2) + past;
  Scores scores;
  scores.keySize = isFlat ? work.dim(0, 2) / Amount(heads) : work.dim(0, 3);
  scores.valueSize = isFlat ? work.dim(2, 2) / Amount(keyHeads) : work.dim(2, 3);
  scores.count = work.dim(0, 0) * (isFlat ? Amount(heads) : work.dim(0, 1)) *
                 pairs(queries, keys, work.integer("is_causal", 0) != 0, past);
  scores.hasMask = work.has(3);
  scores.hasCap = work.number("softcap", 0) != 0;
  addScores(work, scores);
}

/// Products with the packed weights of queries, keys and values, and with one head's part of each.
struct Projected {
  Amount queries = 0, values = 0;
};

std::optional<Projected> addProjection(OperatorWork& work, Amount rows) {
  const Amount all = work.dim(1, 1);
  work.matrix(Amount(2) * rows * work.dim(0, -1) * all, 1);
  if (work.has(2)) work.vector(rows * all);
  const auto sizes = work.integers("qkv_hidden_sizes");
  if (!sizes || sizes->empty()) return Projected{all / Amount(3), all / Amount(3)};
  if (sizes->size() != 3) return std::nullopt;
  return Projected{Amount((*sizes)[0]), Amount((*sizes)[2])};
}

/// (input, weights, bias, ...) of (batch, sequence, hidden).
void addPackedProjection(OperatorWork& work, size_t past, bool hasMask, size_t typed) {
  const int64_t heads = work.integer("num_heads", 0);
  const Amount batch = work.dim(0, 0), queries = work.dim(0, 1);
  const auto projected = addProjection(work, batch * queries);
  if (heads <= 0 || !projected) return work.unknownForm();
  const Amount before = work.has(past) ? work.dim(past, 3) : Amount(0);
  const bool isCausal = work.integer("unidirectional", 0) != 0;
  Scores scores;
  scores.keySize = projected->queries / Amount(heads);
  scores.valueSize = projected->values / Amount(heads);
  scores.count = batch * Amount(heads) * pairs(queries, queries + before, isCausal, before);
  scores.hasMask = hasMask;
  scores.typed = typed;
  addScores(work, scores);
}

/// (input, weights, bias, mask, past, added, length of the past)
void microsoftAttention(OperatorWork& work) {
  if (work.has(6)) return work.unknownElements(6);
  addPackedProjection(work, 4, work.has(3) || work.has(5), 0);
}

/// (input, weights, bias, scale, scale, mask, zero, zero, past): the projection is a product of quantised matrices.
void qAttention(OperatorWork& work) { addPackedProjection(work, 8, work.has(5), 3); }

/// Query (batch, sequence, hidden), or all three packed (batch, sequence, heads, 3, size); keys and values alike,
/// packed as (batch, sequence, heads, 2, size), or (batch, heads, sequence, size). (query, key, value, bias, padding,
/// added, past K, past V, length of the past)
void multiHeadAttention(OperatorWork& work) {
  if (work.has(8)) return work.unknownElements(8);
  const int64_t heads = work.integer("num_heads", 0);
  if (heads <= 0) return work.unknownForm();
  const bool isPacked = work.rank(0) == 5;
  const Amount queries = work.dim(0, 1), past = work.has(6) ? work.dim(6, 2) : Amount(0);
  const size_t key = work.has(1) ? 1 : 0;
  Scores scores;
  scores.keySize = isPacked ? work.dim(0, 4) : work.dim(0, 2) / Amount(heads);
  scores.valueSize = work.has(2) && work.rank(2) == 4 ? work.dim(2, 3)
                     : work.has(2)                    ? work.dim(2, 2) / Amount(heads)
                                                      : work.dim(static_cast<size_t>(key), -1);
  const Amount keys = work.dim(key, work.rank(key) == 4 ? 2 : 1) + past;
  scores.count = work.dim(0, 0) * Amount(heads) * pairs(queries, keys, work.integer("unidirectional", 0) != 0, past);
  scores.hasMask = work.has(4) || work.has(5);
  addScores(work, scores);
  if (!work.has(3)) return;
  for (const size_t operand : {0, 1, 2})
    if (work.has(operand)) work.vector(work.elements(operand));
}

/// (query, key, value, past K, past V, lengths, total length, cosines, sines): causal. Without keys the query holds
/// all. With a past of the size of the present, both are one buffer, of which only the total length is used.
void groupQueryAttention(OperatorWork& work) {
  const int64_t heads = work.integer("num_heads", 0), keyHeads = work.integer("kv_num_heads", 0);
  if (heads <= 0 || keyHeads <= 0) return work.unknownForm();
  const Amount batch = work.dim(0, 0), queries = work.dim(0, 1);
  const Amount size =
      work.has(1) ? work.dim(0, 2) / Amount(heads) : work.dim(0, 2) / (Amount(heads) + Amount(2) * Amount(keyHeads));
  const auto given = work.constantIntegers(6);
  Amount total = queries;
  if (given && given->size() == 1) {
    total = Amount(given->front());
  } else if (work.has(3)) {
    const Amount past = work.dim(3, 2), present = work.resultDim(1, 2);
    total = past + queries;
    if (*present != *total) return work.unknownElements(6);
  }
  const Amount before = total - queries;
  if (work.has(3)) {
    const Amount row = batch * Amount(keyHeads) * size * work.elementBytes(3);
    for (const size_t operand : {3, 4}) work.reads(operand, smaller(work.bytes(operand), row * before));
    if (*work.dim(3, 2) == *work.resultDim(1, 2))
      for (const size_t result : {1, 2}) work.writes(result, row * queries);
  }
  Scores scores;
  scores.keySize = scores.valueSize = size;
  scores.count = batch * Amount(heads) * pairs(queries, total, true, before, work.integer("local_window_size", -1));
  scores.hasCap = work.number("softcap", 0) != 0;
  addScores(work, scores);
  if (work.integer("do_rotary", 0) == 0) return;
  work.vector(Amount(3) * batch * queries * (Amount(heads) + Amount(keyHeads)) * size);
  for (const size_t table : {7, 8})
    work.reads(table, smaller(work.bytes(table), batch * queries * work.dim(table, -1) * work.elementBytes(table)));
}

/// Pairs within each sequence, of the places where sequences begin; nullopt where these are not known.
std::optional<Amount> pairsOfSequences(const OperatorWork& work, size_t begins) {
  const auto given = work.constantIntegers(begins);
  if (!given) return std::nullopt;
  Amount sum = 0;
  for (size_t i = 1; i < given->size(); ++i) {
    const Amount length = Amount((*given)[i]) - Amount((*given)[i - 1]);
    sum = sum + length * length;
  }
  return sum;
}

/// (input, weights, bias, offsets, begins, added): rows of all sequences without padding.
void packedAttention(OperatorWork& work) {
  const int64_t heads = work.integer("num_heads", 0);
  const auto projected = addProjection(work, work.dim(0, 0));
  if (heads <= 0 || !projected) return work.unknownForm();
  const auto inSequences = pairsOfSequences(work, 4);
  if (!inSequences) return work.unknownElements(4);
  Scores scores;
  scores.keySize = projected->queries / Amount(heads);
  scores.valueSize = projected->values / Amount(heads);
  scores.count = Amount(heads) * *inSequences;
  scores.hasMask = work.has(5);
  addScores(work, scores);
}

/// (query, key, value, bias, offsets, begins, added): rows of all sequences; packed as (rows, heads, 3, size).
void packedMultiHeadAttention(OperatorWork& work) {
  const int64_t heads = work.integer("num_heads", 0);
  if (heads <= 0) return work.unknownForm();
  const auto inSequences = pairsOfSequences(work, 5);
  if (!inSequences) return work.unknownElements(5);
  Scores scores;
  scores.keySize = work.rank(0) == 4 ? work.dim(0, 3) : work.dim(0, 1) / Amount(heads);
  scores.valueSize = work.has(2) ? work.dim(2, 1) / Amount(heads) : scores.keySize;
  scores.count = Amount(heads) * *inSequences;
  scores.hasMask = work.has(6);
  addScores(work, scores);
  if (!work.has(3)) return;
  for (const size_t operand : {0, 1, 2})
    if (work.has(operand)) work.vector(work.elements(operand));
}

constexpr std::string_view kScores =
    "per score 2 for each element of a key and of a value, and 6; 1 for a mask, 3 for a soft cap";
constexpr std::string_view kProjected = "the projection; 1 per element for its bias; then as `Attention`";
constexpr std::string_view kBiased = "as `Attention`; 1 per element for a bias";

constexpr OperatorRow kAttentionRows[] = {
    {"", "Attention", attention, kScores},
    {"com.microsoft", "Attention", microsoftAttention, kProjected},
    {"com.microsoft", "GroupQueryAttention", groupQueryAttention, "as `Attention`; 3 per element that is rotated",
     "of past keys and values, and of the tables of rotations, what is used"},
    {"com.microsoft", "MultiHeadAttention", multiHeadAttention, kBiased},
    {"com.microsoft", "PackedAttention", packedAttention, kProjected},
    {"com.microsoft", "PackedMultiHeadAttention", packedMultiHeadAttention, kBiased},
    {"com.microsoft", "QAttention", qAttention, kProjected},
};

}  // namespace

std::span<const OperatorRow> attentionRows() { return kAttentionRows; }

}  // namespace amdahlc
