#include <fmt/format.h>

#include <algorithm>

#include "replay/runtimes/runtime.h"
#include "runs/trace/kineto.h"

namespace amdahlc::trace {
namespace {

/// What a word in the name of a device says of it.
struct Word {
  std::string_view text, meaning;
};
constexpr Word kVendors[] = {{"NVIDIA", "nvidia"}, {"GeForce", "nvidia"}, {"Tesla", "nvidia"}, {"Quadro", "nvidia"},
                             {"AMD", "amd"},       {"Radeon", "amd"},     {"Instinct", "amd"}, {"Intel", "intel"}};
/// The compiler's name of an AMD device's architecture, by product, because Kineto writes only the product. From AMD's
/// list of supported devices.
constexpr Word kAmdProducts[] = {
    {"MI350", "gfx950"}, {"MI355", "gfx950"}, {"MI300", "gfx942"}, {"MI308", "gfx942"}, {"MI325", "gfx942"},
    {"MI210", "gfx90a"}, {"MI250", "gfx90a"}, {"MI100", "gfx908"}, {"MI60", "gfx906"},  {"MI50", "gfx906"},
};

/// Of the first word that occurs in the name; empty if none does.
template <size_t kCount>
std::string_view meaningIn(const Word (&words)[kCount], std::string_view device) {
  for (const Word& word : words)
    if (device.find(word.text) != std::string_view::npos) return word.meaning;
  return {};
}

std::string_view vendorOf(const KinetoMachine& machine, std::string_view device) {
  if (const std::string_view vendor = meaningIn(kVendors, device); !vendor.empty()) return vendor;
  if (machine.hasHipVersion != machine.hasCudaVersion) return machine.hasHipVersion ? "amd" : "nvidia";
  if (machine.hipCalls != machine.cudaCalls) return machine.hipCalls > machine.cudaCalls ? "amd" : "nvidia";
  return "";
}

}  // namespace

Target targetOf(const KinetoMachine& machine) {
  if (machine.deviceEvents.empty()) {
    Target target;
    target.runtime = kPyTorch;
    target.vendor = "cpu";
    return target;
  }
  // A machine lists all its devices. The target is the one with most events.
  const auto busiest = std::ranges::max_element(machine.deviceEvents, {}, [](const auto& one) { return one.second; });
  return targetOf(machine, busiest->first);
}

Target targetOf(const KinetoMachine& machine, const std::string& id) {
  Target target;
  target.runtime = kPyTorch;
  const auto found =
      std::ranges::find_if(machine.devices, [&](const KinetoMachine::Device& device) { return device.id == id; });
  const KinetoMachine::Device device = found != machine.devices.end() ? *found
                                       : machine.devices.empty()      ? KinetoMachine::Device{}
                                                                      : machine.devices.front();
  target.device = device.name;
  target.vendor = vendorOf(machine, device.name);
  if (target.vendor == "nvidia" && device.computeMajor >= 0 && device.computeMinor >= 0) {
    target.arch = fmt::format("sm_{}{}", device.computeMajor, device.computeMinor);
  } else if (target.vendor == "amd") {
    target.arch = meaningIn(kAmdProducts, device.name);
  }
  return target;
}

}  // namespace amdahlc::trace
