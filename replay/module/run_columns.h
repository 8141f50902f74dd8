/// A run as columns of numbers, from which the page predicts as the command does: its events and calls, from which
/// the same code makes the same model, and the changes that the page offers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "replay/module/offer.h"
#include "replay/schedule/prediction.h"

namespace amdahlc {

enum class RunColumn : uint8_t {
#define AMDAHLC_COLUMN(ID, NAME) ID,
#include "replay/module/columns.def"
};
inline constexpr std::string_view kRunColumnNames[] = {
#define AMDAHLC_COLUMN(ID, NAME) NAME,
#include "replay/module/columns.def"
};
inline constexpr size_t kRunColumnCount = std::size(kRunColumnNames);

struct RunColumns {
  std::array<std::vector<int64_t>, kRunColumnCount> columns;

  std::vector<int64_t>& operator[](RunColumn column) { return columns[static_cast<size_t>(column)]; }
  const std::vector<int64_t>& operator[](RunColumn column) const { return columns[static_cast<size_t>(column)]; }
};

/// From when the times of columns count; of columns that `write` made.
int64_t originOf(const RunColumns& columns);

/// A run to write. `model` and `schedule` are null for one that is not replayed, and `oneThread` for one that is
/// replayed or of several threads.
struct WrittenRun {
  const Timeline& timeline;
  const std::vector<Rational>& undisturbed;
  const schedule::RunModel* model;
  const schedule::RunSchedule* schedule;
  const schedule::OneThread* oneThread;
  const ScenarioRun& kernels;
  const Offer& offer;
};
RunColumns write(const WrittenRun& run);

/// A run that was read, and predicts what the command predicts.
class ReadRun {
 public:
  /// Null for columns that `write` cannot have written, or of another version. Any columns are safe to read.
  static std::unique_ptr<ReadRun> read(const RunColumns& columns);

  const Offer& offer() const { return offer_; }
  const Timeline& timeline() const { return timeline_; }
  const ScenarioRun& kernels() const { return kernels_; }
  const schedule::Predictor& predictor() const { return *predictor_; }
  /// nullopt if the changes do not go together. With `keepsIdle` by arithmetic, also of a run that is replayed;
  /// changes that only a replay knows do nothing then.
  std::optional<schedule::PredictedTimes> predict(std::span<const ChosenChange> chosen, Conflict& conflict,
                                                  bool keepsIdle = false) const;

 private:
  friend class RunReader;
  ReadRun() = default;

  Timeline timeline_;
  ScenarioRun kernels_;
  Offer offer_;
  schedule::RunSchedule schedule_;
  std::unique_ptr<schedule::RunModel> model_;
  std::optional<schedule::OneThread> oneThread_;
  std::optional<schedule::Predictor> predictor_;
};

}  // namespace amdahlc
