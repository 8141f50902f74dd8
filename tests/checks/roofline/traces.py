"""What the roofline says about recorded runs.

Of each run: a kernel that runs above its roof is said to do so, in the report and in the summary; none is faster than the peaks of the device, but where
the run computed in a narrower type than the model; the run does not get slower if its kernels are at their roofs; and no kernel that has device work is
without a roofline for a reason.
"""
import re

from checks.command import recorded
from checks.places import PAIRS, REFERENCE_PAIR

# The engine computes products in float16; the model has float32, whose roof is that of TF32.
NARROWER = 'tensorrt/resnet18-a100-fp16'


def check_run(check, pair):
    report, summary, _ = recorded(pair)
    [run] = report['runs']
    found, busy = run['roofline'], run['trace']['undisturbed_busy_ns']
    if not check.that(found['hardware'], f'{pair}: no hardware: {found["reason"]}'):
        return
    above, cache = [], []
    for kernel in run['kernels']:
        roof, measured = kernel['roofline'], kernel['duration_ns']
        if not measured or roof is None or not roof['runs']:
            continue
        what = f'{pair}: kernel {kernel["id"]} `{kernel["label"]}`'
        # Reported times are rounded to a nanosecond.
        check.that(roof['memory_ns'] * roof['runs'] <= measured + 1 or roof['bound'] == 'cache',
                   f'{what} is faster than memory allows, and is not said to be: {measured} ns, {roof}')
        check.that(roof['compute_ns'] * roof['runs'] <= measured + 1 or roof['above_peak'], f'{what} is faster than the peak, and is not said to be: {measured} ns, {roof}')
        if roof['bound'] == 'cache':
            cache.append(kernel['id'])
        if roof['above_peak']:
            above.append(kernel['id'])
    for kernels, words in ((cache, 'faster than memory allows'), (above, "faster than the hardware's peak")):
        match = re.search(rf'^  {words}.*?: (\d+) kernel', summary, re.MULTILINE)
        check.equal(f'{pair}: kernels that the summary says are {words}', int(match[1]) if match else 0, len(kernels))
    check.equal(f'{pair}: whether kernels are faster than the peak of {found["hardware"]}', bool(above), pair.trace.startswith(NARROWER))
    check.that(found['attainable_busy_ns'] <= busy + 1, f'{pair}: busy time gets longer: {busy} -> {found["attainable_busy_ns"]}')
    check.none(f'{pair}: without a roofline', (f'kernels {row["kernels"]}, because {row["reason"]}' for row in found['unknown']
                                               if any(run['kernels'][kernel]['duration_ns'] for kernel in row['kernels'])))


def check(check):
    for pair in (*PAIRS, REFERENCE_PAIR):
        check_run(check, pair)
