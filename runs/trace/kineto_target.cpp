#include <fmt/format.h>

#include <algorithm>

#include "replay/runtimes/pytorch.h"
#include "runs/trace/kineto.h"

namespace amdahlc::trace {
namespace {

/// The compiler's name of an AMD device's architecture, by product, because Kineto writes only the product. From AMD's
/// list of supported devices.
struct AmdProduct {
  std::string_view name;
  std::string_view arch;
};
constexpr AmdProduct kAmdProducts[] = {
    {"MI350", "gfx950"}, {"MI355", "gfx950"}, {"MI300", "gfx942"}, {"MI308", "gfx942"}, {"MI325", "gfx942"},
    {"MI210", "gfx90a"}, {"MI250", "gfx90a"}, {"MI100", "gfx908"}, {"MI60", "gfx906"},  {"MI50", "gfx906"},
};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string_view vendorOf(const KinetoMachine& machine, std::string_view device) {
  if (contains(device, "NVIDIA") || contains(device, "GeForce") || contains(device, "Tesla") ||
      contains(device, "Quadro"))
    return "nvidia";
  if (contains(device, "AMD") || contains(device, "Radeon") || contains(device, "Instinct")) return "amd";
  if (contains(device, "Intel")) return "intel";
  if (machine.hasHipVersion != machine.hasCudaVersion) return machine.hasHipVersion ? "amd" : "nvidia";
  if (machine.hipCalls != machine.cudaCalls) return machine.hipCalls > machine.cudaCalls ? "amd" : "nvidia";
  return "";
}

}  // namespace

Target targetOf(const KinetoMachine& machine) {
  if (machine.deviceEvents.empty()) {
    Target target;
    target.runtime = PyTorchRuntime::kName;
    target.vendor = "cpu";
    return target;
  }
  // A machine lists all its devices. The target is the one with most events.
  const auto busiest = std::max_element(machine.deviceEvents.begin(), machine.deviceEvents.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  return targetOf(machine, busiest->first);
}

Target targetOf(const KinetoMachine& machine, const std::string& id) {
  Target target;
  target.runtime = PyTorchRuntime::kName;
  const auto found = std::find_if(machine.devices.begin(), machine.devices.end(),
                                  [&](const KinetoMachine::Device& device) { return device.id == id; });
  const KinetoMachine::Device device = found != machine.devices.end() ? *found
                                       : machine.devices.empty()      ? KinetoMachine::Device{}
                                                                      : machine.devices.front();
  target.device = device.name;
  target.vendor = vendorOf(machine, device.name);
  if (target.vendor == "nvidia" && device.computeMajor >= 0 && device.computeMinor >= 0) {
    target.arch = fmt::format("sm_{}{}", device.computeMajor, device.computeMinor);
  } else if (target.vendor == "amd") {
    for (const AmdProduct& product : kAmdProducts) {
      if (!contains(device.name, product.name)) continue;
      target.arch = product.arch;
      break;
    }
  }
  return target;
}

}  // namespace amdahlc::trace
