#!/usr/bin/env python3
"""Fits extract/assets/pick.bin, the picker of values, on the sentences beside this file.

    pip install numpy
    go build -o /tmp/states ./tools/states
    python3 tools/states/pick.py --grammar /tmp/states --out extract/assets/pick.bin

Every sentence of attributes.jsonl says where its value stands ({v}). Of the
candidates that grammar finds in it, the picker learns to prefer the one that is the
value: a small network scores each candidate by its signals, and the likeliest is
taken. A second, linear function tells how far a picked value is to be trusted in
talk: it is fitted on the same sentences, on talk.jsonl (sentences of made-up
conversations with the value that was rightly picked, or none) and on chat.jsonl,
which has no values. Figures are printed by attribute left out. No evaluation data is
read.
"""
import argparse, json, os, random, re, subprocess
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ["state", "update", "paraphrase", "reason", "past", "plan", "temp", "add", "third", "rumor", "hyp"]
HIDDEN = 24
TALK_WEIGHT = 4


def sentences(paths):
    """(attribute, kind, text, value), values drawn with a fixed seed."""
    rng, rows = random.Random(11), []
    for path in paths:
        for line in open(path):
            a = json.loads(line)
            for kind in KINDS:
                for t in a[kind]:
                    if t.count("{v}") == 1:
                        rows += [(a["attribute"], kind, t.replace("{v}", v), v) for v in rng.sample(a["values"], 2)]
    return rows


def bare(text):
    text = re.sub(r"[.,;:!?]+$", "", re.sub(r"\s+", " ", text.lower().strip()))
    return re.sub(r"^(a|an|the|my|our) ", "", text)


def read(grammar, texts):
    lines = "\n".join(re.sub(r"\s+", " ", t) for t in texts) + "\n"
    out = subprocess.run([grammar], input=lines, capture_output=True, text=True, check=True).stdout
    return [(r["candidates"] or [], r["traits"]) for r in map(json.loads, out.splitlines())]


def picked(params, cands, traits):
    """The candidate that is picked, and what it is trusted by."""
    x = np.array([c["signals"] for c in cands])
    s, _ = score(params, x)
    best = int(np.argmax(s))
    p = np.exp(s - s.max())
    return best, np.concatenate([x[best], traits, [1 / p.sum()]])


def trust_data(params, rows, found, where, grammar):
    """(what it is trusted by, whether it is right, weight) of sentences of attributes, talk and chat."""
    out = []
    for i in where:
        cands, traits = found[i]
        if rows[i][1] in ("state", "update", "paraphrase", "reason"):
            best, x = picked(params, cands, traits)
            out.append((x, bare(cands[best]["text"]) == bare(rows[i][3]), 1, rows[i][0]))
    talk = [json.loads(l) for l in open(os.path.join(HERE, "talk.jsonl"))]
    talk += [{"text": json.loads(l)["text"], "value": ""} for l in open(os.path.join(HERE, "chat.jsonl"))]
    for n, (t, (cands, traits)) in enumerate(zip(talk, read(grammar, [t["text"] for t in talk]))):
        if cands:
            best, x = picked(params, cands, traits)
            out.append((x, bool(t["value"]) and bare(cands[best]["text"]) == bare(t["value"]), TALK_WEIGHT, "talk%d" % (n % 50)))
    return out


def fit_trust(data):
    """Logistic regression by Newton's method."""
    x = np.array([np.append(d[0], 1) for d in data])
    y, w = np.array([d[1] for d in data], float), np.array([d[2] for d in data], float)
    a = np.zeros(x.shape[1])
    for _ in range(12):
        p = 1 / (1 + np.exp(-x @ a))
        h = (x * (w * p * (1 - p))[:, None]).T @ x + 3 * np.eye(len(a))
        a += np.linalg.solve(h, x.T @ (w * (y - p)) - 3 * a)
    return a


