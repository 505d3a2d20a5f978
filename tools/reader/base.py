#!/usr/bin/env python3
"""Reads published BERT weights and writes them as one small file that training starts from.

  base.py FROM OUT.npz     FROM is a model.onnx (float32 or int8), a model.safetensors, or a model file of Daybook's (.dbm)

Matrices are kept as int8 with a scale for each row, as the binary will have them.
"""
import json
import struct
import sys

import numpy as np

PARTS = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense")


def from_onnx(path):
    """The tensors of an ONNX file by Hugging Face's names, quantised products made float again."""
    import onnx
    from onnx import numpy_helper
    graph = onnx.load(path).graph
    raw = {i.name: numpy_helper.to_array(i) for i in graph.initializer}

    def whole(name):
        if name + "_quantized" not in raw:
            return raw[name].astype(np.float32)
        return (raw[name + "_quantized"].astype(np.float32) - raw[name + "_zero_point"].astype(np.float32)) * raw[name + "_scale"]

    out = {}
    for name in raw:
        plain = name[:-len("_quantized")] if name.endswith("_quantized") else name
        if not name.endswith(("_scale", "_zero_point")) and "embeddings" in plain or "LayerNorm" in plain or plain.endswith(".bias"):
            out[plain] = whole(plain)
    products = []
    for node in graph.node:
        if node.op_type in ("MatMul", "MatMulInteger", "Gemm"):
            name = next((i for i in node.input if i in raw and raw[i].ndim == 2), None)
            if name:
                products.append(name[:-len("_quantized")] if name.endswith("_quantized") else name)
    layers = 1 + max(int(n.split("encoder.layer.")[1].split(".")[0]) for n in out if "encoder.layer." in n)
    for k, name in enumerate(products[:6 * layers]):
        out["encoder.layer.%d.%s.weight" % (k // 6, PARTS[k % 6])] = np.ascontiguousarray(whole(name).T)
    return out


def from_safetensors(path):
    data = open(path, "rb").read()
    size, = struct.unpack("<Q", data[:8])
    head = json.loads(data[8:8 + size])
    kinds = {"F32": np.float32, "F16": np.float16, "I64": np.int64}
    return {name: np.frombuffer(data[8 + size + t["data_offsets"][0]:8 + size + t["data_offsets"][1]], kinds[t["dtype"]]).reshape(t["shape"])
            for name, t in head.items() if name != "__metadata__"}


def from_dbm(path):
    """The tensors of a model file of ours. Constants that were folded in are taken out again, but for the first type."""
    data = open(path, "rb").read()
    length, = struct.unpack("<I", data[12:16])
    header, start = json.loads(data[16:16 + length]), (16 + length + 63) // 64 * 64
    c = header["config"]
    hidden, inner = c["hidden"], c["ffn"]
    raw = {k: data[start + p["offset"]:start + p["offset"] + p["length"]] for k, p in header["sections"].items()}
    floats = lambda name: np.frombuffer(raw[name], "<f4")
    three = np.frombuffer(raw["word"], np.uint8).reshape(c["vocabulary"], -1, 3).astype(np.uint32)
    four = three[:, :, 0] | three[:, :, 1] << 8 | three[:, :, 2] << 16
    six = np.stack([four >> 6 * j & 63 for j in range(4)], 2).reshape(c["vocabulary"], -1)[:, :hidden].astype(np.float32) - 32
    types = floats("type").reshape(-1, hidden)
    out = {"embeddings.word_embeddings.weight": six * floats("word.scale")[:, None],
           "embeddings.position_embeddings.weight": floats("position").reshape(-1, hidden),
           "embeddings.token_type_embeddings.weight": np.stack([types[0], types[1] if len(types) > 1 else types[0]]),
           "embeddings.LayerNorm.weight": floats("norm.gamma"), "embeddings.LayerNorm.bias": floats("norm.beta")}
    for i in range(c["layers"]):
        at = "encoder.layer.%d." % i
        for ours, theirs, n_in, n_out in (("qkv", PARTS[:3], hidden, 3 * hidden), ("output", PARTS[3:4], hidden, hidden), ("up", PARTS[4:5], hidden, inner),
                                          ("down", PARTS[5:6], inner, hidden)):
            name = "layer%d.%s" % (i, ours)
            panels = np.frombuffer(raw[name + ".data"], np.int8).reshape(n_out // 32, n_in // 4, 32, 4)
            weight = panels.transpose(0, 2, 1, 3).reshape(n_out, n_in) * floats(name + ".scale")[:, None]
            for part, w, b in zip(theirs, np.split(weight, len(theirs)), np.split(floats(name + ".bias")[:n_out], len(theirs))):
                scale = np.sqrt(hidden / c["heads"]) if part.endswith("query") else 1
                out[at + part + ".weight"], out[at + part + ".bias"] = w * scale, b * scale
        for ours, theirs in (("attention_norm", "attention.output.LayerNorm"), ("output_norm", "output.LayerNorm")):
            out[at + theirs + ".weight"], out[at + theirs + ".bias"] = floats("layer%d.%s.gamma" % (i, ours)), floats("layer%d.%s.beta" % (i, ours))
    return out


def main():
    source, out = sys.argv[1:]
    read = from_onnx if source.endswith(".onnx") else from_dbm if source.endswith(".dbm") else from_safetensors
    tensors = read(source)
    kept = {}
    for name, x in tensors.items():
        short = name.removeprefix("bert.")
        if not short.startswith(("embeddings", "encoder")) or x.ndim == 0 or "position_ids" in name:
            continue
        x = np.asarray(x, np.float32)
        if short == "embeddings.position_embeddings.weight":
            x = x[:320]
        if x.ndim == 2 and x.shape[0] > 2:
            scale = np.maximum(np.abs(x).max(1), 1e-12) / 127
            kept[short] = np.rint(x / scale[:, None]).astype(np.int8)
            kept[short + ".scale"] = scale.astype(np.float32)
        else:
            kept[short] = x
    np.savez_compressed(out, **kept)
    print(out, len(kept), "tensors", sum(v.size for v in kept.values()), "numbers")


main()
