#include "support/content_hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace amdahlc {

ContentHash::ContentHash() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}

void ContentHash::Deleter::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

void ContentHash::add(std::string_view bytes) { XXH3_64bits_update(state_.get(), bytes.data(), bytes.size()); }

std::string ContentHash::text() const { return fmt::format("{:016x}", XXH3_64bits_digest(state_.get())); }

std::string contentHash(std::string_view bytes) {
  ContentHash hash;
  hash.add(bytes);
  return hash.text();
}

}  // namespace amdahlc