def report_trust(data):
    names = sorted({d[3] for d in data})
    fold = {n: k % 5 for k, n in enumerate(names)}
    p = np.zeros(len(data))
    for k in range(5):
        a = fit_trust([d for d in data if fold[d[3]] != k])
        for i, d in enumerate(data):
            if fold[d[3]] == k:
                p[i] = 1 / (1 + np.exp(-np.append(d[0], 1) @ a))
    for t in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        told = [i for i, d in enumerate(data) if not d[3].startswith("talk")]
        talk = [i for i, d in enumerate(data) if d[3].startswith("talk")]
        kept = [i for i in talk if p[i] >= t]
        right = [i for i in told if data[i][1]]
        print("   trusted at %.1f: %.3f of the right values of states, %.3f of the wrong; of talk %d of %d, %d of them right" % (
            t, np.mean([p[i] >= t for i in right]), np.mean([p[i] >= t for i in told if not data[i][1]]), len(kept), len(talk), sum(data[i][1] for i in kept)))


def score(params, x):
    w1, b1, w2 = params
    h = np.tanh(x @ w1 + b1)
    return h @ w2, h


def fit(items, epochs=25, lr=6e-3, decay=1e-4, seed=3):
    """items: (signals of the candidates, which of them are right)."""
    rng = np.random.default_rng(seed)
    dim = items[0][0].shape[1]
    params = [rng.normal(0, 0.15, (dim, HIDDEN)), np.zeros(HIDDEN), rng.normal(0, 0.15, HIDDEN)]
    m, v, step = [np.zeros_like(p) for p in params], [np.zeros_like(p) for p in params], 0
    for _ in range(epochs):
        order = rng.permutation(len(items))
        for at in range(0, len(order), 64):
            batch = [items[i] for i in order[at:at + 64]]
            x = np.concatenate([b[0] for b in batch])
            right = np.concatenate([b[1] for b in batch])
            seg = np.repeat(np.arange(len(batch)), [len(b[1]) for b in batch])
            s, h = score(params, x)
            e = np.exp(s - s.max())
            p = e / np.bincount(seg, e)[seg]
            q = p * right
            q /= np.bincount(seg, q)[seg] + 1e-12
            d = p - q
            dh = np.outer(d, params[2]) * (1 - h * h)
            grads = [x.T @ dh, dh.sum(0), h.T @ d]
            step += 1
            for k in range(3):
                g = grads[k] / 64 + decay * params[k]
                m[k] = 0.9 * m[k] + 0.1 * g
                v[k] = 0.999 * v[k] + 0.001 * g * g
                params[k] = params[k] - lr * (m[k] / (1 - 0.9 ** step)) / (np.sqrt(v[k] / (1 - 0.999 ** step)) + 1e-8)
    return params


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--grammar", required=True), ap.add_argument("--out"), ap.add_argument("--show", type=int, default=0)
    ap.add_argument("--data", nargs="*", default=[os.path.join(HERE, "attributes.jsonl")])
    args = ap.parse_args()
    rows = sentences(args.data)
    found = read(args.grammar, [r[2] for r in rows])
    items, where = [], []
    for i, (row, (cands, _)) in enumerate(zip(rows, found)):
        right = np.array([bare(c["text"]) == bare(row[3]) for c in cands], float)
        if right.any():
            items.append((np.array([c["signals"] for c in cands]), right))
            where.append(i)
    print("%d sentences, the value is a candidate in %.3f" % (len(rows), len(items) / len(rows)))
    names = sorted({r[0] for r in rows})
    fold = {n: k % 5 for k, n in enumerate(names)}
    hits = {}
    for k in range(5):
        params = fit([it for it, i in zip(items, where) if fold[rows[i][0]] != k])
        for it, i in zip(items, where):
            if fold[rows[i][0]] == k:
                best = int(np.argmax(score(params, it[0])[0]))
                hits[i] = it[1][best] > 0
                if not hits[i] and args.show > 0:
                    args.show -= 1
                    print("   %s: %r in %r" % (rows[i][1], found[i][0][best]["text"], rows[i][2]))
    for kind in KINDS:
        mine = [i for i in range(len(rows)) if rows[i][1] == kind]
        print("   %-10s right %.3f of %d, by attribute left out" % (kind, sum(hits.get(i, False) for i in mine) / max(len(mine), 1), len(mine)))
    params = fit(items)
    data = trust_data(params, rows, found, where, args.grammar)
    report_trust(data)
    if args.out:
        with open(args.out, "wb") as f:
            for p in params + [fit_trust(data)]:
                f.write(np.asarray(p, dtype="<f4").tobytes())
        print("wrote %s, %d bytes" % (args.out, os.path.getsize(args.out)))


if __name__ == "__main__":
    main()
