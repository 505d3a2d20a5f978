#!/usr/bin/env python3
"""Trains the pointer: the embedded encoder, tuned to point at the words that answer.

  train.py pack  --tokenizer T.json --out PACK.npz CONVERSATIONS.jsonl… ATTRIBUTES.jsonl CHAT.jsonl
  train.py train --model model/assets/e5-small-v2.dbm --pack PACK.npz --out WAY.npz [--epochs 12] [--seed 1]
  train.py check --model model/assets/e5-small-v2.dbm --pack PACK.npz WAY.npz…     figures on what was held out
  train.py write --model model/assets/e5-small-v2.dbm --out model/assets/points.dbm WAY.npz…   the mean of the ways

The pointer reads a question and a passage in one sequence. Its weights are those of
the encoder, as the binary has them; what is trained is a factor and a shift of every
output of a product, the norms, the embedding of the second text, and a head of three
labels: the answer begins with this token, ends with it, and, at the class token, the
passage answers. That is 0.1 million numbers, half of one percent of the network.

One step looks at questions, each with passages that answer it and some of the same
conversation that do not. Where the answer begins competes with all tokens of all of
these passages, where it ends with those of its passage. Questions that nobody answered,
and questions that ask one speaker for what the other said, teach what no passage tells.

One conversation and one attribute in five are held out, by a hash of the name. No
evaluation data is read. docs/decisions/0023.

pack needs numpy and tokenizers, train and check numpy and torch, write numpy.
"""
import argparse
import collections
import hashlib
import json
import random
import re
import struct
import time
import zlib

import numpy as np

HELD = 5                              # one in so many is held out
QUESTION, PASSAGE = 60, 190           # most tokens that are read
NEGATIVES = 10                        # passages kept of a question that do not answer it
STATES = 6                            # questions made of each attribute
SWAPPED = 0.35                        # of the questions are asked about the other speaker, too
SHARES = 0.6                          # of an answer's words (F1) a stretch must have to be taken for it
PRODUCTS = ("qkv", "output", "up", "down")
NORMS = ("attention_norm", "output_norm")


def held_out(name):
    return zlib.crc32(name.encode()) % HELD == 0


# ---- pack ---------------------------------------------------------------------------------------------------------

class Texts:
    """Texts as token ids, each once."""

    def __init__(self, path):
        from tokenizers import Tokenizer
        self.tokenizer = Tokenizer.from_file(path)
        self.tokenizer.no_padding(), self.tokenizer.no_truncation()
        self.number, self.ids, self.places = {}, [], []

    def add(self, text):
        if text not in self.number:
            self.number[text] = len(self.ids)
            e = self.tokenizer.encode(text, add_special_tokens=False)
            self.ids.append(e.ids), self.places.append(e.offsets)
        return self.number[text]

    def span(self, n, start, end):
        """The first and the last token of the characters from start to end of text n."""
        touched = [k for k, (a, b) in enumerate(self.places[n]) if b > start and a < end]
        return touched[0], touched[-1]


def words(text):
    return [w for w in re.sub(r"[^a-z0-9 ]", " ", text.lower().replace("'", "")).split() if w not in ("a", "an", "the")]


def f1(a, b):
    a, b = words(a), words(b)
    n = sum((collections.Counter(a) & collections.Counter(b)).values())
    return 2 * n / (len(a) + len(b)) if n else 0


def best_stretch(text, answer):
    """The stretch of a text that shares most with an answer, and how much."""
    at, best = [m.span() for m in re.finditer(r"[\w'’\-$£€%.]*\w", text)], (0, 0, 0)
    for i in range(len(at)):
        for j in range(i, min(i + 16, len(at))):
            best = max(best, (f1(text[at[i][0]:at[j][1]], answer), -at[i][0], at[j][1]))
    return best[0], -best[1], best[2]


def said(turn):
    return turn["speaker"] + ": " + turn["text"]


