// The memory of the module. The allocator and the copying functions of WASI's library would be a fifteenth of it.
//
// Blocks have the sizes 16, 32, 48, 64, and then four between a power of two and the next one. A page of WebAssembly
// has blocks of one size, or begins one block that is larger. What is freed is given out again for the same size.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace {

constexpr size_t kPageSize = size_t{1} << 16, kPages = size_t{1} << 16;
/// What `operator new` promises of addresses.
constexpr size_t kAlignment = 16;

struct FreeBlock {
  FreeBlock* next;
};
std::array<FreeBlock*, 4 * 32> freeBlocks;
/// Of each page that begins with a block, the place of its size in `freeBlocks`.
std::array<uint8_t, kPages> sizeOfPage;

struct BlockSize {
  size_t bytes;
  size_t place;
};

BlockSize sizeFor(size_t bytes) {
  // The last byte of the block, in a unit of which four to eight fill it.
  const size_t last = (bytes + (bytes == 0) + kAlignment - 1) / kAlignment * kAlignment - 1;
  const size_t shift = std::bit_width(last) - 3;
  const size_t units = (last >> shift) + 1;
  return {units << shift, shift * 4 + units - 5};
}

void add(void* block, FreeBlock*& list) { list = new (block) FreeBlock{list}; }

}  // namespace

void* operator new(size_t bytes) {
  // Twice as much is all that there can be, and sums of sizes would overflow.
  if (bytes > size_t{1} << 31) __builtin_trap();
  const BlockSize size = sizeFor(bytes);
  FreeBlock*& list = freeBlocks[size.place];
  if (list == nullptr) {
    const size_t pages = (size.bytes + kPageSize - 1) / kPageSize;
    const size_t first = __builtin_wasm_memory_grow(0, pages);
    if (first == SIZE_MAX) __builtin_trap();
    sizeOfPage[first] = static_cast<uint8_t>(size.place);
    char* const begin = reinterpret_cast<char*>(first * kPageSize);
    for (size_t left = pages * kPageSize; left >= size.bytes; left -= size.bytes) add(begin + left - size.bytes, list);
  }
  FreeBlock* const block = list;
  list = block->next;
  return block;
}

void operator delete(void* block) noexcept {
  if (block != nullptr) add(block, freeBlocks[sizeOfPage[reinterpret_cast<size_t>(block) / kPageSize]]);
}
void operator delete(void* block, size_t) noexcept { operator delete(block); }
// Nothing is aligned more; the library has code that would free it.
void operator delete(void* block, std::align_val_t) noexcept { operator delete(block); }

extern "C" {
void* memcpy(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
void* memmove(void* to, const void* from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
void* memset(void* to, int byte, size_t bytes) { return __builtin_memset(to, byte, bytes); }
}
