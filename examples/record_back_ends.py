#!/usr/bin/env python3
"""Record one model on several back ends, for `amdahlc -emit=compare`: eager PyTorch, torch.compile, ONNX Runtime.

    python3 record_back_ends.py --out /some/folder          # the small encoder of record.py
    python3 record_back_ends.py --out /some/folder --model my_package.my_file:factory

A factory takes no argument and returns `(module, inputs)`, as for record.py, which lies beside this script. Written are

    NAME.onnx                     the graph without weights
    NAME.eager.trace.json.gz      torch.profiler's trace of the module as it is
    NAME.compiled.trace.json.gz   the same of torch.compile(module), recorded after it was compiled
    NAME.onnxruntime.json.gz      the profile of ONNX Runtime, which runs the exported model with its weights

and the command that compares them. All runs use the same inputs, one thread on a CPU, and as many recorded passes. The
results of compiled and exported model are compared with those of the module: a back end that computes something else
has no time worth comparing. Files are stripped of what identifies the machine; no number is touched.

Written for PyTorch 2.13, with onnx 1.23, onnxscript 0.7 and onnxruntime 1.32 (onnxruntime-gpu for CUDA).
"""
import argparse
import gzip
import os
import shlex
import tempfile

import onnx
import onnxruntime
import torch
from torch import nn
from torch.utils._pytree import tree_leaves

import record

# Results of float32 models on different back ends differ by rounding. In float16 and bfloat16 they differ more.
TOLERANCES = {torch.float32: 1e-3, torch.float16: 5e-2, torch.bfloat16: 1e-1}


def tensors(result) -> list[torch.Tensor]:
    return [leaf.detach().cpu() for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor)]


def difference(expected: list[torch.Tensor], actual: list[torch.Tensor]) -> str:
    """How the results differ, in words; empty if they agree."""
    if len(expected) != len(actual):
        return f"{len(actual)} tensors instead of {len(expected)}"
    for number, (one, other) in enumerate(zip(expected, actual)):
        if one.shape != other.shape:
            return f"result {number} has the shape {tuple(other.shape)} instead of {tuple(one.shape)}"
        tolerance = TOLERANCES.get(one.dtype, 0)
        if not torch.allclose(one.double(), other.double(), rtol=tolerance, atol=tolerance):
            return f"result {number} differs by up to {(one.double() - other.double()).abs().max():g}"
    return ""


def run_onnxruntime(model: onnx.ModelProto, args: tuple, kwargs: dict, device: str, passes: int) -> tuple[list, bytes]:
    """The results of the last pass, and the profile."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        onnx.save(model, path, save_as_external_data=True, location="weights.bin")
        options = onnxruntime.SessionOptions()
        options.enable_profiling = True
        options.profile_file_prefix = os.path.join(folder, "profile")
        options.intra_op_num_threads = 1
        wanted = ["CUDAExecutionProvider"] * (device == "cuda") + ["CPUExecutionProvider"]
        session = onnxruntime.InferenceSession(path, options, providers=wanted)
        if session.get_providers()[0] != wanted[0]:
            raise SystemExit(f"error: this build of ONNX Runtime has no {wanted[0]}")
        names = [entry.name for entry in session.get_inputs()]
        # The exporter names inputs after parameters of `forward`: those without a name are in order.
        feeds = {name: value for name, value in kwargs.items() if name in names}
        rest = [name for name in names if name not in feeds]
        feeds.update(zip(rest, args))
        if len(feeds) != len(names):
            raise SystemExit(f"error: the exported model has the inputs {', '.join(names)}; {len(feeds)} have values")
        arrays = {name: value.detach().cpu().numpy() for name, value in feeds.items()}
        for _ in range(passes):
            results = session.run(None, arrays)
        with open(session.end_profiling(), encoding="utf-8") as file:
            profile = file.read()
    return [torch.from_numpy(result) for result in results], gzip.compress(
        record.without_folders(profile).encode(), 9, mtime=0)


def recorded(module: nn.Module, args: tuple, kwargs: dict, options: argparse.Namespace) -> bytes:
    return record.anonymous(record.record(module, args, kwargs, options.device, options.warmup, options.steps))


def main() -> None:
    options = record.options_of(__doc__, argparse.ArgumentParser())
    module, args, kwargs = record.load(options)
    files, labels = {}, {}
    with torch.no_grad():
        expected = tensors(module(*args, **kwargs))
        compiled = torch.compile(module)
        results = {"torch.compile": tensors(compiled(*args, **kwargs))}
    labels["eager"], files[".eager.trace.json.gz"] = ".eager.trace.json.gz", recorded(module, args, kwargs, options)
    labels["compiled"], files[".compiled.trace.json.gz"] = (".compiled.trace.json.gz",
                                                            recorded(compiled, args, kwargs, options))
    model = record.export(module, args, kwargs, options.opset)
    # The report leaves out the first pass, as it leaves out the first step of the profiler.
    results["ONNX Runtime"], files[".onnxruntime.json.gz"] = run_onnxruntime(model, args, kwargs, options.device,
                                                                             options.steps)
    labels["onnxruntime"] = ".onnxruntime.json.gz"
    for name, actual in results.items():
        if text := difference(expected, actual):
            print(f"warning: {name} computes something else: {text}")
    files[".onnx"] = record.without_weights(model)
    record.write(options, files)
    stem = os.path.join(options.out, options.name)
    traces = [shlex.quote(f"-trace={label}={stem}{suffix}") for label, suffix in labels.items()]
    print("compare them with\n  amdahlc", *traces, "-emit=compare", shlex.quote(f"{stem}.onnx"))


if __name__ == "__main__":
    main()