class Conversation:
    """The questions of one conversation."""

    def __init__(self, texts, c, rng):
        self.texts, self.c, self.rng, self.turns = texts, c, rng, c["turns"]
        self.frequent = collections.Counter(w for t in self.turns for w in self.stems(said(t)))

    @staticmethod
    def stems(text):
        return {w[:5] for w in words(text) if len(w) > 2}

    def examples(self):
        for q in self.c["questions"]:
            spans = [s for e in q["evidence"] if e < len(self.turns) for s in self.span(e, q)]
            if q["answer"] and not spans:
                continue  # told in other words
            yield self.example(q["q"], spans, self.others(q["q"], set(q["evidence"])))
            swapped = self.swapped(q["q"])
            if spans and swapped and self.rng.random() < SWAPPED:
                yield self.example(swapped, [], [spans[0][0]] + self.others(q["q"], set(q["evidence"]))[:6])

    def example(self, question, spans, others):
        return {"q": self.texts.add(question), "spans": spans, "others": others, "held": held_out(self.c["id"])}

    def span(self, evidence, q):
        """What of a turn answers a question, or is one of several that do."""
        turn = self.turns[evidence]
        parts = [q["answer"]] + (re.split(r",| and |;", q["answer"]) if len(q["evidence"]) > 1 else [])
        share, start, end = max(best_stretch(turn["text"], p) for p in parts)
        if share >= SHARES:
            n, lead = self.texts.add(said(turn)), len(turn["speaker"]) + 2
            yield (n, *self.texts.span(n, lead + start, lead + end))

    def others(self, question, evidence):
        """The turns that share most words with a question and are no evidence."""
        asked, scored = self.stems(question), []
        for i, t in enumerate(self.turns):
            if i not in evidence:
                near = any(abs(i - e) == 1 for e in evidence)
                scored.append((sum(self.frequent[w] ** -0.5 for w in asked & self.stems(said(t))) + 0.15 * near + 0.05 * self.rng.random(), i))
        return [self.texts.add(said(self.turns[i])) for _, i in sorted(scored, reverse=True)[:NEGATIVES]]

    def swapped(self, question):
        """The question about the other one of two speakers, where it names one of them."""
        names = list(dict.fromkeys(t["speaker"] for t in self.turns))
        if len(names) != 2 or sum(n in question for n in names) != 1:
            return None
        asked, other = names if names[0] in question else names[::-1]
        return question.replace(asked, other)


def of_attribute(texts, a, attributes, chat, names, rng):
    """Questions about a state, with a statement that tells it amid others that do not."""
    for _ in range(STATES):
        name, kind = rng.choice(names), rng.choice(("q_current", "q_current", "q_past"))
        sources = ("state", "update", "paraphrase", "reason") if kind == "q_current" else ("past", "state", "paraphrase")
        told = [s for s in a.get(rng.choice(sources), []) if s.count("{v}") == 1]
        if not told or not a.get(kind):
            continue
        value, told = rng.choice(a["values"]), rng.choice(told)
        before = name + ": " + (rng.choice(chat) + " " if rng.random() < 0.3 else "")
        after = " " + rng.choice(chat) if rng.random() < 0.3 else ""
        n, start = texts.add(before + told.replace("{v}", value) + after), len(before) + told.index("{v}")
        others = [rng.choice(b["state"]).replace("{v}", rng.choice(b["values"])) for b in rng.sample(attributes, 5)]
        others += [rng.choice(a[k]).replace("{v}", rng.choice(a["values"])) for k in ("third", "hyp", "topic", "rumor") if a.get(k)]
        rng.shuffle(others)
        yield {"q": texts.add(rng.choice(a[kind]).replace("{name}", name)), "spans": [(n, *texts.span(n, start, start + len(value)))],
               "others": [texts.add(name + ": " + o) for o in others[:8]], "held": held_out(a["attribute"])}


def pack(args):
    texts, rng, rows = Texts(args.tokenizer), random.Random(5), []
    for path in args.files:
        rows += [json.loads(line) for line in open(path, encoding="utf-8")]
    conversations, attributes = [r for r in rows if "turns" in r], [r for r in rows if "attribute" in r]
    chat = [r["text"] for r in rows if "text" in r]
    names = sorted({t["speaker"] for c in conversations for t in c["turns"]} - {"user", "assistant"})
    talk = [e for c in conversations for e in Conversation(texts, c, rng).examples()]
    states = [e for a in attributes for e in of_attribute(texts, a, attributes, chat, names, rng)]
    index = {"examples": {"talk": talk, "states": states}, "marks": [texts.tokenizer.token_to_id(t) for t in ("[CLS]", "[SEP]")]}
    np.savez_compressed(args.out, flat=np.array([i for t in texts.ids for i in t], np.int32), ends=np.cumsum([len(t) for t in texts.ids]),
                        index=np.frombuffer(json.dumps(index).encode(), np.uint8))
    for kind, all in index["examples"].items():
        print("%s: %d questions, %d that nothing answers, %d held out" % (kind, len(all), sum(not e["spans"] for e in all), sum(e["held"] for e in all)))


