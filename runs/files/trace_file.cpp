#include "runs/files/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "support/file.h"
#include "support/limits.h"

namespace amdahlc::trace {

/// The file's bytes, hashed on their way.
class TraceFile::Hashed : public ByteSource {
 public:
  explicit Hashed(std::unique_ptr<ByteSource> bytes) : bytes_(std::move(bytes)) {}
  size_t read(char* to, size_t count) override {
    const size_t got = bytes_->read(to, count);
    hash_.add({to, got});
    count_ += got;
    failed_ = bytes_->failed();
    return got;
  }
  std::string hash() const { return hash_.text(); }
  /// Those that were read.
  uint64_t bytes() const { return count_; }

 private:
  std::unique_ptr<ByteSource> bytes_;
  ContentHash hash_;
  uint64_t count_ = 0;
};

/// Bytes of which the first ones can be looked at before they are read.
class TraceFile::Peeked : public ByteSource {
 public:
  /// `source` must outlive it.
  Peeked(ByteSource& source, size_t count) : source_(source), beginning_(count, '\0') {
    beginning_.resize(source.read(beginning_.data(), count));
    failed_ = source.failed();
  }
  std::string_view beginning() const { return beginning_; }
  size_t read(char* to, size_t count) override {
    const size_t again = beginning_.copy(to, count, served_);
    served_ += again;
    if (again == count) return count;
    const size_t got = again + source_.read(to + again, count - again);
    failed_ = source_.failed();
    return got;
  }

 private:
  ByteSource& source_;
  std::string beginning_;
  size_t served_ = 0;
};

TraceFile::TraceFile(std::unique_ptr<ByteSource> bytes, std::string name, DiagnosticEngine& diagnostics)
    : name_(std::move(name)),
      diagnostics_(diagnostics),
      file_(std::make_unique<Hashed>(std::move(bytes))),
      compressed_(std::make_unique<Peeked>(*file_, kMagicBytes)) {
  if (const Compression compression = compressionOf(compressed_->beginning()); compression != Compression::None)
    decompressed_ = decompress(*compressed_, compression, name_, diagnostics);
  content_ = std::make_unique<Peeked>(decompressed_ ? *decompressed_ : *compressed_, kBeginningBytes);
  failed_ = content_->failed();
}

TraceFile::~TraceFile() = default;

std::unique_ptr<TraceFile> TraceFile::open(const std::string& path, DiagnosticEngine& diagnostics) {
  auto bytes = openBytes(path, diagnostics);
  if (!bytes) return nullptr;
  std::unique_ptr<TraceFile> file(new TraceFile(std::move(bytes), inputName(path), diagnostics));
  if (file->failed()) return nullptr;
  std::error_code error;
  if (path != "-" && std::filesystem::is_regular_file(path, error)) {
    if (!file->decompressed_) file->plainPath_ = path;
    const uint64_t size = std::filesystem::file_size(path, error);
    if (!error) file->sizeOnDisk_ = size;
  }
  return file;
}

std::unique_ptr<TraceFile> TraceFile::inMemory(std::string_view bytes, const std::string& name,
                                               DiagnosticEngine& diagnostics) {
  std::unique_ptr<TraceFile> file(new TraceFile(bytesInMemory(bytes), name, diagnostics));
  if (file->failed()) return nullptr;
  return file;
}

std::string TraceFile::lastComponent() const {
  const size_t slash = name_.find_last_of('/');
  return slash == std::string::npos ? name_ : name_.substr(slash + 1);
}

void TraceFile::reportGoesOn(uint64_t stated) const {
  diagnostics_.error(DiagId::TraceInvalid, at(stated),
                     fmt::format("the file goes on behind the {} bytes that its header states", stated));
}

void TraceFile::reportJsonEnd(uint64_t byteOffset) const {
  diagnostics_.error(DiagId::TraceSyntax, at(byteOffset),
                     fmt::format("the JSON ends early, after {} bytes; the file is truncated", byteOffset));
}

void TraceFile::reportJsonDamage(uint64_t byteOffset, std::string_view text, uint64_t textOffset) const {
  auto error = diagnostics_.error(DiagId::TraceSyntax, at(byteOffset), "the JSON is damaged");
  if (text.empty()) return;
  const size_t place = std::min<size_t>(byteOffset - textOffset, text.size());
  // The renderer makes broken UTF-8 printable.
  error.note(
      fmt::format("the text around it is `{}`", text.substr(place - std::min(place, kShownBytes / 2), kShownBytes)));
}

std::string_view TraceFile::beginning() const { return content_->beginning(); }

size_t TraceFile::read(char* to, size_t count) {
  const size_t got = content_->read(to, count);
  failed_ = content_->failed();
  if (told_ && sizeOnDisk_ > 0)
    told_(std::min(1.0, static_cast<double>(file_->bytes()) / static_cast<double>(sizeOnDisk_)));
  return got;
}

std::optional<std::string> TraceFile::readAll(uint64_t maxBytes, std::optional<uint64_t> stated) {
  const auto refuse = [&](uint64_t offset, const std::string& why) {
    diagnostics_.error(DiagId::FileTooLarge, at(offset), why);
    return std::nullopt;
  };
  const uint64_t most = stated ? std::min(*stated, maxBytes) : maxBytes;
  std::string text;
  for (size_t step = kBeginningBytes;; step = text.size()) {
    if (text.size() > maxBytes || stated.value_or(0) > maxBytes)
      return refuse(maxBytes, fmt::format("the trace has more than the limit of {} bytes", maxBytes));
    if (text.size() > most) {
      reportGoesOn(most);
      return std::nullopt;
    }
    const uint64_t explained =
        std::max<uint64_t>(limits::kFreeDecompressedBytes, limits::kDecompressedPerByte * file_->bytes());
    if (decompressed_ && text.size() > explained)
      return refuse(explained,
                    fmt::format("the file is decompressed to more than {} bytes, which is more than {} times its size",
                                explained, limits::kDecompressedPerByte));
    const size_t used = text.size();
    step = std::min<uint64_t>(step, most + 1 - used);
    text.resize(used + step);
    const size_t got = read(text.data() + used, step);
    text.resize(used + got);
    if (failed()) return std::nullopt;
    if (got < step) return text;
  }
}

std::string TraceFile::contentHash() {
  std::array<char, 4096> rest{};
  while (file_->read(rest.data(), rest.size()) == rest.size()) {
  }
  return file_->hash();
}

}  // namespace amdahlc::trace
