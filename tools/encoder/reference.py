#!/usr/bin/env python3
"""The float32 reference: the original ONNX model in ONNX Runtime.

  reference.py golden  MODEL.onnx TOKENIZER.json POOLING < sentences.txt > vectors.f16
  reference.py tokens  TOKENIZER.json < texts.jsonl > tokens.jsonl
  reference.py unicode TOKENIZER.json > unicode.sha256
  reference.py sick    MODEL.onnx TOKENIZER.json POOLING SICK.txt [PREFIX]
  reference.py locomo  MODEL.onnx TOKENIZER.json POOLING locomo.json QUERY_PREFIX PASSAGE_PREFIX
  reference.py speed   MODEL.onnx TOKENIZER.json SENTENCES BATCH SECONDS

Needs numpy, onnxruntime and tokenizers from PyPI. Runs once, to make goldens
and to compare; nothing in the product uses it.
"""
import hashlib
import json
import sys
import time


def tokenizer(path):
    from tokenizers import Tokenizer
    t = Tokenizer.from_file(path)
    t.no_padding()
    t.no_truncation()
    return t


def session(path, threads=2):
    import onnxruntime as ort
    o = ort.SessionOptions()
    o.intra_op_num_threads = threads
    return ort.InferenceSession(path, o, providers=["CPUExecutionProvider"])


def feed(sess, rows):
    import numpy as np
    n = max(len(r) for r in rows)
    ids = np.zeros((len(rows), n), np.int64)
    mask = np.zeros((len(rows), n), np.int64)
    for i, r in enumerate(rows):
        ids[i, :len(r)], mask[i, :len(r)] = r, 1
    names = {i.name for i in sess.get_inputs()}
    all_ = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    return {k: v for k, v in all_.items() if k in names}, mask


def encode(sess, tok, pooling, texts, batch=16, limit=256):
    import numpy as np
    rows = [e.ids for e in tok.encode_batch(texts)]
    rows = [r if len(r) <= limit else r[:limit - 1] + [r[-1]] for r in rows]
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    out = None
    for at in range(0, len(order), batch):
        part = order[at:at + batch]
        f, mask = feed(sess, [rows[i] for i in part])
        h = sess.run(None, f)[0]
        v = h[:, 0] if pooling == "cls" else (h * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        v /= np.linalg.norm(v, axis=1, keepdims=True)
        if out is None:
            out = np.zeros((len(rows), v.shape[1]), np.float32)
        out[part] = v
    return out


def golden(model, tok, pooling):
    import numpy as np
    texts = [line.rstrip("\n") for line in sys.stdin]
    v = encode(session(model), tokenizer(tok), pooling, texts)
    sys.stdout.buffer.write(v.astype(np.float16).tobytes())


def fnv(ids):
    h = 0xcbf29ce484222325
    for i in ids:
        for b in int(i).to_bytes(4, "little"):
            h = (h ^ b) * 0x100000001b3 & 0xffffffffffffffff
    return f"{h:016x}"


def tokens(tok):
    t = tokenizer(tok)
    for line in sys.stdin:
        text = json.loads(line)
        ids = t.encode(text).ids
        print(json.dumps({"text": text, "n": len(ids), "ids": fnv(ids)}, ensure_ascii=False))


# Letters of Unicode 16 whose lower case Go's tables do not have yet, and two
# characters the reference takes apart or joins differently.
SKIP = {0x1C89, 0xA7CB, 0xA7CC, 0xA7CE, 0xA7D2, 0xA7D4, 0xA7DA, 0xA7DC, 0x111C9, 0x11938, *range(0x10D50, 0x10D66), *range(0x16EA0, 0x16EB9)}


def unicode(tok):
    t = tokenizer(tok)
    h = hashlib.sha256()
    for c in range(0x110000):
        if 0xD800 <= c <= 0xDFFF or c in SKIP:
            continue
        words = t.pre_tokenizer.pre_tokenize_str(t.normalizer.normalize_str("a" + chr(c) + "b"))
        h.update(("\x1f".join(w for w, _ in words) + "\n").encode())
    print(h.hexdigest())


def rank(x):
    import numpy as np
    _, inverse, count = np.unique(x, return_inverse=True, return_counts=True)
    start = np.cumsum(count) - count
    return (start + (count - 1) / 2)[inverse]


def sick(model, tok, pooling, path, prefix=""):
    import numpy as np
    rows = [line.rstrip("\r\n").split("\t") for line in open(path, encoding="utf-8")][1:]
    rows = [r for r in rows if len(r) >= 5]
    s, t = session(model), tokenizer(tok)
    a, b = (encode(s, t, pooling, [prefix + r[i] for r in rows]) for i in (1, 2))
    print("SICK fp32: %d pairs, Spearman %.4f" % (len(rows), np.corrcoef(rank((a * b).sum(1)), rank([float(r[3]) for r in rows]))[0, 1]))


def locomo(model, tok, pooling, path, qprefix, pprefix):
    import numpy as np
    s, t = session(model), tokenizer(tok)
    total = np.zeros(4)
    n = 0
    for c in json.load(open(path)):
        conv, turns, i = c["conversation"], [], 1
        while f"session_{i}" in conv:
            turns += conv[f"session_{i}"]
            i += 1
        ids = [x["dia_id"] for x in turns]
        v = encode(s, t, pooling, [pprefix + x["speaker"] + ": " + x["text"] for x in turns])
        qs = [q for q in c["qa"] if q["category"] <= 4 and any(e in ids for e in q["evidence"])]
        for q, qv in zip(qs, encode(s, t, pooling, [qprefix + q["question"] for q in qs])):
            gold = [e for e in q["evidence"] if e in ids]
            order = [ids[j] for j in np.argsort(-(v @ qv), kind="stable")]
            total += [len(set(order[:k]) & set(gold)) / len(gold) for k in (5, 10, 20)] + [1 / (1 + min(order.index(g) for g in gold))]
            n += 1
    print("LoCoMo fp32 dense %d questions: R@5 %.4f  R@10 %.4f  R@20 %.4f  MRR %.4f" % (n, *(total / n)))


def speed(model, tok, path, batch, seconds):
    """Sentences a second on the same ids; batches are of equal length, so no padding is counted against the reference."""
    import numpy as np
    s, t = session(model), tokenizer(tok)
    rows = [t.encode(line.rstrip("\n")).ids for line in open(path, encoding="utf-8")]
    batch, seconds = int(batch), float(seconds)
    feeds = [feed(s, rows[i:i + batch])[0] for i in range(0, len(rows) - batch + 1, batch)]
    s.run(None, feeds[0])
    took, start, n, cpu = [], time.perf_counter(), 0, time.process_time()
    while time.perf_counter() - start < seconds:
        t0 = time.perf_counter()
        s.run(None, feeds[n % len(feeds)])
        took.append(time.perf_counter() - t0)
        n += 1
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    print("ORT-fp32/batch=%d %10.1f texts/s %10.3f p50-ms %10.3f cpu-ms/text (%.0f tokens)" %
          (batch, n * batch / wall, 1000 * float(np.median(took)), 1000 * cpu / n / batch, np.mean([len(r) for r in rows])))


if __name__ == "__main__":
    commands = {f.__name__: f for f in (golden, tokens, unicode, sick, locomo, speed)}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
