#!/usr/bin/env python3
"""Writes the trained reader as a model file that the binary embeds.

  write.py --encoder model/assets/e5-small-v2.dbm --out model/assets/reader.dbm FOLDER …

A FOLDER is what train.py wrote; of several the mean is taken. The reader was trained from the encoder and reads with its word embeddings, so these
are not written again: the file names the encoder that it belongs to.
"""
import argparse
import glob
import hashlib
import json
import os
import struct

import numpy as np


def read_header(path):
    data = open(path, "rb").read(1 << 20)
    length, = struct.unpack("<I", data[12:16])
    return json.loads(data[16:16 + length])


def product(sections, name, weight, scale, bias):
    """A matrix of int8 with a scale for each output, in the order in which the kernels read it."""
    n_out, n_in = weight.shape
    sections[name + ".data"] = weight.reshape(n_out // 32, 32, n_in // 4, 4).transpose(0, 2, 1, 3).tobytes()
    sections[name + ".scale"] = scale.astype("<f4").tobytes()
    sections[name + ".sum"] = (scale * weight.astype(np.int64).sum(1)).astype("<f4").tobytes()
    sections[name + ".bias"] = bias.astype("<f4").tobytes()


def weights(folder):
    """The weights of one run, its matrices as floats."""
    raw = {}
    for f in sorted(glob.glob(os.path.join(folder, "*.npz"))):
        raw.update(np.load(f))
    return {n: x.astype(np.float32) * raw[n + ".scale"][:, None] if n + ".scale" in raw else x for n, x in raw.items() if not n.endswith(".scale")}


def mean(runs):
    """The mean of several runs, matrices of layers rounded to int8 with a scale for each output."""
    out = {}
    for n in runs[0]:
        x = sum(r[n] for r in runs) / len(runs)
        if n.startswith("layers.") and x.ndim == 2:
            scale = np.maximum(np.abs(x).max(1), 1e-12) / 127
            out[n + ".scale"], x = scale.astype(np.float32), np.rint(x / scale[:, None]).astype(np.int8)
        out[n] = x
    return out


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--encoder", required=True)
    a.add_argument("--out", required=True)
    a.add_argument("folders", nargs="+", help="what train.py wrote; of several the mean")
    a = a.parse_args()
    t = mean([weights(f) for f in a.folders])
    header = read_header(a.encoder)
    layers = 1 + max(int(n.split(".")[1]) for n in t if n.startswith("layers."))
    c = dict(header["config"])
    hidden, heads = c["hidden"], c["heads"]
    c.update(name="reader", layers=layers, types=2, positions=len(t["position"]), max_tokens=len(t["position"]), pooling="none", tuned_from=header["digest"],
             origin="trained from %s by tools/reader on natural chats of Daybook's own" % c["name"], query_prefix="", passage_prefix="")
    sections = {"position": (t["position"] + t["segment"][0]).astype("<f4").tobytes(),
                "type": (t["segment"] - t["segment"][0]).astype("<f4").tobytes(),
                "norm.gamma": t["norm.weight"].astype("<f4").tobytes(), "norm.beta": t["norm.bias"].astype("<f4").tobytes()}
    for i in range(layers):
        for ours in ("qkv", "output", "up", "down"):
            name = "layers.%d.%s." % (i, ours)
            scale, bias = t[name + "weight.scale"].copy(), t[name + "bias"].copy()
            if ours == "qkv":  # queries carry the attention's 1/√d
                scale[:hidden] /= np.sqrt(hidden / heads)
                bias[:hidden] /= np.sqrt(hidden / heads)
            product(sections, "layer%d.%s" % (i, ours), t[name + "weight"], scale, bias)
        for ours in ("attention_norm", "output_norm"):
            sections["layer%d.%s.gamma" % (i, ours)] = t["layers.%d.%s.weight" % (i, ours)].astype("<f4").tobytes()
            sections["layer%d.%s.beta" % (i, ours)] = t["layers.%d.%s.bias" % (i, ours)].astype("<f4").tobytes()
    for n, x in t.items():
        if not n.startswith(("layers.", "position", "segment", "norm.", "temperature")):
            sections["reader." + n] = x.astype("<f2").tobytes()
    body, places = b"", {}
    for k in sorted(sections):
        body += bytes(-len(body) % 64)
        places[k] = {"offset": len(body), "length": len(sections[k])}
        body += sections[k]
    head = json.dumps({"config": c, "digest": hashlib.sha256(body).hexdigest(), "sections": places}).encode()
    out = b"DAYBOOKM" + struct.pack("<II", 2, len(head)) + head
    out += bytes(-len(out) % 64) + body
    open(a.out, "wb").write(out + hashlib.sha256(out).digest())
    print(a.out, len(out) + 32, "bytes")


if __name__ == "__main__":
    main()
