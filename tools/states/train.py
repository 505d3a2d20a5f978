#!/usr/bin/env python3
"""Fits extract/assets/states.bin on the sentences beside this file.

    pip install numpy scipy scikit-learn
    go build -o /tmp/daybook ./cmd/daybook && go build -o /tmp/states ./tools/states
    python3 tools/states/train.py --encoder /tmp/daybook --grammar /tmp/states --out extract/assets/states.bin

The sentences were written for this purpose: attributes.jsonl holds states of
people's lives with what changes, doubts, borrows or plans them; chat.jsonl holds
talk that states nothing. No evaluation data is read. Figures are printed by
leave-attributes-out; --no-figures saves the time. With --without-held the attributes
that the encoder was not tuned on are left out: tools/pairs is run with that. --keep
takes the state variables from an earlier file and fits only the judge of roles:
answer/assets/questions.bin was fitted on those variables and must be fitted again
with others.
"""
import argparse, collections, json, os, random, re, subprocess, zlib
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

HERE = os.path.dirname(os.path.abspath(__file__))
ROLES = ["adds", "asks", "chats", "happens", "supposes", "touches", "ended", "plans", "denies", "states", "excepts", "others", "views"]
OF_KIND = {"state": "states", "update": "states", "paraphrase": "states", "reason": "states", "past": "ended", "plan": "plans",
           "hyp": "supposes", "rumor": "denies", "third": "others", "temp": "excepts", "add": "adds", "topic": "touches"}
OF_CHAT = {"event": "happens", "chat": "chats", "view": "views", "plan": "plans", "ask": "asks"}
DIM, STRANGERS, COHORT = 96, 100, 400
VECTOR_SCALE, TRAIT_SCALE = 0.5, 1.5
CHAT_WEIGHT = 4  # people talk more than they state: sentences of talk count so often


def sentences(without_held=False):
    """(attribute, role, text, value) of every sentence; values drawn with a fixed seed."""
    rng, rows = random.Random(7), []
    for line in open(os.path.join(HERE, "attributes.jsonl")):
        a = json.loads(line)
        if without_held and zlib.crc32(a["attribute"].encode()) % 5 == 0:
            continue
        for kind, role in OF_KIND.items():
            for t in a[kind]:
                values = rng.sample(a["values"], 3) if "{v}" in t else [""]
                rows += [(a["attribute"], role, t.replace("{v}", v), v) for v in values]
    for i, line in enumerate(open(os.path.join(HERE, "chat.jsonl"))):
        c = json.loads(line)
        rows.append(("chat%d" % (i % 40), OF_CHAT[c["kind"]], c["text"], ""))
    return rows


def run(command, texts):
    lines = "\n".join(re.sub(r"\s+", " ", t) for t in texts) + "\n"
    out = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout
    return [json.loads(l) for l in out.splitlines()]


def unit(m):
    return m / np.maximum(np.linalg.norm(m, axis=1, keepdims=True), 1e-9)


def fit_variable(x, group, negatives, epochs=60, lr=2e-3, temperature=0.07, seed=1):
    """A linear map under which sentences of one group lie together (InfoNCE, Adam)."""
    rng = np.random.default_rng(seed)
    start = np.linalg.svd(x, full_matrices=False)[2][:DIM].T
    w, m, v, step = start.astype(np.float32), 0, 0, 0
    members = collections.defaultdict(list)
    for i, g in enumerate(group):
        members[g].append(i)
    keys = sorted(members)

    def project(rows):
        y = rows @ w
        n = np.linalg.norm(y, axis=1, keepdims=True) + 1e-9
        return y / n, n

    for _ in range(epochs):
        order = rng.permutation(len(keys))
        for at in range(0, len(order), 32):
            pairs = [rng.choice(members[keys[k]], 2, replace=False) for k in order[at:at + 32] for _ in range(3)]
            a, p = x[[i for i, _ in pairs]], x[[j for _, j in pairs]]
            n = negatives[rng.choice(len(negatives), min(96, len(negatives)), replace=False)]
            c = np.concatenate([p, n])
            ya, na = project(a)
            yc, nc = project(c)
            s = ya @ yc.T / temperature
            of = np.array([group[i] for i, _ in pairs])
            same = np.zeros_like(s, bool)
            same[:, :len(of)] = of[:, None] == of[None, :]
            same[np.arange(len(of)), np.arange(len(of))] = False
            s = np.where(same, -1e9, s)
            e = np.exp(s - s.max(1, keepdims=True))
            g = e / e.sum(1, keepdims=True)
            g[np.arange(len(of)), np.arange(len(of))] -= 1
            g /= len(of) * temperature
            ga, gc = g @ yc, g.T @ ya
            grad = a.T @ ((ga - (ga * ya).sum(1, keepdims=True) * ya) / na) + c.T @ ((gc - (gc * yc).sum(1, keepdims=True) * yc) / nc)
            grad += 1e-4 * (w - start)
            step += 1
            m, v = 0.9 * m + 0.1 * grad, 0.999 * v + 0.001 * grad * grad
            w = w - lr * (m / (1 - 0.9 ** step)) / (np.sqrt(v / (1 - 0.999 ** step)) + 1e-8)
    return w