class Pack:
    def __init__(self, path):
        z = np.load(path)
        self.texts = np.split(z["flat"].astype(np.int64), z["ends"][:-1])
        index = json.loads(z["index"].tobytes())
        self.examples, (self.first, self.separator) = index["examples"], index["marks"]

    def row(self, question, passage):
        """The tokens of both, and where the passage begins."""
        a, b = self.texts[question][:QUESTION], self.texts[passage][:PASSAGE]
        return np.concatenate([[self.first], a, [self.separator], b, [self.separator]]), len(a) + 2

    def batch(self, pairs):
        """ids, which are there, which are of the second text, which may be of an answer; and where passages begin."""
        rows = [self.row(q, p) for q, p in pairs]
        shape = len(rows), (max(len(r) for r, _ in rows) + 7) // 8 * 8
        ids, there, second, may = np.zeros(shape, np.int64), np.zeros(shape, bool), np.zeros(shape, np.float32), np.zeros(shape, bool)
        for i, (r, begin) in enumerate(rows):
            ids[i, :len(r)], there[i, :len(r)], second[i, begin:len(r)], may[i, begin:len(r) - 1] = r, True, 1, True
        return (ids, there, second, may), np.array([b for _, b in rows])


# ---- the network ------------------------------------------------------------------------------------------------------

def read_file(path):
    """The header of a model file, and its sections by name."""
    data = open(path, "rb").read()
    length = struct.unpack("<I", data[12:16])[0]
    header, base = json.loads(data[16:16 + length]), (16 + length + 63) // 64 * 64
    return header, {k: data[base + p["offset"]:base + p["offset"] + p["length"]] for k, p in header["sections"].items()}


