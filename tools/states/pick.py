#!/usr/bin/env python3
"""Fits extract/assets/pick.bin, the pickers of values, on the sentences beside this file.

    pip install numpy
    go build -o /tmp/states ./tools/states
    python3 tools/states/pick.py --grammar /tmp/states --out extract/assets/pick.bin

Every sentence of attributes.jsonl (and attributes-*.jsonl) says where its value stands ({v}). Of the
candidates that are found in it, the picker learns to prefer the one that is the
value: a small network scores each candidate by its signals, and the likeliest is
taken. A second, linear function tells how far a picked value is to be trusted in
talk: it is fitted on the same sentences, on talk.jsonl (sentences of made-up
conversations with the value that was rightly picked, or none) and on chat.jsonl,
which has no values.

Two pickers are fitted: one by grammar alone, and one that also knows the marks that a
head (mark.py) reads off the encoder's vectors of the words. The second is for the
encoder in the binary that --grammar was built with, and is fitted anew with each
encoder. What it is fitted on was marked by heads that did not see the attribute.

Figures are of attributes that the encoder was not tuned on, by a fit without them:
only these tell what marks are worth. With --without-held that fit is written; eval's
TestBankOfOurs is run with it. --keep takes the picker by grammar alone from an earlier
file: it does not depend on the encoder. No evaluation data is read.
"""
import argparse, glob, json, os, random, re, subprocess, zlib
import numpy as np
import mark

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ["state", "update", "paraphrase", "reason", "past", "plan", "temp", "add", "third", "rumor", "hyp"]
HIDDEN = 24
TALK_WEIGHT = 4


def flat(text):
    return re.sub(r"\s+", " ", text)


def sentences(paths):
    """(attribute, kind, text, value, its bytes), values drawn with a fixed seed."""
    rng, rows = random.Random(11), []
    for path in paths:
        for line in open(path):
            a = json.loads(line)
            for kind in KINDS:
                for t in a[kind]:
                    if t.count("{v}") == 1:
                        rows += [told(a["attribute"], kind, flat(t.replace("{v}", v)), v, len(flat(t[:t.index("{v}")]).encode())) for v in rng.sample(a["values"], 2)]
    return rows


def told(group, kind, text, value, at):
    return group, kind, text, value, (at, at + len(flat(value).encode()))


def held_out(attribute):
    """Whether the encoder was not tuned on an attribute: tools/encoder/tune.py."""
    return zlib.crc32(attribute.encode()) % 5 == 0


def talk():
    """As sentences, of talk; most has no value."""
    rows = []
    for name in ("talk.jsonl", "chat.jsonl"):
        for line in open(os.path.join(HERE, name)):
            row = json.loads(line)
            text, value = flat(row["text"]), flat(row.get("value", ""))
            at = text.encode().find(value.encode()) if value else 0
            rows.append(told("talk%d" % (len(rows) % 50), "talk", text, value if at >= 0 else "", max(at, 0)))
    return rows


def bare(text):
    text = re.sub(r"[.,;:!?]+$", "", re.sub(r"\s+", " ", text.lower().strip()))
    return re.sub(r"^(a|an|the|my|our) ", "", text)


def read(grammar, texts, marks=None):
    """Candidates and traits of texts, with the marks of their words where they are given."""
    lines = "".join(t + ("\t" + json.dumps(m) if m else "") + "\n" for t, m in zip(texts, marks or [None] * len(texts)))
    out = subprocess.run([grammar], input=lines, capture_output=True, text=True, check=True).stdout
    return [(r["candidates"] or [], r["traits"]) for r in map(json.loads, out.splitlines())]


def marks_of(places, scores):
    """Places of words with their scores, text by text."""
    ends = np.cumsum([len(words) for words in places])
    return [[dict(w, score=round(float(x), 4)) for w, x in zip(words, scores[end - len(words):end])] for words, end in zip(places, ends)]


def picked(params, cands, traits):
    """The candidate that is picked, and what it is trusted by."""
    x = np.array([c["signals"] for c in cands])
    s, _ = score(params, x)
    best = int(np.argmax(s))
    p = np.exp(s - s.max())
    return best, np.concatenate([x[best], traits, [1 / p.sum()]])


def trust_data(params, rows, found):
    """(what it is trusted by, whether it is right, weight, whether it is talk, whether it is held out) of what states something and of talk."""
    out = []
    for row, (cands, traits) in zip(rows, found):
        talks = row[1] == "talk"
        if cands and (talks or row[1] in ("state", "update", "paraphrase", "reason")):
            best, x = picked(params, cands, traits)
            right = bool(row[3]) and bare(cands[best]["text"]) == bare(row[3])
            out.append((x, right, TALK_WEIGHT if talks else 1, talks, held_out(row[0] + row[2] if talks else row[0])))
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


def report_trust(trust, data):
    held = [(1 / (1 + np.exp(-np.append(d[0], 1) @ trust)), d) for d in data if d[4]]
    right, wrong, talk = ([(p, d) for p, d in held if kind(d)] for kind in (lambda d: d[1] and not d[3], lambda d: not d[1] and not d[3], lambda d: d[3]))
    for t in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        kept = [d for p, d in talk if p >= t]
        print("   trusted at %.1f: %.3f of the right values of states, %.3f of the wrong; of talk %d of %d, %d of them right" % (
            t, np.mean([p >= t for p, _ in right]), np.mean([p >= t for p, _ in wrong]), len(kept), len(talk), sum(d[1] for d in kept)))


