#include "trace/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "support/file.h"

namespace amdahlc::trace {

/// The file's bytes, hashed on their way. The first bytes can be looked at before they are read.
class TraceFile::Hashed : public ByteSource {
 public:
  explicit Hashed(std::unique_ptr<ByteSource> bytes) : bytes_(std::move(bytes)) {
    magicSize_ = fetch(magic_.data(), magic_.size());
  }
  std::string_view magic() const { return {magic_.data(), magicSize_}; }

  size_t read(char* to, size_t count) override {
    const size_t again = std::min(count, magicSize_ - magicServed_);
    std::copy_n(magic_.data() + magicServed_, again, to);
    magicServed_ += again;
    return again + (again < count ? fetch(to + again, count - again) : 0);
  }
  std::string hash() const { return hash_.text(); }

 private:
  size_t fetch(char* to, size_t count) {
    const size_t got = bytes_->read(to, count);
    hash_.add({to, got});
    failed_ |= bytes_->failed();
    return got;
  }

  std::unique_ptr<ByteSource> bytes_;
  ContentHash hash_;
  std::array<char, kMagicBytes> magic_{};
  size_t magicSize_ = 0;
  size_t magicServed_ = 0;
};

TraceFile::TraceFile(std::unique_ptr<ByteSource> bytes, std::string name, DiagnosticEngine& diagnostics)
    : name_(std::move(name)), diagnostics_(diagnostics), file_(std::make_unique<Hashed>(std::move(bytes))) {
  content_ = file_.get();
  if (const Compression compression = compressionOf(file_->magic()); compression != Compression::None) {
    decompressed_ = decompress(*file_, compression, name_, diagnostics);
    content_ = decompressed_.get();
  }
  beginning_.resize(kBeginningBytes);
  beginning_.resize(content_->read(beginning_.data(), beginning_.size()));
  failed_ = content_->failed();
}

TraceFile::~TraceFile() = default;

std::unique_ptr<TraceFile> TraceFile::open(const std::string& path, DiagnosticEngine& diagnostics) {
  auto bytes = openBytes(path, diagnostics);
  if (!bytes) return nullptr;
  std::unique_ptr<TraceFile> file(new TraceFile(std::move(bytes), inputName(path), diagnostics));
  if (file->failed()) return nullptr;
  std::error_code error;
  if (!file->decompressed_ && path != "-" && std::filesystem::is_regular_file(path, error)) file->plainPath_ = path;
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

size_t TraceFile::read(char* to, size_t count) {
  const size_t again = std::min(count, beginning_.size() - servedOfBeginning_);
  std::copy_n(beginning_.data() + servedOfBeginning_, again, to);
  servedOfBeginning_ += again;
  if (again == count) return count;
  const size_t got = again + content_->read(to + again, count - again);
  failed_ |= content_->failed();
  return got;
}

std::optional<std::string> TraceFile::readAll(uint64_t maxBytes, size_t padding) {
  std::string text;
  for (size_t step = kBeginningBytes;; step = text.size()) {
    const size_t used = text.size();
    text.reserve(used + step + padding);
    text.resize(used + step);
    const size_t got = read(text.data() + used, step);
    text.resize(used + got);
    if (failed()) return std::nullopt;
    if (text.size() > maxBytes) {
      diagnostics_.error(DiagId::FileTooLarge, FileLocation{name_},
                         fmt::format("the trace has more than the limit of {} bytes", maxBytes));
      return std::nullopt;
    }
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