def read_network(path):
    """The tensors of a model file as numbers, and its shape."""
    header, raw = read_file(path)
    c, floats = header["config"], lambda name: np.frombuffer(raw[name], "<f4").copy()
    three = np.frombuffer(raw["word"], np.uint8).reshape(c["vocabulary"], -1, 3).astype(np.uint32)
    four = three[:, :, 0] | three[:, :, 1] << 8 | three[:, :, 2] << 16
    six = np.stack([four >> 6 * j & 63 for j in range(4)], 2).reshape(c["vocabulary"], -1)[:, :c["hidden"]].astype(np.float32) - 32
    t = {"word": six * floats("word.scale")[:, None], "position": floats("position").reshape(-1, c["hidden"]),
         "second": floats("type").reshape(-1, c["hidden"])[1], "norm.gamma": floats("norm.gamma"), "norm.beta": floats("norm.beta")}
    for i in range(c["layers"]):
        for k, (n_in, n_out) in zip(PRODUCTS, sizes(c)):
            name = "layer%d.%s" % (i, k)
            panels = np.frombuffer(raw[name + ".data"], np.int8).reshape(n_out // 32, n_in // 4, 32, 4)
            t[name + ".weight"] = panels.transpose(0, 2, 1, 3).reshape(n_out, n_in) * floats(name + ".scale")[:, None]
            t[name + ".bias"], t[name + ".factor"] = floats(name + ".bias"), np.ones(n_out, np.float32)
        for k in NORMS:
            for part in ("gamma", "beta"):
                name = "layer%d.%s.%s" % (i, k, part)
                t[name] = floats(name)
    return t, c


def sizes(c):
    h, f = c["hidden"], c["ffn"]
    return (h, 3 * h), (h, h), (h, f), (f, h)


class Network:
    def __init__(self, path, way=None):
        import torch
        self.torch, self.device = torch, "cuda" if torch.cuda.is_available() else "cpu"
        tensors, self.c = read_network(path)
        h, draw = self.c["hidden"], torch.Generator().manual_seed(1)
        self.t = {k: torch.tensor(v, device=self.device) for k, v in tensors.items()}
        self.t["head.weight"] = (torch.randn(3, h, generator=draw) * 0.02).to(self.device)
        self.t["head.bias"] = torch.zeros(3, device=self.device)
        for k, v in (way or {}).items():
            self.t[k] = torch.tensor(v, dtype=torch.float32, device=self.device)
        self.tuned = [k for k in self.t if k == "second" or k.startswith("head") or k.startswith("layer") and not k.endswith("weight")]

    def product(self, x, name):
        t = self.t
        return self.torch.nn.functional.linear(x, t[name + ".weight"]) * t[name + ".factor"] + t[name + ".bias"]

    def logits(self, batch, drop=0.0):
        """The three logits of every token; those of tokens that cannot be of an answer are very low."""
        torch, F, t = self.torch, self.torch.nn.functional, self.t
        ids, there, second, may = (torch.from_numpy(x).to(self.device) for x in batch)
        (b, n), h, heads = ids.shape, self.c["hidden"], self.c["heads"]
        norm = lambda x, name: F.layer_norm(x, (h,), t[name + ".gamma"], t[name + ".beta"], self.c["epsilon"])
        off = lambda x: F.dropout(x, drop) if drop else x
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.device == "cuda"):
            x = off(norm(F.embedding(ids, t["word"]) + t["position"][:n] + second[:, :, None] * t["second"], "norm"))
            unseen = torch.zeros(b, 1, 1, n, device=self.device).masked_fill(~there[:, None, None, :], -1e4)
            for i in range(self.c["layers"]):
                p = "layer%d." % i
                q, k, v = self.product(x, p + "qkv").view(b, n, 3, heads, h // heads).permute(2, 0, 3, 1, 4)
                a = (q @ k.transpose(2, 3) + unseen).float().softmax(3).to(v.dtype) @ v  # 1/√d is in the queries
                x = norm(x + off(self.product(a.transpose(1, 2).reshape(b, n, h), p + "output")), p + "attention_norm")
                x = norm(x + off(self.product(F.gelu(self.product(x, p + "up")), p + "down")), p + "output_norm")
        y = F.linear(x.float(), t["head.weight"], t["head.bias"])
        first, last = (y[:, :, k].masked_fill(~may, -1e4) for k in (0, 1))
        return first, last, y[:, 0, 2]


# ---- training ---------------------------------------------------------------------------------------------------------

def drawn(some, negatives, rng):
    """Pairs of a question and a passage, groups of them by question, and where their spans are."""
    pairs, groups, spans = [], [], []
    for e in some:
        right = e["spans"] if len(e["spans"]) <= 2 else rng.sample(e["spans"], 2)
        wrong = rng.sample(e["others"], min(len(e["others"]), negatives))
        for k, (_, first, last) in enumerate(right):
            if last < PASSAGE:
                spans.append((len(groups), len(pairs) + k, first, last))
        groups.append(range(len(pairs), len(pairs) + len(right) + len(wrong)))
        pairs += [(e["q"], s[0]) for s in right] + [(e["q"], p) for p in wrong]
    return pairs, groups, np.array(spans)


def cost(net, pack, some, negatives, rng, drop):
    torch, F = net.torch, net.torch.nn.functional
    pairs, groups, spans = drawn(some, negatives, rng)
    batch, begin = pack.batch(pairs)
    first, last, answers = net.logits(batch, drop)
    rows = np.full((len(groups), max(len(g) for g in groups)), len(pairs))
    right = np.zeros(len(pairs), np.float32)
    for i, g in enumerate(groups):
        rows[i, :len(g)] = g
    right[spans[:, 1]] = 1
    put = lambda x: torch.from_numpy(np.ascontiguousarray(x)).to(net.device)
    group, row, start, end = (put(x) for x in (spans[:, 0], spans[:, 1], begin[spans[:, 1]] + spans[:, 2], begin[spans[:, 1]] + spans[:, 3]))
    first = first + answers[:, None]
    of_row = torch.cat([first.logsumexp(1), torch.full((1,), -1e4, device=net.device)])
    begins = first[row, start] - of_row[put(rows)].logsumexp(1)[group]
    ends = last[row, end] - last[row].logsumexp(1)
    return -(begins.mean() + ends.mean()) + 2 * F.binary_cross_entropy_with_logits(answers, put(right))


def train(args):
    pack, net, rng = Pack(args.pack), Network(args.model), random.Random(args.seed)
    torch = net.torch
    torch.manual_seed(args.seed)
    tuned = [net.t[k].requires_grad_(True) for k in net.tuned]
    optimiser = torch.optim.AdamW(tuned, lr=args.rate, weight_decay=0.01)
    all = [e for kind in pack.examples.values() for e in kind if not e["held"]]
    steps = args.epochs * (len(all) // args.batch)
    slope = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda i: min(1, (i + 1) / (0.06 * steps)) * max(0.02, 1 - i / steps))
    for epoch in range(args.epochs):
        began, total = time.time(), 0
        rng.shuffle(all)
        for at in range(0, len(all) - args.batch + 1, args.batch):
            loss = cost(net, pack, all[at:at + args.batch], args.negatives, rng, 0.1)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(tuned, 1)
            optimiser.step(), slope.step()
            total = total + loss.detach()
        print("epoch %d: cost %.3f, %.0f s" % (epoch, float(total) / (len(all) // args.batch), time.time() - began), flush=True)
    np.savez(args.out, **{k: net.t[k].detach().float().cpu().numpy() for k in net.tuned})


def mean_way(paths):
    ways = [np.load(p) for p in paths]
    return {k: np.mean([w[k] for w in ways], 0) for k in ways[0].files}


def check(args):
    """How often the passage and the words are right among what was held out."""
    pack, net = Pack(args.pack), Network(args.model, mean_way(args.ways))
    for kind, all in pack.examples.items():
        found = collections.defaultdict(list)
        for e in (e for e in all if e["held"]):
            passages = list(dict.fromkeys([s[0] for s in e["spans"]] + e["others"][:5]))
            batch, begin = pack.batch([(e["q"], p) for p in passages])
            with net.torch.no_grad():
                first, last, answers = (x.float().cpu().numpy() for x in net.logits(batch))
            if not e["spans"]:
                found["nobody answers: none is taken for an answer"].append(answers.max() < 0)
                continue
            both = (first + answers[:, None])[:, :, None] + np.where(np.tri(first.shape[1], k=-1).T + np.eye(first.shape[1]) > 0, last[:, None, :], -1e4)
            row, start, end = np.unravel_index(both.argmax(), both.shape)
            got = (passages[row], start - begin[row], end - begin[row])
            found["passage"].append(any(got[0] == s[0] for s in e["spans"]))
            found["tokens (F1)"].append(max(overlap(got, s) for s in e["spans"]))
            found["answered: some is taken for an answer"].append(answers.max() >= 0)
        print(kind + ": " + ", ".join("%s %.3f (%d)" % (k, np.mean(v), len(v)) for k, v in found.items()))


def overlap(a, b):
    n = min(a[2], b[2]) - max(a[1], b[1]) + 1
    return 2 * n / (a[2] - a[1] + b[2] - b[1] + 2) if a[0] == b[0] and n > 0 else 0


# ---- the model file -----------------------------------------------------------------------------------------------------

def write(args):
    way, (header, _) = mean_way(args.ways), read_file(args.model)
    c = dict(header["config"])
    c.update(name=c["name"] + "-points", pooling="none", tuned_from=header["digest"], head={"dense": False, "per_token": True, "labels": ["first", "last", "answers"]},
             origin="tuned from %s by tools/points on questions of Daybook's own" % c["name"])
    body, sections = b"", {}
    for k in sorted(way):
        x = way[k].astype("<f4" if k.startswith("head") else "<f2").tobytes()
        body += bytes(-len(body) % 64)
        sections[k] = {"offset": len(body), "length": len(x)}
        body += x
    head = json.dumps({"config": c, "digest": hashlib.sha256(body).hexdigest(), "sections": sections}).encode()
    out = b"DAYBOOKM" + struct.pack("<II", 2, len(head)) + head
    out += bytes(-len(out) % 64) + body
    open(args.out, "wb").write(out + hashlib.sha256(out).digest())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, do, options in (("pack", pack, ("tokenizer", "out")), ("train", train, ("model", "pack", "out")), ("check", check, ("model", "pack")), ("write", write, ("model", "out"))):
        command = commands.add_parser(name)
        command.set_defaults(do=do)
        for o in options:
            command.add_argument("--" + o, required=True)
        if do is pack:
            command.add_argument("files", nargs="+")
        elif do is train:
            for o, kind, value in (("epochs", int, 12), ("seed", int, 1), ("batch", int, 32), ("negatives", int, 4), ("rate", float, 2e-3)):
                command.add_argument("--" + o, type=kind, default=value)
        else:
            command.add_argument("ways", nargs="+")
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
