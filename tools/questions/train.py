#!/usr/bin/env python3
"""Fits answer/assets/questions.bin: which state does a question ask for?

    pip install numpy scipy scikit-learn
    go build -o /tmp/daybook ./cmd/daybook && go build -o /tmp/states ./tools/states && go build -o /tmp/questions ./tools/questions
    python3 tools/questions/train.py --encoder /tmp/daybook --grammar /tmp/states --questions /tmp/questions \
        --states extract/assets/states.bin --out answer/assets/questions.bin

It reads the sentences and questions of tools/states/attributes.jsonl, which were
written for this purpose, and no evaluation data. A linear map takes the vector of
a question (as a query, and as a statement in the speaker's words) to the vectors
of state variables that extract.VariableOf gives; a logistic judge says from that
likeness, from shared words and from the sort of value how likely a statement
tells what is asked; another one says, from how the best statement stands out
against the rest of a conversation, whether the answer is there at all. Figures
are printed by leave-attributes-out.
"""
import argparse, collections, json, os, random, sys
import numpy as np
from sklearn.linear_model import LogisticRegression

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "states"))
import train as states

NAMES = "Anna Marcus Priya Tom Elena Joseph Hannah Karim Lucy Owen Sofia Ben Nadia Victor Grace Ivan".split()
KINDS = ("q_current", "q_past", "q_when", "q_why", "q_how")
FOLDS, FULL = 4, 384


def questions(path):
    rng, all = random.Random(5), []
    for line in open(path):
        a = json.loads(line)
        for kind in KINDS:
            for q in a[kind]:
                name = rng.choice(NAMES)
                all.append((a["attribute"], kind, q.replace("{name}", name), name))
    return all


def fit_map(x, g, z, zg, epochs=10, lr=1e-3, temperature=0.07, seed=1):
    """A linear map from questions to variables, which stay as they are: least squares, then InfoNCE by Adam."""
    rng = np.random.default_rng(seed)
    centre = {a: states.unit(z[zg == a].mean(0)[None])[0] for a in set(zg)}
    w = np.linalg.solve(x.T @ x + 2.0 * np.eye(x.shape[1]), x.T @ np.stack([centre[a] for a in g])).astype(np.float32)
    w0, m, v, step = w.copy(), 0, 0, 0
    members = collections.defaultdict(list)
    for i, a in enumerate(zg):
        members[a].append(i)
    for _ in range(epochs):
        order = rng.permutation(len(x))
        for at in range(0, len(order), 64):
            b = order[at:at + 64]
            a, own = x[b], np.array([members[g[i]][rng.integers(len(members[g[i]]))] for i in b])
            c = np.concatenate([own, rng.integers(len(z), size=160)])
            y = a @ w
            n = np.linalg.norm(y, axis=1, keepdims=True) + 1e-9
            y = y / n
            s = y @ z[c].T / temperature
            same = g[b][:, None] == zg[c][None, :]
            same[np.arange(len(b)), np.arange(len(b))] = False
            s = np.where(same, -1e9, s)
            e = np.exp(s - s.max(1, keepdims=True))
            p = e / e.sum(1, keepdims=True)
            p[np.arange(len(b)), np.arange(len(b))] -= 1
            ga = p @ z[c] / (len(b) * temperature)
            grad = a.T @ ((ga - (ga * y).sum(1, keepdims=True) * y) / n) + 1e-3 * (w - w0)
            step += 1
            m, v = 0.9 * m + 0.1 * grad, 0.999 * v + 0.001 * grad * grad
            w = w - lr * (m / (1 - 0.9 ** step)) / (np.sqrt(v / (1 - 0.999 ** step)) + 1e-8)
    return w


def signals(like, mean, dev, q, words, kind):
    """As matchSignals in answer/match.go."""
    own, said = q["words"] or [], set(words or [])
    shared = sum(w in said for w in own) / len(own) if own else 0.0
    fits = 0.0
    if q["wants"]:
        fits = 1.0 if kind in q["wants"] else -1.0
    return [like, (like - mean) / max(dev, 0.05), shared, float(shared > 0), fits]


