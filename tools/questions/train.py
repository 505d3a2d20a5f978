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
are printed by leave-attributes-out. With --without-held the map is fitted without the
attributes that the encoder was not tuned on, for eval's TestAnswersOfOurs; the judges
are always fitted on those, with folds.
"""
import argparse, collections, json, os, random, sys
import numpy as np
from sklearn.linear_model import LogisticRegression

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "states"), os.path.join(HERE, "..", "encoder")]
import train as states
from tune import held_out

NAMES = "Anna Marcus Priya Tom Elena Joseph Hannah Karim Lucy Owen Sofia Ben Nadia Victor Grace Ivan".split()
KINDS = ("q_current", "q_past", "q_when", "q_why", "q_how")
FOLDS, FULL, CROWD = 4, 384, 12


def questions(path):
    rng, all = random.Random(5), []
    for line in open(path):
        a = json.loads(line)
        for kind in KINDS:
            for q in a[kind]:
                name = rng.choice(NAMES)
                all.append((a["attribute"], kind, q.replace("{name}", name), name))
    return all


def fit_map(x, g, z, zg, ridge=2.0):
    """The linear map that takes questions nearest to the mean variable of what they ask for."""
    centre = {a: states.unit(z[zg == a].mean(0)[None])[0] for a in set(zg)}
    return np.linalg.solve(x.T @ x + ridge * np.eye(x.shape[1]), x.T @ np.stack([centre[a] for a in g]))


def signals(like, zlike, direct, zdirect, q, words, kind):
    """As matchSignals in answer/match.go."""
    own, said = q["words"] or [], set(words or [])
    shared = sum(w in said for w in own) / len(own) if own else 0.0
    fits = 0.0
    if q["wants"]:
        fits = 1.0 if kind in q["wants"] else -1.0
    return [like, zlike, direct, zdirect, shared, float(shared > 0), fits]


def main():
    ap = argparse.ArgumentParser()
    for f in ("encoder", "grammar", "questions", "states", "out"):
        ap.add_argument("--" + f, required=True)
    ap.add_argument("--without-held", action="store_true")
    args = ap.parse_args()
    rows, qs = states.sentences(), questions(os.path.join(HERE, "..", "states", "attributes.jsonl"))
    texts = [r[2] for r in rows]
    vectors = states.unit(np.array(states.run([args.encoder, "encode"], texts), dtype=np.float32))
    read = states.run([args.grammar], texts)
    group = np.array([r[0] for r in rows])
    about = [i for i, r in enumerate(rows) if r[1] in ("states", "ended", "plans", "supposes", "denies", "others", "excepts", "adds") and not r[0].startswith("chat")]
    inside = set(about)
    rest = [i for i in range(len(rows)) if i not in inside]
    stated = np.array([i for i in about if rows[i][1] == "states" and read[i]["statements"]])
    told = set(group[stated])
    qs = [q for q in qs if q[0] in told]  # of the rest grammar reads no statement
    asked = [json.loads(json.dumps(r)) for r in ask(args.questions, qs)]
    query = states.unit(np.array(states.run([args.encoder, "encode", "--as", "query"], [q[2] for q in qs]), dtype=np.float32))
    said = states.unit(np.array(states.run([args.encoder, "encode"], [r["statement"] or q[2] for r, q in zip(asked, qs)]), dtype=np.float32))
    x = np.concatenate([query, said], 1)
    qgroup = np.array([q[0] for q in qs])
    chat = [i for i in rest if rows[i][0].startswith("chat")]
    attributes = sorted(set(qgroup))
    random.Random(1).shuffle(attributes)
    px, py, ax, ay, hits = [], [], [], [], collections.defaultdict(list)
    scenes = []
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
        direct = states.unit(states.unit(query - query[qtr].mean(0)) + states.unit(said - said[qtr].mean(0)))
        likes = lambda i, js: (z[js] @ y[i], centred(vectors[js] - mean) @ direct[i])
        cohort = z[random.Random(5).sample(chat, states.COHORT)]
        crowd = np.sort(z @ cohort.T, 1)[:, -CROWD:].mean(1)
        kin = lambda js: (z[js] @ z[js].T, crowd[js])
        simulate(random.Random(f), out, qs, asked, rows, read, likes, kin, stated, chat, px, py, ax, ay, hits, scenes)
    px, py, ax, ay = np.array(px), np.array(py), np.array(ax), np.array(ay)
    print("usual likeness: by state %.3f ± %.3f, by words %.3f ± %.3f" % tuple(np.mean(hits.pop("usual"), 0)))
    for k in sorted(hits):
        print("   %-12s first %.3f, among five %.3f of %d" % (k, np.mean([h == 0 for h in hits[k]]), np.mean([h < 5 for h in hits[k]]), len(hits[k])))
    match = LogisticRegression(C=10, max_iter=1000).fit(px, py)
    p = match.predict_proba(px)[:, 1]
    for t in (0.1, 0.3, 0.5, 0.7, 0.9):
        print("match at %.1f: recall %.3f precision %.3f" % (t, (p[py == 1] >= t).mean(), py[p >= t].mean()))
    print("match weights", np.round(match.coef_[0], 2), np.round(match.intercept_, 2))
    known = LogisticRegression(C=10, max_iter=1000).fit(ax, ay)
    p = known.predict_proba(ax)[:, 1]
    for t in (0.3, 0.5, 0.6, 0.7, 0.75, 0.8):
        print("known at %.1f: answered where it is there %.3f, where it is not %.3f" % (t, (p[ay == 1] >= t).mean(), (p[ay == 0] >= t).mean()))
    print("known weights", np.round(known.coef_[0], 2), np.round(known.intercept_, 2))
    group_judge = fit_group(match, scenes)
    mean, w = fitted_states(args.states)
    z = states.unit((vectors - mean) @ w)
    qmean = x.mean(0)
    fit = [i for i in range(len(qs)) if not (args.without_held and held_out(qgroup[i]))]
    wq = fit_map(x[fit] - qmean, qgroup[fit], z[stated], group[stated])
    with open(args.out, "wb") as f:
        for part in (qmean, wq, mean, match.coef_[0], match.intercept_, known.coef_[0], known.intercept_, group_judge.coef_[0], group_judge.intercept_):
            f.write(np.asarray(part, dtype="<f2").tobytes())
    print("wrote %s, %d bytes" % (args.out, os.path.getsize(args.out)))


centred = states.unit


def ask(command, qs):
    return states_run_raw([command], ["%s\t%s" % (q[3], q[2]) for q in qs])


def states_run_raw(command, lines):
    import subprocess
    out = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout
    return [json.loads(l) for l in out.splitlines()]


def logit(p):
    return np.log(p / (1 - p))


def overlap(a, b):
    a, b = sorted((a or [], b or []), key=len)
    return sum(w in b for w in a) / len(a) if a else 0.0


def group_signals(words, sure, statements, like, crowd, members):
    """As signals in answer/group.go: how each claim stands to the core of the group of the likeliest."""
    n, top = len(sure), members[0]
    named = set(words or [])
    for m in members:
        named.update(statements[m]["Words"] or [], statements[m]["Things"] or [])
    beyond = like - (crowd[:, None] + crowd[None, :]) / 2
    out = []
    for c in range(n):
        inside = [m for m in members if m != c]
        outside = [m for m in range(n) if m not in members and m != c]
        tie = max(inside, key=lambda m: beyond[c, m]) if inside else top
        away = max((beyond[c, m] for m in outside), default=-1.0)
        mean = np.mean([beyond[c, m] for m in inside]) if inside else beyond[c, top]
        a, b = statements[c], statements[tie]
        strange = bool(a["Things"]) and not named.intersection(a["Things"])
        out.append([sure[c], sure[top], like[c, tie], beyond[c, tie], beyond[c, tie] - max(away, -0.5), overlap(a["Words"], b["Words"]),
                    float(a["Type"] == b["Type"]), float(a["Changed"]) + float(b["Changed"]), float(sort_of(a["Type"]) != sort_of(b["Type"])),
                    mean, float(strange), float(strange and a["Unique"])])
    return np.array(out)


def sort_of(kind):
    return {"money": 1, "number": 2, "when": 2}.get(kind, 3)


CORE = 0.8  # as inCore in answer/group.go


def fit_group(match, scenes):
    """The judge of who is of one state with the likeliest claim, fitted in two rounds: first with that one alone as the core."""
    judge = None
    for _ in range(2):
        x, y = [], []
        for sig, statements, like, crowd, own, words in scenes:
            sure = np.clip(logit(np.clip(match.predict_proba(sig)[:, 1], 1e-4, 1 - 1e-4)), -6, 6)
            top = int(np.argmax(sure))
            if not own[top]:
                continue  # nothing is right then
            members = [top]
            if judge is not None:
                p = judge.predict_proba(group_signals(words, sure, statements, like, crowd, members))[:, 1]
                members += [int(c) for c in np.argsort(-p) if c != top and p[c] >= CORE]
            g = group_signals(words, sure, statements, like, crowd, members)
            for c in range(len(sure)):
                if c != top:
                    x.append(g[c]); y.append(int(own[c]))
        x, y = np.array(x), np.array(y)
        judge = LogisticRegression(C=10, max_iter=2000).fit(x, y)
    p = judge.predict_proba(x)[:, 1]
    for t in (0.1, 0.15, 0.3, 0.5, 0.7):
        print("group at %.2f: recall %.3f precision %.3f" % (t, (p[y == 1] >= t).mean(), y[p >= t].mean()))
    print("group weights", np.round(judge.coef_[0], 2), np.round(judge.intercept_, 2))
    return judge


def fitted_states(path):
    raw = np.fromfile(path, dtype="<f2").astype(np.float32)
    return raw[:FULL], raw[FULL:FULL * (1 + states.DIM)].reshape(FULL, states.DIM)


def simulate(rng, out, qs, asked, rows, read, likes, kin, stated, chat, px, py, ax, ay, hits, scenes):
    """Conversations of attributes that the map has not seen: some are told of twice, the others not at all. Asked are those that the encoder was not tuned on either."""
    by = collections.defaultdict(list)
    for i in stated:
        if rows[i][0] in out:
            by[rows[i][0]].append(i)
    mine = [i for i in range(len(qs)) if qs[i][0] in out and held_out(qs[i][0])]
    talk = [i for i in chat if read[i]["statements"]]
    for i in mine:
        a = qs[i][0]
        others = rng.sample(sorted(b for b in out if b != a), rng.randrange(10, 40))
        there = rng.random() < 0.7
        told = [j for b in others for j in rng.sample(by[b], min(2, len(by[b])))] + rng.sample(talk, min(60, len(talk)))
        own = rng.sample(by[a], min(len(by[a]), rng.choice((2, 2, 3)))) if there else []
        rank(rng, told, own, i, asked, read, likes, kin, px, py, ax, ay, hits, scenes)
    hard = random.Random(len(mine))
    for i in mine:
        scenes.append(neighbours(hard, i, qs[i][0], by, talk, asked, read, likes, kin))


NEAREST = 12


def neighbours(rng, i, a, by, talk, asked, read, likes, kin):
    """A scene for the judge of groups among the states that are most like the asked one, each told of at least twice."""
    near = sorted((b for b in by if b != a), key=lambda b: -likes(i, by[b])[0].mean())
    others = near[:NEAREST] + rng.sample(near[NEAREST:], min(10, len(near) - NEAREST))
    told = [j for b in others for j in rng.sample(by[b], min(rng.choice((2, 2, 3)), len(by[b])))] + rng.sample(talk, min(60, len(talk)))
    own = rng.sample(by[a], min(len(by[a]), rng.choice((2, 2, 3))))
    all = told + own
    like, direct = likes(i, all)
    zl, zd = standard(like, "variable"), standard(direct, "vector")
    said = [read[j]["statements"][-1] for j in all]
    sig = [signals(float(like[n]), float(zl[n]), float(direct[n]), float(zd[n]), asked[i], s["Words"], s["Type"]) for n, s in enumerate(said)]
    keep = np.argsort(-(zl + zd))[:40]
    return np.array(sig)[keep], [said[n] for n in keep], *kin([all[n] for n in keep]), keep >= len(told), asked[i]["words"]


def rank(rng, told, own, i, asked, read, likes, kin, px, py, ax, ay, hits, scenes):
    all = told + own
    like, direct = likes(i, all)
    zl, zd = standard(like, "variable"), standard(direct, "vector")
    hits["usual"].append([like[:len(told)].mean(), like[:len(told)].std(), direct[:len(told)].mean(), direct[:len(told)].std()])
    sig = []
    for n, j in enumerate(all):
        s = read[j]["statements"][-1]
        sig.append(signals(float(like[n]), float(zl[n]), float(direct[n]), float(zd[n]), asked[i], s["Words"], s["Type"]))
    both = zl + zd
    order = np.argsort(-both)
    ax.append(known_signals(sig, order)); ay.append(int(bool(own)))
    if own:
        keep = order[:40]
        scenes.append((np.array(sig)[keep], [read[all[n]]["statements"][-1] for n in keep], *kin([all[n] for n in keep]), keep >= len(told), asked[i]["words"]))
    hard = [n for n in order[:12] if n < len(told)] + rng.sample(range(len(told)), 4)
    for n in hard:
        px.append(sig[n]); py.append(0)
    for n in range(len(told), len(all)):
        px.append(sig[n]); py.append(1)
        hits["all"].append(int((both[:len(told)] > both[n]).sum()))


USUAL, USUAL_COUNT = {"variable": (0.0, 0.18), "vector": (0.0, 0.1)}, 20


def standard(x, kind):
    """As Spread.with and Standard in answer/match.go."""
    mean, dev = USUAL[kind]
    n = len(x) + USUAL_COUNT
    centre = (x.sum() + USUAL_COUNT * mean) / n
    square = ((x * x).sum() + USUAL_COUNT * (dev * dev + mean * mean)) / n
    return (x - centre) / max(np.sqrt(max(0, square - centre * centre)), 0.05)


def known_signals(sig, order):
    """As knownSignals in answer/match.go."""
    best, fourth = sig[order[0]], sig[order[min(3, len(order) - 1)]]
    gap = best[1] + best[3] - fourth[1] - fourth[3]
    return [best[0], best[1], best[2], best[3], gap, max(sig[n][4] for n in order[:3]), best[6]]


if __name__ == "__main__":
    main()
