#include "api/rank_attempt.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "support/archive.h"
#include "support/content_hash.h"

namespace amdahlc {

AMDAHLC_MEMBERS(OnnxLocation, file, graph, node, value)
AMDAHLC_MEMBERS(TraceLocation, file, byteOffset, timestampNs)
AMDAHLC_MEMBERS(FileLocation, file)
AMDAHLC_MEMBERS(Label, location, text)
AMDAHLC_MEMBERS(FixIt, range, replacement)
AMDAHLC_MEMBERS(Diagnostic, severity, id, message, primary, secondary, notes, fix)
AMDAHLC_MEMBERS(DataProblem, name, count, what)
AMDAHLC_MEMBERS(Absence, reason, arguments)
AMDAHLC_MEMBERS(TimeInterval, startNs, endNs)
AMDAHLC_MEMBERS(IterationTimes, events, busyNs, wallNs, deviceNs, windowNs, spillInNs)
AMDAHLC_MEMBERS(TimeBreakdown, computationNs, communicationNs, exposedCommunicationNs, exposedCopiesNs)
AMDAHLC_MEMBERS(StatedRank, rank, worldSize)

namespace ranks {

AMDAHLC_MEMBERS(StepName, name, occurrence)
AMDAHLC_MEMBERS(Step, name, times, breakdown)
AMDAHLC_MEMBERS(CollectiveKey, kind, operation, group, groupRanks, groupSize)
AMDAHLC_MEMBERS(CollectiveCall, key, step, sequence, startNs, durationNs)
template <typename Work>
void withMembers(RankRecord& of, const Work& work) {
  auto& [file, contentHash, device, runtime, stated, steps, noBreakdown, keys, calls, computation, resolution,
         problems] = of;
  std::vector<DataProblem> list(problems.begin(), problems.end());
  work(file, contentHash, device, runtime, stated, steps, noBreakdown, keys, calls, computation, resolution, list);
  problems = {};
  for (DataProblem& problem : list) problems.append(std::move(problem));
}

}  // namespace ranks

namespace api {

AMDAHLC_MEMBERS(RankAttempt, record, found, ranOutOfMemory)

std::string packed(RankAttempt attempt) {
  Packer packer;
  packer.add(attempt);
  return contentHash(packer.bytes()) + packer.bytes();
}

RankAttempt unpacked(std::string_view bytes) {
  const size_t hashed = contentHash("").size();
  if (bytes.size() < hashed || contentHash(bytes.substr(hashed)) != bytes.substr(0, hashed))
    throw std::runtime_error("what was read of a rank is damaged");
  RankAttempt attempt;
  Unpacker(bytes.substr(hashed)).take(attempt);
  return attempt;
}

}  // namespace api
}  // namespace amdahlc