def main():
    ap = argparse.ArgumentParser()
    for f in ("encoder", "grammar", "questions", "states", "out"):
        ap.add_argument("--" + f, required=True)
    args = ap.parse_args()
    rows, qs = states.sentences(), questions(os.path.join(HERE, "..", "states", "attributes.jsonl"))
    texts = [r[2] for r in rows]
    vectors = states.unit(np.array(states.run([args.encoder, "encode"], texts), dtype=np.float32))
    read = states.run([args.grammar], texts)
    asked = [json.loads(json.dumps(r)) for r in ask(args.questions, qs)]
    query = states.unit(np.array(states.run([args.encoder, "encode", "--as", "query"], [q[2] for q in qs]), dtype=np.float32))
    said = states.unit(np.array(states.run([args.encoder, "encode"], [r["statement"] or q[2] for r, q in zip(asked, qs)]), dtype=np.float32))
    x = np.concatenate([query, said], 1)
    group, qgroup = np.array([r[0] for r in rows]), np.array([q[0] for q in qs])
    about = [i for i, r in enumerate(rows) if r[1] in ("states", "ended", "plans", "supposes", "denies", "others", "excepts", "adds") and not r[0].startswith("chat")]
    rest = [i for i in range(len(rows)) if i not in set(about)]
    stated = np.array([i for i in about if rows[i][1] == "states" and read[i]["statements"]])
    chat = [i for i in rest if rows[i][0].startswith("chat")]
    attributes = sorted(set(qgroup))
    random.Random(1).shuffle(attributes)
    px, py, ax, ay, hits = [], [], [], [], collections.defaultdict(list)
    for f in range(FOLDS):
        out = set(attributes[f::FOLDS])
        tr = np.array([i for i in about if rows[i][0] not in out])
        mean = vectors[tr].mean(0)
        w = states.fit_variable(vectors[tr] - mean, group[tr], vectors[rest] - mean, epochs=30)
        z = states.unit((vectors - mean) @ w)
        st = np.array([i for i in stated if rows[i][0] not in out])
        qtr = np.array([i for i in range(len(qs)) if qs[i][0] not in out])
        qmean = x[qtr].mean(0)
        y = states.unit((x - qmean) @ fit_map(x[qtr] - qmean, qgroup[qtr], z[st], group[st]))
        simulate(random.Random(f), out, qs, asked, rows, read, y, z, stated, chat, px, py, ax, ay, hits)
    px, py, ax, ay = np.array(px), np.array(py), np.array(ax), np.array(ay)
    for k in sorted(hits):
        print("   %-12s first %.3f, among five %.3f of %d" % (k, np.mean([h == 0 for h in hits[k]]), np.mean([h < 5 for h in hits[k]]), len(hits[k])))
    match = LogisticRegression(C=10, max_iter=1000).fit(px, py)
    p = match.predict_proba(px)[:, 1]
    for t in (0.1, 0.3, 0.5, 0.7, 0.9):
        print("match at %.1f: recall %.3f precision %.3f" % (t, (p[py == 1] >= t).mean(), py[p >= t].mean()))
    print("match weights", np.round(match.coef_[0], 2), np.round(match.intercept_, 2))
    known = LogisticRegression(C=10, max_iter=1000).fit(ax, ay)
    p = known.predict_proba(ax)[:, 1]
    for t in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7):
        print("known at %.1f: answered where it is there %.3f, where it is not %.3f" % (t, (p[ay == 1] >= t).mean(), (p[ay == 0] >= t).mean()))
    print("known weights", np.round(known.coef_[0], 2), np.round(known.intercept_, 2))
    mean, w = fitted_states(args.states)
    z = states.unit((vectors - mean) @ w)
    qmean = x.mean(0)
    wq = fit_map(x - qmean, qgroup, z[stated], group[stated])
    with open(args.out, "wb") as f:
        for part in (qmean, wq, match.coef_[0], match.intercept_, known.coef_[0], known.intercept_):
            f.write(np.asarray(part, dtype="<f4").tobytes())
    print("wrote %s, %d bytes" % (args.out, os.path.getsize(args.out)))


def ask(command, qs):
    return states_run_raw([command], ["%s\t%s" % (q[3], q[2]) for q in qs])


def states_run_raw(command, lines):
    import subprocess
    out = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout
    return [json.loads(l) for l in out.splitlines()]


def fitted_states(path):
    raw = np.fromfile(path, dtype="<f4")
    return raw[:FULL], raw[FULL:FULL * (1 + states.DIM)].reshape(FULL, states.DIM)


def simulate(rng, out, qs, asked, rows, read, y, z, stated, chat, px, py, ax, ay, hits):
    """Conversations of attributes that the map has not seen: some are told of twice, the others not at all."""
    by = collections.defaultdict(list)
    for i in stated:
        if rows[i][0] in out:
            by[rows[i][0]].append(i)
    mine = [i for i in range(len(qs)) if qs[i][0] in out]
    talk = [i for i in chat if read[i]["statements"]]
    for i in mine:
        a = qs[i][0]
        others = [b for b in sorted(out) if b != a and rng.random() < 0.8]
        there = rng.random() < 0.7
        told = [j for b in others for j in rng.sample(by[b], min(2, len(by[b])))] + rng.sample(talk, min(60, len(talk)))
        own = rng.sample(by[a], 2) if there else []
        rank(rng, told, own, i, asked, rows, read, y, z, px, py, ax, ay, hits)


def rank(rng, told, own, i, asked, rows, read, y, z, px, py, ax, ay, hits):
    all = told + own
    like = z[all] @ y[i]
    mean, dev = like.mean(), like.std()
    sig = [signals(float(like[n]), mean, dev, asked[i], read[j]["statements"][-1]["Words"], read[j]["statements"][-1]["Type"]) for n, j in enumerate(all)]
    order = np.argsort(-like)
    ax.append(known_signals(sig, like, order)); ay.append(int(bool(own)))
    hard = [n for n in order[:12] if n < len(told)] + rng.sample(range(len(told)), 4)
    for n in hard:
        px.append(sig[n]); py.append(0)
    for n in range(len(told), len(all)):
        px.append(sig[n]); py.append(1)
        hits["all"].append(int((like > like[n]).sum()))


def known_signals(sig, like, order):
    """As knownSignals in answer/match.go."""
    best = order[0]
    third = like[order[min(3, len(order) - 1)]]
    return [sig[best][0], sig[best][1], float(like[best] - third), max(sig[n][2] for n in order[:3]), sig[best][4]]


if __name__ == "__main__":
    main()