def score(params, x):
    w1, b1, w2 = params
    h = np.tanh(x @ w1 + b1)
    return h @ w2, h


def fit(items, epochs=25, lr=6e-3, decay=1e-4, seed=3):
    """items: (signals of the candidates, which of them are right)."""
    rng = np.random.default_rng(seed)
    sizes = np.array([len(it[1]) for it in items])
    all_x, all_right = np.concatenate([it[0] for it in items]).astype(np.float32), np.concatenate([it[1] for it in items]).astype(np.float32)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    params = [rng.normal(0, 0.15, (all_x.shape[1], HIDDEN)).astype(np.float32), np.zeros(HIDDEN, np.float32), rng.normal(0, 0.15, HIDDEN).astype(np.float32)]
    m, v, step = [np.zeros_like(p) for p in params], [np.zeros_like(p) for p in params], 0
    for _ in range(epochs):
        order = rng.permutation(len(items))
        for at in range(0, len(order), 64):
            some = order[at:at + 64]
            seg = np.repeat(np.arange(len(some)), sizes[some])
            rows = np.concatenate([np.arange(first[i], first[i] + sizes[i]) for i in some])
            x, right = all_x[rows], all_right[rows]
            s, h = score(params, x)
            e = np.exp(s - s.max())
            p = e / np.bincount(seg, e)[seg]
            q = p * right
            q /= np.bincount(seg, q)[seg] + 1e-12
            d = (p - q).astype(np.float32)
            dh = np.outer(d, params[2]) * (1 - h * h)
            grads = [x.T @ dh, dh.sum(0), h.T @ d]
            step += 1
            for k in range(3):
                g = grads[k] / 64 + decay * params[k]
                m[k] = 0.9 * m[k] + 0.1 * g
                v[k] = 0.999 * v[k] + 0.001 * g * g
                params[k] = params[k] - lr * (m[k] / (1 - 0.9 ** step)) / (np.sqrt(v[k] / (1 - 0.999 ** step)) + 1e-8)
    return params


def folds(rows):
    """The fold of each row: 2 of attributes that are held out; rows of one group share theirs."""
    names = sorted({r[0] for r in rows})
    fold = {n: 2 if held_out(n) and not n.startswith("talk") else k % 2 for k, n in enumerate(names)}
    return np.array([fold[r[0]] for r in rows])


def fit_picker(name, rows, found, without_held, show):
    """Fits a picker and its trust, and prints how a fit without the held-out attributes does on them."""
    items, held = {}, folds(rows) == 2
    for i, (row, (cands, _)) in enumerate(zip(rows, found)):
        right = np.array([bool(row[3]) and bare(c["text"]) == bare(row[3]) for c in cands], float)
        if row[1] != "talk" and right.any():
            items[i] = np.array([c["signals"] for c in cands], np.float32), right
    params = fit([it for i, it in items.items() if not held[i]])
    data = trust_data(params, rows, found)
    trust = fit_trust([d for d in data if not d[4]])
    print("%s, of attributes left out: the value is a candidate in %.3f" % (name, np.mean([i in items for i in np.flatnonzero(held)])))
    for kind in KINDS:
        mine = [i for i in np.flatnonzero(held) if rows[i][1] == kind]
        hits = [i in items and items[i][1][np.argmax(score(params, items[i][0])[0])] > 0 for i in mine]
        print("   %-10s right %.3f of %d" % (kind, np.mean(hits), len(mine)))
        for i in [i for i, hit in zip(mine, hits) if not hit][:show]:
            print("      %r is not in %r: %r" % (rows[i][3], [c["text"] for c in found[i][0]], rows[i][2]))
    report_trust(trust, data)
    if not without_held:
        params = fit(list(items.values()))
        trust = fit_trust(trust_data(params, rows, found))
    return params + [trust]


def kept(path, signals, traits):
    """The picker by grammar alone of a file that was written before."""
    sizes = [signals * HIDDEN, HIDDEN, HIDDEN, signals + traits + 2]
    return np.split(np.fromfile(path, "<f4")[:sum(sizes)], np.cumsum(sizes)[:-1])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--grammar", required=True), ap.add_argument("--out"), ap.add_argument("--show", type=int, default=0), ap.add_argument("--keep")
    ap.add_argument("--data", nargs="*", default=sorted(glob.glob(os.path.join(HERE, "attributes*.jsonl")))), ap.add_argument("--without-held", action="store_true")
    args = ap.parse_args()
    rows = sentences(args.data) + talk()
    texts, spans = [r[2] for r in rows], [r[4] for r in rows]
    places, vectors = mark.read_words(args.grammar, texts)
    head, scores = mark.crossed(vectors, mark.labels(places, spans), np.repeat(folds(rows), [len(p) for p in places]), args.without_held)
    print("of attributes left out: " + mark.report(places, spans, scores, folds(rows) == 2))
    alone = read(args.grammar, texts[:1] if args.keep else texts)
    parts = kept(args.keep, len(alone[0][0][0]["signals"]), len(alone[0][1])) if args.keep else fit_picker("by grammar alone", rows, alone, args.without_held, 0)
    parts += [head] + fit_picker("with marks", rows, read(args.grammar, texts, marks_of(places, scores)), args.without_held, args.show)
    if args.out:
        with open(args.out, "wb") as f:
            for p in parts:
                f.write(np.asarray(p, dtype="<f4").tobytes())
        print("wrote %s, %d bytes" % (args.out, os.path.getsize(args.out)))


if __name__ == "__main__":
    main()
