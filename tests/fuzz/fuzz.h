/// What all fuzz targets share: the run of one input, and the properties that every run must have.
///
/// A target is a file that registers itself. `fuzzWithChecks` runs it on an input and checks:
/// - every error says where it is, within the text that it points into;
/// - no diagnostic and no output has control characters or marks that change the direction of text;
/// - the same input gives the same diagnostics and outputs again;
/// - nothing throws.
/// A target adds properties of its own with `Run::require`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "mutators/mutation.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::fuzz {

/// One run of the compiler on one input, with everything that it says and writes.
class Run {
 public:
  Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  SourceManager sources;
  DiagnosticEngine diagnostics;

  /// Records an output. `kind` is as `-emit=` takes it.
  void output(std::string_view kind, std::string_view text);
  /// Everything that was said and written so far.
  const std::string& transcript() const { return transcript_; }

 private:
  std::string transcript_;
};

/// Ends the process with `what`, unless `holds`: libFuzzer then keeps the input.
void require(bool holds, std::string_view what);

/// An engine for work that must not report an error, such as parsing what was just printed; `doing` says which. An
/// error ends the process.
DiagnosticEngine noErrors(const SourceManager& sources, std::string_view doing);

struct Target {
  std::string_view name;
  void (*fuzzOne)(std::string_view input, Run& run);
  /// A function of mutators/mutation.h, or null: bytes are changed without knowing their structure.
  size_t (*mutate)(uint8_t* data, size_t size, size_t maxSize, unsigned seed);
  /// What a replay tries, so that it takes some seconds: so many mutations, and every Nth seed.
  size_t mutations;
  size_t everySeed = 1;
};

/// Registers a target for `findTarget`; an object with static storage duration.
class Registration {
 public:
  explicit Registration(Target target);
};

/// The registered target of this name, or null.
const Target* findTarget(std::string_view name);

/// Runs a target on an input. `repeat`: a second time, which must say and write the same. noexcept: an exception ends
/// the process where it is thrown, with that stack.
void fuzzWithChecks(const Target& target, std::string_view input, bool repeat) noexcept;

/// The path of a file in memory with these bytes. `slot` is the number of the file: the next bytes of a slot replace
/// those before.
std::string memoryFile(std::string_view bytes, size_t slot = 0);

/// A number from the content, by which a target chooses among its variants, so that an input means the same everywhere.
uint64_t hashOf(std::string_view bytes);

}  // namespace amdahlc::fuzz
