"""Reports on recorded ranks with their execution traces: a training step of DLRM, times of whole microseconds.

By rank, computation, communication and what is exposed of it are computed again from the device events; device time by annotation and by operator of embeddings from the launches inside of
their calls. Each rank must have found its execution trace among all.
"""
from checks.command import amdahlc
from checks.execution_traces.recorded import RANKS, load, ns
from checks.intervals import length

DEVICE = ('kernel', 'gpu_memcpy', 'gpu_memset')


def span(event):
    return ns(event['ts']), ns(event['ts']) + ns(event['dur'])


def launched(trace, call):
    """The device events that calls of the runtime inside of a call launched."""
    start, end = span(call)
    launches = {event['args']['correlation'] for event in trace if event.get('cat') == 'cuda_runtime' and event['tid'] == call['tid'] and start <= ns(event['ts']) < end}
    return [span(event) for event in trace if event.get('cat') in DEVICE and event['args'].get('correlation') in launches]


def check_rank(check, row, trace):
    what = f'rank {row["rank"]}'
    device = [event for event in trace if event.get('cat') in DEVICE]
    every = [span(event) for event in device]
    communication = [span(event) for event in device if event['name'].startswith('nccl')]
    computation = [span(event) for event in device if event['cat'] == 'kernel' and not event['name'].startswith('nccl')]
    check.equal(f'{what}: busy', row['busy_ns'], length(every))
    check.equal(f'{what}: wall', row['wall_ns'], max(end for _, end in every) - min(start for start, _ in every))
    check.equal(f'{what}: computation', row['computation_ns'], length(computation))
    check.equal(f'{what}: communication', row['communication_ns'], length(communication))
    check.equal(f'{what}: exposed communication', row['exposed_communication_ns'], length(communication + computation) - length(computation))


def check_program(check, rank, trace):
    what = f'rank {rank}'
    report = amdahlc.report(f'-trace={RANKS}', f'-rank={rank}')
    check.equal(f'{what}: front end', report['model']['front_end'], 'execution-trace')
    [run] = report['runs']
    device = sum(end - start for start, end in (span(event) for event in trace if event.get('cat') in DEVICE))
    check.equal(f'{what}: device time of all phases', sum(phase['duration_ns'] for phase in run['phases']), device)
    scopes = {scope['name']: scope['duration_ns'] for scope in run['aggregates']['scope']}
    operators = {operator['name']: operator['duration_ns'] for operator in run['aggregates']['operator']}
    backward = {kernel['scope'] for kernel in run['kernels'] if kernel['phase'] == 'backward'}
    compared = 0
    for call in trace:
        work = length(launched(trace, call)) if call.get('cat') in ('user_annotation', 'cpu_op') else 0
        if call.get('cat') == 'user_annotation' and call['name'] in scopes:
            # Steps of the backward pass are in the scopes of the forward calls.
            if any(scope == call['name'] or scope.startswith(call['name'] + '.') for scope in backward):
                check.that(scopes[call['name']] > work, f'{what}: {call["name"]}: {scopes[call["name"]]}, expected more than {work}')
            else:
                check.equal(f'{what}: {call["name"]}', scopes[call['name']], work)
            compared += 1
        if call.get('cat') == 'cpu_op' and 'embedding' in call['name'] and work:
            check.equal(f'{what}: {call["name"]}', operators[call['name']], work)
            compared += 1
    check.that(compared >= 7, f'{what}: only {compared} annotations and embeddings were compared')
    check.say(f'{what}: {compared} annotations and operators of embeddings, {report["model"]["data_edges"]} data edges')


def check(check):
    rows = amdahlc.outputs('ranks-json', f'-trace={RANKS}')[0]['ranks']
    check.equal('ranks', [row['rank'] for row in rows], [0, 1, 2, 3])
    for row in rows:
        trace = load(RANKS / f'rank{row["rank"]}.json.gz')['traceEvents']
        check_rank(check, row, trace)
        check_program(check, row['rank'], trace)