def nearest_share(z, rows, idx):
    """How often the statement nearest to another, of those with another value, is of the same state."""
    likeness, right = z[idx] @ z[idx].T, 0
    for n, i in enumerate(idx):
        order = [k for k in np.argsort(-likeness[n])[:40] if rows[idx[k]][3] != rows[i][3] and rows[idx[k]][2] != rows[i][2]]
        right += bool(order) and rows[idx[order[0]]][0] == rows[i][0]
    return right / len(idx)


def fit_roles(rows, vectors, traits, figures):
    """Mean and deviation of the vectors, weights and bias of the judge of roles."""
    group, role = np.array([r[0] for r in rows]), np.array([ROLES.index(r[1]) for r in rows])
    mean, sd = vectors.mean(0), vectors.std(0) + 1e-6
    inputs = np.concatenate([(vectors - mean) / sd * VECTOR_SCALE, traits * TRAIT_SCALE], 1)
    weight = np.where([g.startswith("chat") for g in group], CHAT_WEIGHT, 1)
    if figures:
        guess = np.zeros(len(rows), int)
        for tr, te in GroupKFold(5).split(inputs, role, group):
            guess[te] = LogisticRegression(C=0.02, max_iter=200).fit(inputs[tr], role[tr], weight[tr]).predict(inputs[te])
        print("roles, by attribute left out: %.3f right" % (guess == role).mean())
        for r, name in enumerate(ROLES):
            print("   %-9s recall %.3f precision %.3f of %d" % (name, (guess[role == r] == r).mean(), (role[guess == r] == r).mean() if (guess == r).any() else 0, (role == r).sum()))
    judge = LogisticRegression(C=0.02, max_iter=400).fit(inputs, role, weight)
    full, bias = np.zeros((len(ROLES), inputs.shape[1])), np.full(len(ROLES), -30.0)
    full[judge.classes_], bias[judge.classes_] = judge.coef_, judge.intercept_
    return mean, sd, full, bias


def fit_variables(rows, vectors, figures):
    """Mean and map of the state variables, strangers and cohort."""
    group = np.array([r[0] for r in rows])
    about = [i for i, r in enumerate(rows) if r[1] in ("states", "ended", "plans", "supposes", "denies", "others", "excepts", "adds") and not r[0].startswith("chat")]
    inside = set(about)
    rest = [i for i in range(len(rows)) if i not in inside]
    mean = vectors[about].mean(0)
    centred = vectors - mean
    if figures:
        share = []
        for tr, te in GroupKFold(3).split(about, groups=group[about]):
            w = fit_variable(centred[np.array(about)[tr]], group[np.array(about)[tr]], centred[rest], epochs=30)
            share.append(nearest_share(unit(centred @ w), rows, [about[i] for i in te if rows[about[i]][1] == "states"]))
        print("nearest statement with another value is of the same state, by attribute left out: %.3f" % np.mean(share))
    w = fit_variable(centred[about], group[about], centred[rest])
    first = {}
    for i, r in enumerate(rows):
        if r[1] == "states" and not r[0].startswith("chat"):
            first.setdefault(r[0], i)
    strangers = unit(centred[list(first.values())[:STRANGERS]] @ w)
    talk = [i for i, r in enumerate(rows) if r[0].startswith("chat")]
    return mean, w, strangers, unit(centred[random.Random(5).sample(talk, COHORT)] @ w)


def kept_variables(path, dim):
    """The variables of a file that was written before."""
    all = np.fromfile(path, dtype="<f2").astype(np.float32)
    end = dim + dim * DIM
    strangers = len(all) - (STRANGERS + COHORT) * DIM
    cohort = len(all) - COHORT * DIM
    return all[:dim], all[dim:end], all[strangers:cohort], all[cohort:]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--encoder", required=True), ap.add_argument("--grammar", required=True), ap.add_argument("--out", required=True)
    ap.add_argument("--keep"), ap.add_argument("--without-held", action="store_true"), ap.add_argument("--no-figures", action="store_true")
    args = ap.parse_args()
    rows = sentences(args.without_held)
    texts = [r[2] for r in rows]
    vectors = unit(np.array(run([args.encoder, "encode"], texts), dtype=np.float32))
    traits = np.array([r["traits"] for r in run([args.grammar], texts)])
    print("%d sentences, %d attributes" % (len(rows), len({r[0] for r in rows})))
    figures = not args.no_figures
    if args.keep:
        mean, w, strangers, cohort = kept_variables(args.keep, vectors.shape[1])
    else:
        mean, w, strangers, cohort = fit_variables(rows, vectors, figures)
    with open(args.out, "wb") as f:
        for part in (mean, w) + fit_roles(rows, vectors, traits, figures) + (strangers, cohort):
            f.write(np.asarray(part, dtype="<f2").tobytes())
    print("wrote %s, %d bytes" % (args.out, os.path.getsize(args.out)))


if __name__ == "__main__":
    main()
