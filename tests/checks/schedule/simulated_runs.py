"""Predictions against programs of which everything is known, because they are simulated, with each change anew.

For each program, what the report predicts for a faster device, a faster host and faster launches is compared with what the program takes on such a machine. The
median error of wall time is below 0.1 %, the largest below 2 %, as is that of the window. docs/replay.md has the table.
"""
import pathlib
import random
import statistics
import tempfile

from checks import pages
from checks.command import amdahlc, any_model
from checks.schedule.simulate import Factors, Lengths, Machine

SCENARIOS = {'device=1/2x': Factors(device=2), 'device=2x': Factors(device=1 / 2), 'device=8x': Factors(device=1 / 8), 'host=2x': Factors(host=1 / 2),
             'launches=2x': Factors(launches=1 / 2)}
MEDIAN, WORST, UNCHANGED = 0.001, 0.02, 0.002


def layer(host, *steps):
    """An operator that computes for a time, and then does the steps."""
    return [('begin', 'aten::linear'), ('work', host), *steps, ('end',)]


def kernels(count, host, length, *, stream=7, after=()):
    """Layers of one kernel each, of a few lengths, and what follows each of them."""
    return [step for index in range(count)
            for step in (*layer(host, ('launch', f'gemm_{index % 3}', stream, length + length * (index % 3) // 4)), *after)]


def in_turns(count, host, length, wait, before=()):
    """Layers of six kernels, after each of which the host waits."""
    steps = []
    for index in range(count):
        steps += [*kernels(6, host, length), *(one(index) for one in before), *layer(2_000, wait(index)), ('work', 30_000)]
    return steps


def two_streams():
    """The side stream waits for each second kernel of the main one, which waits for it in turn."""
    steps = []
    for index in range(40):
        steps += kernels(2, 9_000, 20_000)
        if index % 2 == 0:
            steps += [('record', f'a{index}', 7), ('stream_wait', f'a{index}', 20), *kernels(1, 3_000, 30_000, stream=20), ('record', f'b{index}', 20),
                      ('stream_wait', f'b{index}', 7)]
    return [*steps, ('device_sync',)]


def branches(short):
    """A graph of a chain that divides in two, which join again."""
    return [('stem', 7, 20_000, []), ('left', 7, 30_000, []), ('right', 13, short, [0]), ('more', 13, 10_000, []), ('join', 7, 15_000, [3]), ('tail', 7, 8_000, [])]


def hand_over():
    """One thread runs the forward pass, another one the backward pass."""
    forward, backward = [], []
    for index in range(12):
        forward += [*kernels(8, 12_000, 10_000), ('signal', f'forward{index}'), ('resume', f'backward{index}')]
        backward += [('resume', f'forward{index}'), *kernels(8, 14_000, 12_000), ('signal', f'backward{index}')]
    return {'forward': [*forward, ('begin', 'aten::item'), ('device_sync',), ('end',)], 'backward': backward}


def frees():
    """A busy device is waited for; each fifth call finds it idle."""
    steps = []
    for index in range(40):
        steps += [*kernels(6, 3_000, 40_000), *layer(30_000 if index % 5 else 280_000, ('free',)), ('work', 60_000)]
    return steps


def polls():
    """The host asks for work behind which there is more."""
    steps = []
    for index in range(25):
        steps += [*kernels(6, 5_000, 20_000), ('record', f'e{index}', 7), *kernels(3, 5_000, 20_000), *layer(2_000, ('poll', f'e{index}')), ('work', 30_000)]
    return steps


def without_waits():
    """An allocator asks now and then whether blocks are free, and allocates, which takes very different times, while the device is busy. None of it waits."""
    chance = random.Random(5)
    steps = []
    for index in range(200):
        steps += layer(chance.randrange(5_000, 20_000), *[('query',)] * chance.randrange(0, 9),
                       *([('allocate', False, chance.randrange(3_000, 120_000))] if index % 4 == 0 else []), ('launch', 'gemm', 7, chance.randrange(10_000, 50_000)))
    return [*steps, ('device_sync',)]


def everything():
    """All of it in one program."""
    steps = []
    for index in range(20):
        steps += [*kernels(10, 8_000, 15_000), ('record', f'a{index}', 7), ('stream_wait', f'a{index}', 20), *kernels(2, 5_000, 40_000, stream=20),
                  ('record', f'b{index}', 20), ('stream_wait', f'b{index}', 7), ('graph', branches(18_000))]
        steps += [[*layer(3_000, ('pageable_out', 7, 6_000))], [*layer(3_000, ('free',))], [('record', f'c{index}', 7), *layer(2_000, ('poll', f'c{index}'))],
                  [*layer(2_000, ('device_sync',))]][index % 4]
    return steps


def programs():
    """By name: the steps of each thread, and options of the machine."""
    def one(steps, **options):
        return {'main': steps}, options
    sync = [('device_sync',)]
    return {
        'host-bound': one(kernels(200, 25_000, 6_000) + sync, noise=0.05),
        'device-bound, in whole microseconds': one(kernels(60, 5_000, 600_000) + sync, noise=0.05, resolution=1_000),
        'device synchronised in turns': one(in_turns(25, 8_000, 20_000, lambda _: ('device_sync',))),
        'stream synchronised in turns': one(in_turns(25, 8_000, 20_000, lambda _: ('stream_sync', 7))),
        'event synchronised in turns': one(in_turns(25, 8_000, 20_000, lambda index: ('event_sync', f'e{index}'), [lambda index: ('record', f'e{index}', 7)])),
        'two streams, waits stated': one(two_streams()),
        'two streams, waits not stated': one(two_streams(), states_waits=False),
        'graphs': one([step for _ in range(30) for step in (*layer(20_000, ('graph', [(f'node_{n % 3}', 7, 6_000, []) for n in range(30)])),)] + sync),
        'graphs with branches': one([step for index in range(30) for step in layer(20_000, ('graph', branches(12_000 + 26_000 * (index % 2))))] + sync),
        'full queue of launches': one(kernels(1_600, 1_000, 12_000) + sync),
        'pageable copies': one([step for _ in range(25) for step in (*layer(5_000, ('pageable_in', 7, 30_000)), *kernels(6, 9_000, 20_000),
                                                                   *layer(2_000, ('pageable_out', 7, 5_000)))]),
        'copies ahead': one([step for index in range(25) for step in (*layer(5_000, ('pinned_in', 20, 60_000)), ('record', f'in{index}', 20),
                                                                      ('stream_wait', f'in{index}', 7), *kernels(5, 9_000, 12_000))] + sync),
        'hand-over between threads': (hand_over(), {}),
        '`cudaFree`': one(frees(), noise=0.05),
        '`cudaMalloc` under pressure': one([step for index in range(60) for step in (*kernels(5, 8_000, 14_000), *layer(2_000, ('allocate', index % 3 == 0)))]),
        'calls of a driver': one(in_turns(25, 8_000, 20_000, lambda index: ('free_by_driver',) if index % 2 else ('unload',))),
        'polling `cudaEventQuery`': one(polls(), noise=0.05),
        'queries and allocations without waits': one(without_waits()),
        'all of it, with noise': one(everything(), noise=0.1),
    }


def percent(share):
    return f'{100 * share:+.2f} %'


def check(check):
    rows, errors = [], []
    with tempfile.TemporaryDirectory(prefix='simulated-') as folder:
        for name, (program, options) in programs().items():
            machine = Machine(program, **options)
            wall, window = machine.run()
            path = pathlib.Path(folder, 'run.json')
            path.write_text(machine.trace())
            run = amdahlc.run_report(f'-trace={path}', '-steps=whole', *(f'-what-if={text}' for text in SCENARIOS), any_model())
            rounded = machine.resolution - 1
            for key, truth in (('wall_ns', wall), ('window_ns', window)):
                check.that(abs(run['trace'][key] - truth) <= rounded, f'{name}: `{key}` is {run["trace"][key]}, not {truth}')
            error = run['replay']['error']
            check.that(abs(error) <= UNCHANGED, f'{name}: the unchanged run is replayed {percent(error)} off')
            predicted, row = {what_if['name']: what_if for what_if in run['what_if']}, []
            for text, factors in SCENARIOS.items():
                truths = Machine(program, factors=factors, **options).run()
                of_wall, of_window = ((predicted[text][key] - truth) / truth for key, truth in zip(('wall_ns', 'window_ns'), truths))
                for key, off in (('wall', of_wall), ('window', of_window)):
                    check.that(abs(off) <= WORST, f'{name}: {key} of `{text}` is predicted {percent(off)} off')
                errors.append(abs(of_wall))
                row += [f'{wall / truths[0]:.2f}x', percent(of_wall)]
            rows.append([name, f'{wall / 1000:.0f}', percent(error), percent(run['replay']['audit']), *row])
    median = statistics.median(errors)
    check.that(median <= MEDIAN, f'the median error is {percent(median)}')
    head = ['program', 'wall us', 'error', 'audit', *(title for text in SCENARIOS for title in (f'`{text}`', 'error of it'))]
    pages.keep(check, 'docs/replay.md', {check.name: pages.markdown(head, rows, ('program',))})
