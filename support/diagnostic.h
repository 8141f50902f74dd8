/// Diagnostics: an observed fact, its location, and a hint.
///
/// One engine serves the whole compiler. Producers report values of `Diagnostic`; consumers (the terminal renderer,
/// tests) receive them through a sink. Nothing below the driver prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/limits.h"
#include "support/source.h"

namespace amdahlc {

enum class Severity : uint8_t { Error, Warning, Remark, Note };

/// Stable diagnostic identifiers, one per row of `diagnostics.def`.
enum class DiagId : uint16_t {
#define AMDAHLC_DIAG(ID, SPELLING) ID,
#include "support/diagnostics.def"
};

/// The stable spelling of an id, e.g. `akp-unknown-operator`.
std::string_view name(DiagId id);

/// A place inside an ONNX model. Empty members are unknown.
struct OnnxLocation {
  std::string file;
  std::string graph;
  std::string node;
  std::string value;
};

/// A place inside a profiler trace.
struct TraceLocation {
  std::string file;
  std::optional<uint64_t> byteOffset;
  std::optional<int64_t> timestampNs;
};

/// No location, a range of text, a file as a whole, an element of a model or of a trace.
struct FileLocation {
  std::string file;
};
using Location = std::variant<std::monostate, SourceRange, FileLocation, OnnxLocation, TraceLocation>;

/// A location with a short label. The label may be empty.
struct Label {
  Location location;
  std::string text;
};

/// A replacement that would fix the input.
struct FixIt {
  SourceRange range;
  std::string replacement;

  /// The replacement as it is shown: without the blanks around it, which keep an inserted word apart from others.
  std::string_view shown() const;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  DiagId id;
  /// Lower case, no final period; the observed fact first, a hint after `;`.
  std::string message;
  Label primary;
  std::vector<Label> secondary;
  std::vector<std::string> notes;
  std::optional<FixIt> fix;
};

/// Collects counts and passes each diagnostic to the sink in the order of reporting. With a limit, of errors and of
/// warnings the first so many; then one says that there are more.
class DiagnosticEngine {
 public:
  using Sink = std::function<void(const Diagnostic&)>;
  /// The number of errors, and of warnings, that users get. One fault of an input may cause as many errors as it has
  /// lines.
  static constexpr size_t kMaxShown = limits::kShownMessages;

  explicit DiagnosticEngine(Sink sink = {}, size_t limit = std::numeric_limits<size_t>::max())
      : sink_(std::move(sink)), limit_(limit) {}

  /// Returned by the reporting functions: fill in further parts, reported when it goes out of scope. Reporting may
  /// throw std::bad_alloc.
  class InFlight {
   public:
    InFlight(DiagnosticEngine& engine, Diagnostic diagnostic) : engine_(&engine), diagnostic_(std::move(diagnostic)) {}
    InFlight(InFlight&& other) noexcept
        : engine_(other.engine_), exceptions_(other.exceptions_), diagnostic_(std::move(other.diagnostic_)) {
      other.engine_ = nullptr;
    }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;
    ~InFlight() noexcept(false);
    InFlight& label(std::string text);
    InFlight& secondary(Location location, std::string text);
    InFlight& note(std::string text);
    InFlight& fix(SourceRange range, std::string replacement);

   private:
    DiagnosticEngine* engine_;
    /// How many exceptions were on their way when it was made.
    int exceptions_ = std::uncaught_exceptions();
    Diagnostic diagnostic_;
  };

  InFlight error(DiagId id, Location location, std::string message);
  InFlight warning(DiagId id, Location location, std::string message);
  InFlight remark(DiagId id, Location location, std::string message);

  void report(const Diagnostic& diagnostic);

  size_t errorCount() const { return errors_; }
  size_t warningCount() const { return warnings_; }
  bool hasErrors() const { return errors_ != 0; }
  /// Users get no further error, and know it: a reader may stop.
  bool hasTooManyErrors() const { return errors_ > kMaxShown; }

 private:
  Sink sink_;
  size_t limit_;
  size_t errors_ = 0;
  size_t warnings_ = 0;
};

/// Renders a diagnostic as text with the source line and carets, as Clang does. `sources` resolves ranges; `color` adds
/// ANSI escapes.
std::string render(const Diagnostic& diagnostic, const SourceManager& sources, bool color);

}  // namespace amdahlc
