#!/usr/bin/env python3
"""Trains the reader: one network that reads statements, pairs of statements, questions and answers.

  train.py --base BASE.npz --pack PACK.json.gz --out FOLDER [--layers N] [--epochs 6] [--seed 1] [--limit CHATS]

It learns on all chats that are not held out and prints figures on those that are, in float and with int8 weights.
See docs/reader.md for what each head reads.
"""
import argparse
import collections
import contextlib
import gzip
import json
import math
import multiprocessing
import os
import random
import time

import numpy as np

CLS, SEP, OPEN, CLOSE, CANDIDATE, NAME = 101, 102, 1, 2, 3, 4  # the last four are words that the vocabulary leaves unused
STANCES, KINDS, FORMS = 10, 11, 12
VECTOR = 256
CANDIDATES = 5
CHOICES = 6
STATE_KINDS = (0, 1, 2, 9)  # current, historical, asof, contested: they ask for the value of a state
LETS = {"known": 40, "context": 70, "message": 128, "pair": 48, "candidate": 34, "before pair": 24, "row": 110, "around": 40, "asked": 32}


# ---- what the network reads ---------------------------------------------------------------------------------------

class Pack:
    def __init__(self, path, limit=0):
        data = json.load(gzip.open(path, "rt"))
        self.strings, self.texts, self.chats = data["strings"], data["texts"], data["chats"]
        train = [i for i, c in enumerate(self.chats) if c["held"] == 0]
        self.train = train[:limit] if limit else train
        self.tidy = [i for i, c in enumerate(self.chats) if c["held"] == 4]
        self.talks = [i for i, c in enumerate(self.chats) if c["held"] == 3]
        self.held = [i for i, c in enumerate(self.chats) if c["held"] == 1]
        self.dev = [i for i, c in enumerate(self.chats) if c["held"] == 2]


def said(p, chat, i, most):
    m = chat["msgs"][i]
    return p.strings[chat["speakers"][m[1]]][:6] + [1024] + m[3][:most]  # 1024 is ":"


def before(p, chat, i, count, most):
    """The messages before one, in its sitting, nearest last; and where each begins."""
    ids, lengths = [], {}
    for back in range(1, count + 1):
        j = i - back
        if j < 0 or chat["msgs"][j][0] != chat["msgs"][i][0]:
            break
        part = said(p, chat, j, 60) + [SEP]
        if len(ids) + len(part) > most:
            break
        ids = part + ids
        lengths[back] = len(ids)
    return ids, {back: len(ids) - n for back, n in lengths.items()}


def known_names(p, chat, i):
    """Whom a reader knows by now: who takes part, and whom or what statements were about, latest first."""
    names = list(chat["speakers"])
    for c in reversed([c for c in chat["claims"] if c[0] < i]):
        if c[4] not in names:
            names.append(c[4])
    return names[:14]


def statement_input(p, chat, i):
    """Names known, messages before, the message. Returns ids, types, where the message begins, places of names."""
    ids, names = [CLS], {}
    for n in known_names(p, chat, i):
        part = [NAME] + p.strings[n][:6]
        if len(ids) + len(part) > LETS["known"]:
            break
        names.setdefault(n, (len(ids) + 1, len(ids) + len(part) - 1))
        ids += part
    ids.append(SEP)
    context, places = before(p, chat, i, 4, LETS["context"])
    shift = len(ids)
    ids += context
    m = chat["msgs"][i]
    head = p.strings[m[2]] + p.strings[chat["speakers"][m[1]]][:6] + [1024]
    at = len(ids)
    ids = ids + head + m[3][:LETS["message"]] + [SEP]
    speaker = (at + len(p.strings[m[2]]), at + len(head) - 2)
    return ids, [0] * at + [1] * (len(ids) - at), at + len(head), names, speaker, {b: shift + s for b, s in places.items()}


def holder_places(p, chat, c, begin, names, speaker, places, length):
    out = []
    if c[4] in names:
        out.append(names[c[4]])
    for back, s, e in c[10]:
        if back == -1:
            out.append(speaker)
        elif back == 0:
            out.append((begin + s, begin + e))
        elif back in places:
            lead = len(p.strings[chat["speakers"][chat["msgs"][c[0] - back][1]]][:6]) + 1
            if s < 60 and e < 60:
                out.append((places[back] + lead + s, places[back] + lead + e))
    return [(s, e) for s, e in out if e < length] or [(0, 0)]


def build_statements(p, numbers):
    """Everything of a few chats: messages, their claims, questions, names of what claims are about."""
    rows, types, tags, begins, spans, claims, questions, abouts = [], [], [], [], [], [], [], []
    for n in numbers:
        chat = p.chats[n]
        by = collections.defaultdict(list)
        for k, c in enumerate(chat["claims"]):
            by[c[0]].append((k, c))
        for i in chat.get("read", range(len(chat["msgs"]))):
            ids, tt, begin, names, speaker, places = statement_input(p, chat, i)
            tag = [-100] * len(ids)
            beg = [-100] * len(ids)
            for j in range(begin, len(ids) - 1):
                tag[j] = beg[j] = 0
            for k, c in by[i]:
                for j in range(c[1], c[2] + 1):
                    tag[begin + j] = 1
                beg[begin + c[1]] = 1
                held = holder_places(p, chat, c, begin, names, speaker, places, len(ids))
                spans.append((len(rows), begin + c[1], begin + c[2], c[3], held))
                claims.append((n, c[6], c[5], k))
            rows.append(ids), types.append(tt), tags.append(tag), begins.append(beg)
        for q in chat["questions"]:
            questions.append(([CLS] + q[0] + [SEP], q[1], q[2], (n, q[3]) if q[3] >= 0 else None))
        abouts += [c[5] for c in chat["claims"]]
    about = sorted(set(abouts))
    return {"rows": rows, "types": types, "tags": tags, "begins": begins, "spans": spans, "claims": claims, "questions": questions,
            "about": about, "about_rows": [[CLS] + p.strings[a] + [SEP] for a in about]}


def marked(p, chat, c, most, dated=True):
    """A claim's message with its value between marks, cut around it."""
    m = chat["msgs"][c[0]]
    ids = m[3]
    room = most - 14
    start = max(0, min(c[1] - room // 2, len(ids) - room))
    end = min(len(ids), start + room)
    s, e = max(c[1], start), min(c[2], end - 1)
    text = ids[start:s] + [OPEN] + ids[s:e + 1][:12] + [CLOSE] + ids[e + 1:end]
    return p.strings[m[2]] + p.strings[chat["speakers"][m[1]]][:4] + [1024] + text


def pair_label(chat, a, b):
    """What claim b does to the earlier claim a: 0 another state, 1 repeats it, 2 ends it, 3 of its state in another way."""
    x, y = chat["claims"][a], chat["claims"][b]
    if x[6] != y[6]:
        return 0
    if a in y[8]:
        return 2
    return 1 if a in y[9] or x[7] == y[7] else 3


def build_pairs(p, items):
    """A claim and its candidates in one sequence: (chat, claim, candidates)."""
    rows, types, places, labels = [], [], [], []
    for n, b, candidates in items:
        chat = p.chats[n]
        y = chat["claims"][b]
        context, _ = before(p, chat, y[0], 1, LETS["before pair"])
        ids = [CLS] + context + marked(p, chat, y, LETS["pair"]) + [SEP]
        tt = [0] * len(ids)
        at, lab = [], []
        for a in candidates:
            part = [CANDIDATE] + marked(p, chat, chat["claims"][a], LETS["candidate"]) + [SEP]
            at.append(len(ids))
            lab.append(pair_label(chat, a, b))
            ids += part
            tt += [1] * len(part)
        rows.append(ids), types.append(tt), places.append(at), labels.append(lab)
    return {"rows": rows, "types": types, "places": places, "labels": labels}


def answer_row(p, chat, q, i):
    context, _ = before(p, chat, i, 2, LETS["around"])
    m = chat["msgs"][i]
    head = p.strings[m[2]] + p.strings[chat["speakers"][m[1]]][:6] + [1024]
    ids = [CLS] + q[0] + [SEP]
    at = len(ids)
    ids = ids + context + head
    begin = len(ids)
    ids = ids + m[3][:LETS["row"]] + [SEP]
    return ids, [0] * at + [1] * (len(ids) - at), begin


def state_claim(chat, q, i):
    """The last claim of the asked state in a message, if there is one."""
    mine = [c for c in chat["claims"] if c[0] == i and c[6] == q[3]] if q[3] >= 0 else []
    return mine[-1] if mine else None


def answer_label(chat, q, i):
    """2 the message answers, or gives some value of the state whose value is asked for; 1 it speaks of the state; 0 neither."""
    if i in q[4]:
        return 2
    if state_claim(chat, q, i) is None:
        return 0
    return 2 if q[1] in STATE_KINDS else 1


def answer_span(chat, q, i):
    """The tokens of a message that answer, or give a value of the asked state."""
    if q[4] and i == q[4][0] and q[5][0] >= 0:
        return q[5]
    c = state_claim(chat, q, i) if q[1] in STATE_KINDS else None
    return [c[1], c[2]] if c else [-1, -1]


def build_answers(p, items):
    rows, types, labels, starts, ends, yes, stances, begins = [], [], [], [], [], [], [], []
    for n, k, messages in items:
        chat = p.chats[n]
        q = chat["questions"][k]
        for i in messages:
            ids, tt, begin = answer_row(p, chat, q, i)
            rows.append(ids), types.append(tt), begins.append(begin)
            labels.append(answer_label(chat, q, i))
            s, e = answer_span(chat, q, i)
            here = s >= 0 and begin + e < len(ids) - 1
            starts.append(begin + s if here else -100)
            ends.append(begin + e if here else -100)
            yes.append(q[6] if q[6] >= 0 and q[4] and i == q[4][0] and q[2] == 1 else -100)
            c = state_claim(chat, q, i)
            stances.append(c[3] if here and c else -100)
    return {"rows": rows, "types": types, "labels": labels, "starts": starts, "ends": ends, "yes": yes, "stances": stances, "begin": begins}


def choice_label(chat, q, i):
    """2 this candidate is the answer, 1 it gives another value of the asked state or speaks of it, 0 neither."""
    if i in q[4]:
        return 2
    c = state_claim(chat, q, i)
    if c is None:
        return 0
    gold = state_claim(chat, q, q[4][0]) if q[4] else None
    again = q[1] in STATE_KINDS and gold is not None and gold[7] == c[7] and c[3] in (0, 1, 9)
    return 2 if again else 1


def build_choices(p, items):
    """A question and candidates for its answer in one sequence, oldest first: (chat, question, [(message, first, last)])."""
    rows, types, places, labels = [], [], [], []
    for n, k, candidates in items:
        chat = p.chats[n]
        q = chat["questions"][k]
        ids = [CLS] + q[0][:LETS["asked"]] + [SEP]
        tt, at, lab = [0] * len(ids), [], []
        for i, s, e in sorted(candidates):
            part = [CANDIDATE] + marked(p, chat, (i, s, e), LETS["candidate"]) + [SEP]
            at.append(len(ids))
            lab.append(choice_label(chat, q, i))
            ids += part
            tt += [1] * len(part)
        rows.append(ids), types.append(tt), places.append(at), labels.append(lab)
    return {"rows": rows, "types": types, "places": places, "labels": labels}


def padded(rows, fill=0):
    width = -(-max(map(len, rows)) // 32) * 32  # few shapes, as each new one costs time
    out = np.full((len(rows), width), fill, np.int64)
    for i, r in enumerate(rows):
        out[i, :len(r)] = r
    return out


PACK = None


def build(job):
    task, items = job
    b = {"statements": build_statements, "pairs": build_pairs, "answers": build_answers, "choices": build_choices}[task](PACK, items)
    b["task"] = task
    b["lengths"] = np.array([len(r) for r in b["rows"]])
    b["ids"], b["type_ids"] = padded(b.pop("rows")), padded(b.pop("types"))
    if task == "statements":
        b["tags"], b["begins"] = padded(b["tags"], -100), padded(b["begins"], -100)
        for name in ("about_rows",):
            b[name + "_n"] = np.array([len(r) for r in b[name]])
            b[name] = padded(b[name])
        q = [x[0] for x in b["questions"]] or [[CLS, SEP]]
        b["question_n"], b["question_rows"] = np.array([len(r) for r in q]), padded(q)
    return b


# ---- the network --------------------------------------------------------------------------------------------------

def make_network(base, layers, torch):
    nn, F = torch.nn, torch.nn.functional

    class Layer(nn.Module):
        def __init__(s, hidden, heads, inner):
            super().__init__()
            s.heads = heads
            s.qkv, s.output = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
            s.up, s.down = nn.Linear(hidden, inner), nn.Linear(inner, hidden)
            s.attention_norm, s.output_norm = nn.LayerNorm(hidden, 1e-12), nn.LayerNorm(hidden, 1e-12)
            s.drop = nn.Dropout(0.1)

        def forward(s, x, mask):
            n, t, h = x.shape
            q, k, v = s.qkv(x).view(n, t, 3, s.heads, h // s.heads).permute(2, 0, 3, 1, 4)
            a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=0.1 if s.training else 0.0)
            x = s.attention_norm(x + s.drop(s.output(a.transpose(1, 2).reshape(n, t, h))))
            return s.output_norm(x + s.drop(s.down(F.gelu(s.up(x)))))

    class Reader(nn.Module):
        def __init__(s):
            super().__init__()
            get = lambda k: torch.tensor(base[k].astype(np.float32) * base[k + ".scale"][:, None] if k + ".scale" in base else base[k])
            word = get("embeddings.word_embeddings.weight")
            hidden = word.shape[1]
            s.word = nn.Embedding.from_pretrained(word, freeze=True)
            s.position = nn.Parameter(get("embeddings.position_embeddings.weight"))
            s.segment = nn.Parameter(get("embeddings.token_type_embeddings.weight"))
            s.norm = nn.LayerNorm(hidden, 1e-12)
            s.norm.weight.data, s.norm.bias.data = get("embeddings.LayerNorm.weight"), get("embeddings.LayerNorm.bias")
            s.layers = nn.ModuleList()
            for i in layers:
                at = "encoder.layer.%d." % i
                l = Layer(hidden, 12, base[at + "intermediate.dense.weight"].shape[0])
                for part in ("weight", "bias"):
                    getattr(l.qkv, part).data = torch.cat([get(at + "attention.self.%s.%s" % (w, part)) for w in ("query", "key", "value")])
                    for ours, theirs in (("output", "attention.output.dense"), ("up", "intermediate.dense"), ("down", "output.dense"),
                                         ("attention_norm", "attention.output.LayerNorm"), ("output_norm", "output.LayerNorm")):
                        getattr(getattr(l, ours), part).data = get(at + theirs + "." + part)
                s.layers.append(l)
            s.drop = nn.Dropout(0.1)
            head = lambda n, m=1: nn.Linear(m * hidden, n)
            s.tag, s.stance, s.vector = head(2), head(STANCES, 3), head(VECTOR, 3)
            s.holder_query, s.holder_key = head(2 * 64, 3), head(2 * 64)
            s.kind, s.form, s.question_vector, s.about_vector = head(KINDS, 2), head(FORMS, 2), head(VECTOR, 2), head(VECTOR, 2)
            s.pair, s.answer, s.points, s.yes = head(4, 2), head(3), head(2), head(2)
            s.answer_stance, s.choice = head(STANCES, 3), head(3, 2)
            s.temperature = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

        def forward(s, ids, types, lengths):
            mask = torch.arange(ids.shape[1], device=ids.device)[None] < lengths[:, None]
            if s.training:  # some words are hidden, so that it does not learn chats by heart
                ids = torch.where((torch.rand(ids.shape, device=ids.device) < 0.04) & (ids > 1100), 103, ids)
            second = types[..., None] * (s.segment[1] - s.segment[0])  # looking rows up would be slow to differentiate
            x = s.drop(s.norm(s.word(ids) + s.position[:ids.shape[1]] + s.segment[0] + second))
            m = mask[:, None, None, :]
            for l in s.layers:
                x = l(x, m)
            return x, mask

        def span(s, x, rows, starts, ends):
            return torch.cat([x[rows, starts], x[rows, ends], x[rows, 0]], -1)

        def pooled(s, x, mask):
            mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            return torch.cat([x[:, 0], mean], -1)

        def unit(s, v):
            return F.normalize(v.float(), dim=-1)

        def holders(s, x, mask, rows, starts, ends):
            """Scores of every token as the first and the last of the holder's name, for each span."""
            q = s.holder_query(s.span(x, rows, starts, ends)).view(-1, 2, 64)
            k = s.holder_key(x).view(x.shape[0], x.shape[1], 2, 64)[rows]
            scores = torch.einsum("nce,ntce->nct", q, k).float() / 8
            return scores.masked_fill(~mask[rows][:, None], -1e4)

    return Reader()


class Losses:
    def __init__(self, net, torch, device):
        self.net, self.torch, self.device = net, torch, device

    def put(self, x):
        return self.torch.as_tensor(x, device=self.device)

    def of(self, b):
        return getattr(self, b["task"])(b)

    def run(self, b):
        return self.net(self.put(b["ids"]), self.put(b["type_ids"]), self.put(b["lengths"]))

    def statements(self, b):
        torch, F, net = self.torch, self.torch.nn.functional, self.net
        x, mask = self.run(b)
        t = net.tag(x).float()
        tags, begins = self.put(b["tags"]), self.put(b["begins"])
        loss = self.binary(t[..., 0], tags, 1.0) + self.binary(t[..., 1], begins, 2.0)
        parts = {"tags": loss.detach()}
        if not b["spans"]:
            return loss, parts
        rows, starts, ends = (self.put([s[k] for s in b["spans"]]) for k in range(3))
        f = net.span(x, rows, starts, ends)
        stance = F.cross_entropy(net.stance(f).float(), self.put([s[3] for s in b["spans"]]))
        loss = loss + 0.5 * stance
        scores = net.holders(x, mask, rows, starts, ends).log_softmax(-1)
        width = max(len(s[4]) for s in b["spans"])
        at = np.zeros((len(b["spans"]), 2, width), np.int64)
        ok = np.zeros((len(b["spans"]), 1, width), bool)
        for i, s in enumerate(b["spans"]):
            for j, (u, v) in enumerate(s[4]):
                at[i, 0, j], at[i, 1, j], ok[i, 0, j] = u, v, True
        chosen = scores.gather(2, self.put(at)).masked_fill(~self.put(ok), -1e4)
        holder = -torch.logsumexp(chosen, -1).mean()
        loss = loss + 0.8 * holder
        parts.update(stance=stance.detach(), holder=holder.detach())
        v = net.unit(net.vector(f))
        loss = loss + self.vectors(b, v, parts)
        return loss, parts

    def binary(self, logits, gold, weight):
        F = self.torch.nn.functional
        on = gold >= 0
        return F.binary_cross_entropy_with_logits(logits[on], gold[on].float(), pos_weight=self.torch.tensor(weight, device=self.device))

    def vectors(self, b, v, parts):
        """Claims of one state lie near each other, near the name of what they are about, and near the questions for it."""
        torch, net = self.torch, self.net
        scale = net.temperature.exp().clamp(max=50)
        state = self.put([c[0] * 1000 + c[1] for c in b["claims"]])
        same = (state[:, None] == state[None]) & ~torch.eye(len(v), dtype=torch.bool, device=self.device)
        loss = self.contrast(v @ v.T * scale - 1e4 * torch.eye(len(v), device=self.device), same)
        x, mask = net(self.put(b["about_rows"]), self.put(np.zeros_like(b["about_rows"])), self.put(b["about_rows_n"]))
        a = net.unit(net.about_vector(net.pooled(x, mask)))
        place = {n: i for i, n in enumerate(b["about"])}
        about = torch.nn.functional.one_hot(self.put([place[c[2]] for c in b["claims"]]), len(a)).bool()
        named = self.contrast(v @ a.T * scale, about)
        x, mask = net(self.put(b["question_rows"]), self.put(np.zeros_like(b["question_rows"])), self.put(b["question_n"]))
        f = net.pooled(x, mask)
        ce = torch.nn.functional.cross_entropy
        total = loss + 0.5 * named
        if b["questions"]:
            kind = ce(net.kind(f).float(), self.put([q[1] for q in b["questions"]]))
            form = ce(net.form(f).float(), self.put([q[2] for q in b["questions"]]))
            q = net.unit(net.question_vector(f))
            wanted = self.put([q[3][0] * 1000 + q[3][1] if q[3] else -1 for q in b["questions"]])
            asked = self.contrast(q @ v.T * scale, wanted[:, None] == state[None])
            total = total + 0.5 * kind + 0.3 * form + asked
            parts.update(kind=kind.detach(), asked=asked.detach())
        parts.update(states=loss.detach(), named=named.detach())
        return total * 0.5

    def contrast(self, scores, right):
        has = right.any(1)
        if not has.any():
            return scores.sum() * 0
        scores, right = scores[has].float(), right[has]
        log = scores.log_softmax(-1)
        return -(log.masked_fill(~right, 0).sum(1) / right.sum(1)).mean()

    def candidates(self, b, head):
        """A head's scores of all candidates of a batch, and their labels."""
        x, mask = self.run(b)
        rows = self.put([i for i, p in enumerate(b["places"]) for _ in p])
        places = self.put([q for p in b["places"] for q in p])
        return head(self.torch.cat([x[rows, places], x[rows, 0]], -1)).float(), self.put([q for p in b["labels"] for q in p])

    def pairs(self, b):
        weight = self.put(np.array([1, 1.5, 2, 1.5], np.float32))  # what is rare and matters counts more
        loss = self.torch.nn.functional.cross_entropy(*self.candidates(b, self.net.pair), weight=weight)
        return loss, {"pairs": loss.detach()}

    def choices(self, b):
        loss = self.torch.nn.functional.cross_entropy(*self.candidates(b, self.net.choice))
        return loss, {"choices": loss.detach()}

    def answers(self, b):
        F = self.torch.nn.functional
        x, mask = self.run(b)
        loss = F.cross_entropy(self.net.answer(x[:, 0]).float(), self.put(b["labels"]))
        points = self.net.points(x).float().masked_fill(~mask[..., None], -1e4)
        parts = {"answers": loss.detach()}
        starts, ends, yes = self.put(b["starts"]), self.put(b["ends"]), self.put(b["yes"])
        on = starts >= 0
        if on.any():
            point = F.cross_entropy(points[on][:, :, 0], starts[on]) + F.cross_entropy(points[on][:, :, 1], ends[on])
            loss = loss + 0.4 * point
            parts["points"] = point.detach()
        stances = self.put(b["stances"])
        on = stances >= 0
        if on.any():
            f = self.net.span(x, on.nonzero()[:, 0], starts[on], ends[on])
            loss = loss + 0.3 * F.cross_entropy(self.net.answer_stance(f).float(), stances[on])
        on = yes >= 0
        if on.any():
            loss = loss + 0.2 * F.cross_entropy(self.net.yes(x[on][:, 0]).float(), yes[on])
        return loss, parts


# ---- training -----------------------------------------------------------------------------------------------------

def claim_vectors(p, numbers, net, losses, pool, torch):
    """The vector of every claim of some chats, by chat."""
    net.eval()
    out = {}
    with torch.no_grad(), autocast(torch):
        for b in pool.imap(build, [("statements", [n]) for n in numbers], chunksize=2):
            if not b["spans"]:
                continue
            x, mask = losses.run(b)
            rows, starts, ends = (losses.put([s[k] for s in b["spans"]]) for k in range(3))
            v = net.unit(net.vector(net.span(x, rows, starts, ends))).cpu().numpy()
            order = {c[3]: i for i, c in enumerate(b["claims"])}
            out[b["claims"][0][0]] = np.stack([v[order[k]] for k in range(len(order))])
    net.train()
    return out


def nearest(chat, vectors, b, count, own=False):
    """The earlier claims of other messages that are nearest in meaning; own: of the same holder."""
    c = chat["claims"][b]
    earlier = [a for a in range(len(chat["claims"])) if chat["claims"][a][0] < c[0] and (not own or chat["claims"][a][4] == c[4])]
    if not earlier:
        return []
    order = np.argsort(-(vectors[earlier] @ vectors[b]))
    return [earlier[k] for k in order[:count]]


def pair_items(p, numbers, vectors, rng):
    items = []
    for n in numbers:
        chat = p.chats[n]
        for b, c in enumerate(chat["claims"]):
            if vectors is not None:
                own = rng.random() < 0.5  # as often among those of one holder
                cand = nearest(chat, vectors[n], b, CANDIDATES + 2, own)
                same = [a for a in range(b) if chat["claims"][a][0] < c[0] and chat["claims"][a][6] == c[6]]
                if not same and rng.random() < 0.4:
                    continue
                cand = list(dict.fromkeys(rng.sample(same, min(1, len(same))) + rng.sample(cand, len(cand))))[:CANDIDATES]
                rng.shuffle(cand)
            else:
                earlier = [a for a in range(b) if chat["claims"][a][0] < c[0]]
                same = [a for a in earlier if chat["claims"][a][6] == c[6]][-2:]
                near = [a for a in earlier if chat["claims"][a][4] == c[4] and a not in same]
                rest = [a for a in earlier if a not in same]
                cand = same + rng.sample(near, min(len(near), 2)) + rng.sample(rest, min(len(rest), 2))
                cand = list(dict.fromkeys(cand))[:CANDIDATES]
                rng.shuffle(cand)
            if cand:
                items.append((n, b, cand))
    return items


def answer_items(p, numbers, rng, count=7):
    items = []
    for n in numbers:
        chat = p.chats[n]
        for k, q in enumerate(chat["questions"]):
            state = [i for i in range(len(chat["msgs"])) if answer_label(chat, q, i) == 1]
            rows = list(q[4][:2]) + rng.sample(state, min(2, len(state)))
            hard = [i for i in q[7][:20] if i not in rows]
            rows += rng.sample(hard, min(len(hard), count - len(rows)))
            if rows:
                items.append((n, k, rows))
    return items


def choice_items(p, numbers, found, rng):
    """Questions with the candidates that the network itself would look at; before it knows any, likely ones."""
    items = []
    for n in numbers:
        chat = p.chats[n]
        for k, q in enumerate(chat["questions"]):
            if found is not None:
                some = [(r[1], r[2], r[3]) for r in found.get((n, k), [])[:CHOICES + 3]]
                some = some[:2] + rng.sample(some[2:], min(len(some[2:]), CHOICES - 2))
            else:
                some = likely(chat, q, rng)
            some = [x for x in some if inside(p, n, k, x[0])]
            if some:
                items.append((n, k, some))
    return items


def likely(chat, q, rng):
    """Messages of the asked state, and others that recall found, with the words of some claim in them."""
    state = [i for i in range(len(chat["msgs"])) if answer_label(chat, q, i)]
    rows = list(q[4][:2]) + [i for i in rng.sample(state, len(state)) if i not in q[4]]
    rows = rows[:4] + [i for i in q[7][:10] if i not in rows]
    out = []
    for i in rows[:CHOICES]:
        s, e = answer_span(chat, q, i)
        if s < 0:
            claims = [c for c in chat["claims"] if c[0] == i]
            length = len(chat["msgs"][i][3])
            s = rng.randrange(max(1, length))
            s, e = (claims[-1][1], claims[-1][2]) if claims else (s, min(s + 2, length - 1))
        if e >= s:
            out.append((i, s, e))
    return out


def scan(p, items, net, losses, pool, torch):
    """Reads the rows of each question: (chat, question) to [(score, message, first, last, stance, probabilities)], best first."""
    net.eval()
    out = {}
    with torch.no_grad(), autocast(torch):
        some = chunks(items, 24)
        for mine, b in zip(some, pool.imap(build, [("answers", x) for x in some], chunksize=2)):
            x, mask = losses.run(b)
            probs = net.answer(x[:, 0]).float().softmax(-1)
            points = net.points(x).float().masked_fill(~mask[..., None], -1e4)
            place = torch.arange(x.shape[1], device=x.device)
            own = torch.tensor(b["begin"], device=x.device)[:, None] <= place
            own = own & (place < losses.put(b["lengths"])[:, None] - 1)
            first, last = points[..., 0].masked_fill(~own, -1e4), points[..., 1].masked_fill(~own, -1e4)
            both = first[:, :, None] + last[:, None, :]
            gap = place[None, :] - place[:, None]
            both = both.masked_fill((gap < 0) | (gap >= 14), -1e5).flatten(1).argmax(-1)
            s, e = both // x.shape[1], both % x.shape[1]
            stance = net.answer_stance(net.span(x, torch.arange(len(x), device=x.device), s, e)).float().argmax(-1)
            probs, s, e, stance = (v.cpu().numpy() for v in (probs, s, e, stance))
            at = 0
            for n, k, rows in mine:
                found = []
                for i in rows:
                    begin = b["begin"][at]
                    if len(p.chats[n]["msgs"][i][3]):
                        found.append((1 - probs[at, 0], i, int(s[at] - begin), int(e[at] - begin), int(stance[at]), probs[at]))
                    at += 1
                out[n, k] = sorted(found, key=lambda r: -r[0])
    net.train()
    return out


def autocast(torch):
    return torch.autocast("cuda", dtype=torch.bfloat16) if torch.cuda.is_available() else contextlib.nullcontext()


def chunks(items, size):
    return [items[i:i + size] for i in range(0, len(items), size)]


def train(p, net, losses, pool, args, torch, device):
    rng = random.Random(args.seed)
    fast = [q for n, q in net.named_parameters() if q.requires_grad and not n.startswith(("layers", "position", "segment", "norm"))]
    slow = [q for n, q in net.named_parameters() if q.requires_grad and n.startswith(("layers", "position", "segment", "norm"))]
    opt = torch.optim.AdamW([{"params": slow, "lr": args.rate}, {"params": fast, "lr": 5 * args.rate}], weight_decay=0.01, fused=device == "cuda")
    step, skipped, begun, steps, found = 0, collections.Counter(), time.time(), None, None
    for epoch in range(args.epochs):
        numbers = p.train + rng.sample(p.tidy, len(p.tidy) // 2)
        vectors = claim_vectors(p, numbers, net, losses, pool, torch) if epoch > 0 else None
        rng.shuffle(numbers)
        jobs = [("statements", some) for some in chunks(numbers, 2)]
        pairs, answers = pair_items(p, numbers, vectors, rng), answer_items(p, numbers + rng.sample(p.talks, len(p.talks) // 2), rng)
        rng.shuffle(pairs), rng.shuffle(answers)
        answers = answers[:int(args.answers * len(answers))]
        if epoch in (args.epochs // 2, args.epochs * 3 // 4):
            found = scan(p, [(n, k, q[7][:20]) for n in p.train + p.tidy for k, q in enumerate(p.chats[n]["questions"]) if q[7]], net, losses, pool, torch)
        choices = choice_items(p, numbers, found, rng)
        rng.shuffle(choices)
        jobs += [("pairs", some) for some in chunks(pairs, 160)] + [("answers", some) for some in chunks(answers, 64)]
        jobs += [("choices", some) for some in chunks(choices, 160)]
        rng.shuffle(jobs)
        steps = steps or args.epochs * len(jobs)
        sums, counts = collections.Counter(), collections.Counter()
        for b in pool.imap(build, jobs, chunksize=4):
            factor = min(1, (step + 1) / 120) * max(0.02, 1 - step / steps)
            for g, r in zip(opt.param_groups, (args.rate, 5 * args.rate)):
                g["lr"] = r * factor
            with autocast(torch):
                loss, parts = losses.of(b)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(slow + fast, 1.0)
            step += 1
            if not torch.isfinite(norm):  # half precision overflows now and then
                skipped[b["task"]] += 1
                if sum(skipped.values()) < 4:
                    print("skipped", b["task"], {k: float(v) for k, v in parts.items()}, [n for n, q in net.named_parameters() if q.grad is not None and not torch.isfinite(q.grad).all()][:60:6], flush=True)
                continue
            opt.step()
            for k, v in parts.items():
                sums[k] = sums[k] + v
                counts[k] += 1
        print("epoch %d  %s  %.0f s, %d steps, skipped %s" % (epoch, "  ".join("%s %.3f" % (k, float(sums[k]) / counts[k]) for k in sorted(sums)), time.time() - begun, step, dict(skipped)), flush=True)


# ---- figures ------------------------------------------------------------------------------------------------------

def decode_spans(on, begin, threshold):
    spans, start = [], None
    for j in range(len(on) + 1):
        inside = j < len(on) and on[j] > threshold
        if start is not None and (not inside or begin[j] > 0.5):
            spans.append((start, j - 1))
            start = None
        if inside and start is None:
            start = j
    return spans


def measure_statements(p, numbers, net, losses, pool, torch, threshold):
    c, confusion = collections.Counter(), collections.Counter()
    for b in pool.imap(build, [("statements", [n]) for n in numbers]):
        chat = p.chats[b["claims"][0][0]]
        x, mask = losses.run(b)
        t = net.tag(x).float().sigmoid().cpu().numpy()
        gold = collections.defaultdict(list)
        for s in b["spans"]:
            gold[s[0]].append(s)
        found = []
        for i in range(len(b["lengths"])):
            place = [j for j in range(b["lengths"][i]) if b["tags"][i, j] >= 0]
            if not place:
                continue
            spans = [(place[s], place[e]) for s, e in decode_spans(t[i, place, 0], t[i, place, 1], threshold)]
            found += [(i, s, e) for s, e in spans]
            c["messages"] += 1
            c["says"] += bool(gold[i])
            c["said"] += bool(spans)
            c["both"] += bool(gold[i]) and bool(spans)
            for g in gold[i]:
                over = [s for s in spans if s[0] <= g[2] and s[1] >= g[1]]
                c["gold"] += 1
                c["overlap"] += bool(over)
                c["exact"] += any(s == (g[1], g[2]) for s in over)
            for s in spans:
                c["found"] += 1
                c["right"] += any(s[0] <= g[2] and s[1] >= g[1] for g in gold[i])
        if not found:
            continue
        rows, starts, ends = (losses.put([f[k] for f in found]) for k in range(3))
        stance = net.stance(net.span(x, rows, starts, ends)).float().argmax(-1).cpu().numpy()
        h = net.holders(x, mask, rows, starts, ends)
        first = h[:, 0].argmax(-1).cpu().numpy()
        for (i, s, e), st, f in zip(found, stance, first):
            for g in gold[i]:
                if s <= g[2] and e >= g[1]:
                    c["stances"] += 1
                    c["stance"] += int(st) == g[3]
                    confusion[(g[3], int(st))] += 1
                    c["holder"] += any(u <= f <= v for u, v in g[4])
                    break
    recall, precision = c["overlap"] / max(1, c["gold"]), c["right"] / max(1, c["found"])
    mr, mp = c["both"] / max(1, c["says"]), c["both"] / max(1, c["said"])
    return {"statements F1": 2 * recall * precision / max(1e-9, recall + precision), "recall": recall, "precision": precision, "exact": c["exact"] / max(1, c["gold"]),
            "message F1": 2 * mr * mp / max(1e-9, mr + mp), "stance": c["stance"] / max(1, c["stances"]), "holder": c["holder"] / max(1, c["stances"])}, confusion


def recall_at(scores, right, wanted):
    order = np.argsort(-np.array(scores))
    hit = np.cumsum(np.array(right)[order])
    precision = hit / np.arange(1, len(order) + 1)
    return {("R@P%.2f" % w): float((hit[precision >= w] / max(1, hit[-1])).max()) if (precision >= w).any() else 0.0 for w in wanted}


def measure_pairs(p, numbers, net, losses, pool, torch, own):
    """How candidates of all holders, or of one's own, are found and judged."""
    vectors = claim_vectors(p, numbers, net, losses, pool, torch)
    net.eval()
    first = collections.Counter()
    items = []
    for n in numbers:
        chat = p.chats[n]
        for b, c in enumerate(chat["claims"]):
            near = nearest(chat, vectors[n], b, CANDIDATES, own)
            same = [a for a in range(len(chat["claims"])) if chat["claims"][a][0] < c[0] and chat["claims"][a][6] == c[6]]
            if same:
                first["n"] += 1
                first["first"] += chat["claims"][near[0]][6] == c[6]
                first["three"] += any(chat["claims"][a][6] == c[6] for a in near[:3])
                first["five"] += any(chat["claims"][a][6] == c[6] for a in near[:5])
            if near:
                items.append((n, b, near))
    same, ends, closers, state_best = [], [], [], []
    for b in pool.imap(build, [("pairs", some) for some in chunks(items, 96)]):
        x, mask = losses.run(b)
        rows = losses.put([i for i, q in enumerate(b["places"]) for _ in q])
        places = losses.put([q for r in b["places"] for q in r])
        probs = net.pair(torch.cat([x[rows, places], x[rows, 0]], -1)).float().softmax(-1).cpu().numpy()
        k = 0
        for labels in b["labels"]:
            mine = probs[k:k + len(labels)]
            k += len(labels)
            best = int(np.argmax(1 - mine[:, 0]))
            state_best.append((1 - mine[best, 0], labels[best] > 0))
            for q, l in zip(mine, labels):
                same.append((1 - q[0], l > 0))
                ends.append((q[2], l == 2))
    f = {"first": first["first"] / max(1, first["n"]), "first three": first["three"] / max(1, first["n"]), "first five": first["five"] / max(1, first["n"])}
    for name, rows in (("same", same), ("same, best", state_best), ("ends", ends)):
        for k, v in recall_at([r[0] for r in rows], [r[1] for r in rows], (0.95, 0.9, 0.85, 0.8)).items():
            f[name + " " + k] = v
    on = [(s, r) for s, r in ends if s > 0.5]
    f["ends precision at .5"] = sum(r for _, r in on) / max(1, len(on))
    f["ends recall at .5"] = sum(r for _, r in on) / max(1, sum(r for _, r in ends))
    return f


def norm_answer(s):
    import re
    import unicodedata
    s = unicodedata.normalize("NFKD", s.lower())
    s = "".join(c for c in s if not unicodedata.combining(c))
    s = re.sub(r"(?<=\d),(?=\d{3})", "", s)
    s = re.sub(r"(\d+)(st|nd|rd|th)\b", r"\1", s)
    s = re.sub(r"[^a-z0-9%:.]+", " ", s)
    s = re.sub(r"\.(?!\d)|(?<!\d)\.|:(?!\d)", " ", s)
    return " ".join(w for w in s.split() if w not in ("the", "a", "an"))


def holds(text, want):
    return bool(norm_answer(want)) and " %s " % norm_answer(want) in " %s " % norm_answer(text)


def measure_answers(p, numbers, net, losses, pool, torch, depth=20):
    """Over recall's first rows: is the chosen one an evidence message, do its words hold the answer, is the probability right?"""
    c, sure = collections.defaultdict(collections.Counter), []
    found = scan(p, [(n, k, q[7][:depth]) for n in numbers for k, q in enumerate(p.chats[n]["questions"]) if q[7]], net, losses, pool, torch)
    net.eval()
    items = [(n, k, [(r[1], r[2], r[3]) for r in rows[:CHOICES] if inside(p, n, k, r[1])] or [(rows[0][1], rows[0][2], rows[0][3])]) for (n, k), rows in found.items()]
    for some, b in zip(chunks(items, 96), pool.imap(build, [("choices", s) for s in chunks(items, 96)])):
        probs = losses.candidates(b, net.choice)[0].softmax(-1).cpu().numpy()
        at = 0
        for n, k, candidates in some:
            q, chat = p.chats[n]["questions"][k], p.chats[n]
            mine = probs[at:at + len(candidates), 2]
            at += len(candidates)
            best = int(np.argmax(mine))
            i, s, e = sorted(candidates)[best]
            if q[1] == 8:
                sure.append((mine[best], 0, 0, 1))
                c["absent"]["n"] += 1
                for t in (0.3, 0.5, 0.7):
                    c["absent"]["below %.1f" % t] += mine[best] < t
                continue
            offsets = chat["offsets"][i]
            span = chat["texts"][i][offsets[s][0]:offsets[min(e, len(offsets) - 1)][1]]
            right, good = i in q[4], any(holds(span, w) for w in q[8])
            said = any(holds(chat["texts"][i], w) for w in q[8])
            sure.append((mine[best], right, good, 0))
            first = found[n, k][0]
            for key in ("all", KIND_NAMES[q[1]]):
                c[key]["n"] += 1
                c[key]["there"] += any(r[1] in q[4] for r in found[n, k])
                c[key]["first"] += first[1] in q[4]
                c[key]["kept"] += any(x[0] in q[4] for x in candidates)
                c[key]["message"] += right
                c[key]["says"] += said
                c[key]["span"] += good
    f = {}
    for key in sorted(c, key=str):
        for m in c[key]:
            if m != "n":
                f["%s %s" % (key, m)] = c[key][m] / c[key]["n"]
    for t in (0.3, 0.5, 0.7):
        on = [x for x in sure if x[0] >= t]
        f["at %.1f answered" % t], f["at %.1f right" % t] = len(on) / max(1, len(sure)), sum(x[2] for x in on) / max(1, len(on))
    f["calibration error"] = calibration([(x[0], x[1]) for x in sure])
    return f


def inside(p, n, k, i):
    """Whether a message was there at the time that a question names, if it names one."""
    q = p.chats[n]["questions"][k]
    return not q[10] or p.texts[p.chats[n]["msgs"][i][2]] <= q[10][:10]


KIND_NAMES = ["current", "historical", "asof", "when", "why", "how", "plain", "multi", "absent", "contested", "list"]


def calibration(sure):
    total, error = len(sure), 0.0
    for low in np.arange(0, 1, 0.1):
        some = [(s, r) for s, r in sure if low <= s < low + 0.1 or low == 0.9 and s >= 1]
        if some:
            error += abs(np.mean([s for s, _ in some]) - np.mean([r for _, r in some])) * len(some) / total
    return float(error)


def measure_questions(p, numbers, net, losses, torch):
    c = collections.Counter()
    for n in numbers:
        qs = p.chats[n]["questions"]
        rows = [[CLS] + q[0] + [SEP] for q in qs]
        ids = padded(rows)
        x, mask = net(losses.put(ids), losses.put(np.zeros_like(ids)), losses.put(np.array([len(r) for r in rows])))
        f = net.pooled(x, mask)
        kinds, forms = net.kind(f).float().argmax(-1).cpu().numpy(), net.form(f).float().argmax(-1).cpu().numpy()
        for q, k, m in zip(qs, kinds, forms):
            c["n"] += 1
            c["kind"] += int(k) == q[1]
            view = lambda z: {6: 0, 8: 0, 7: 0, 9: 0}.get(z, z)  # plain, absent, multi and contested are asked as current ones are
            c["view"] += view(int(k)) == view(q[1])
            c["forms"] += q[2] > 0
            c["form"] += q[2] > 0 and int(m) == q[2]
    return {"kind": c["kind"] / max(1, c["n"]), "view": c["view"] / max(1, c["n"]), "form": c["form"] / max(1, c["forms"])}


def figures(p, net, losses, pool, torch, title):
    net.eval()
    out = {}
    with torch.no_grad(), autocast(torch):
        for threshold in (0.4, 0.5):
            out["statements at %.1f" % threshold], confusion = measure_statements(p, p.held, net, losses, pool, torch, threshold)
        out["pairs"] = measure_pairs(p, p.held, net, losses, pool, torch, False)
        out["pairs of one holder"] = measure_pairs(p, p.held, net, losses, pool, torch, True)
        out["questions, held out"] = measure_questions(p, p.held, net, losses, torch)
        out["questions, dev"] = measure_questions(p, p.dev, net, losses, torch)
        out["answers, held out"] = measure_answers(p, p.held, net, losses, pool, torch)
        out["answers, dev"] = measure_answers(p, p.dev, net, losses, pool, torch)
    for k, v in out.items():
        print("%s | %s | %s" % (title, k, "  ".join("%s %.3f" % x for x in v.items())), flush=True)
    print(title, "| stances mixed up:", [(STANCE_NAMES[a], STANCE_NAMES[b], n) for (a, b), n in confusion.most_common(16) if a != b], flush=True)
    net.train()
    return out


STANCE_NAMES = ["holds", "ended", "planned", "hypothetical", "reported", "denied", "joke", "past", "suggestion", "rule"]


def rounded(net, torch):
    """Rounds the matrices to int8 with a scale for each output, as the binary has them. Returns them."""
    kept = {}
    for n, q in net.named_parameters():
        x = q.detach().float().cpu().numpy()
        if n.startswith("layers.") and x.ndim == 2:
            scale = np.maximum(np.abs(x).max(1), 1e-12) / 127
            kept[n] = np.rint(x / scale[:, None]).astype(np.int8)
            kept[n + ".scale"] = scale.astype(np.float32)
            q.data = torch.tensor(kept[n].astype(np.float32) * scale[:, None], device=q.device)
        elif n != "word.weight":
            kept[n] = x
    return kept


def save(kept, folder, layers):
    """Writes the weights in files that are small enough to be moved about; word embeddings stay those of the base."""
    half = (layers + 1) // 2
    parts = {"layers0.npz": lambda n: n.startswith("layers.") and int(n.split(".")[1]) < half,
             "layers1.npz": lambda n: n.startswith("layers.") and int(n.split(".")[1]) >= half,
             "heads.npz": lambda n: not n.startswith("layers.")}
    for file, takes in parts.items():
        np.savez_compressed(os.path.join(folder, file), **{n: x for n, x in kept.items() if takes(n)})


def main():
    global PACK
    a = argparse.ArgumentParser()
    a.add_argument("--base", required=True)
    a.add_argument("--pack", required=True)
    a.add_argument("--out", required=True)
    a.add_argument("--layers", default="")
    a.add_argument("--epochs", type=int, default=6)
    a.add_argument("--rate", type=float, default=1.5e-4)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--answers", type=float, default=0.6, help="share of the questions that an epoch looks at")
    a.add_argument("--limit", type=int, default=0)
    a.add_argument("--natural", action="store_true", help="learn from natural chats only")
    args = a.parse_args()
    random.seed(args.seed), np.random.seed(args.seed)
    PACK = p = Pack(args.pack, args.limit)
    if args.natural:
        p.tidy = []
    pool = multiprocessing.get_context("fork").Pool(min(14, os.cpu_count()))
    import torch
    torch.manual_seed(args.seed)
    torch.set_float32_matmul_precision("high")
    if hasattr(torch.backends.cuda, "enable_cudnn_sdp"):
        torch.backends.cuda.enable_cudnn_sdp(False)  # its gradients are not finite now and then
    print("torch", torch.__version__, flush=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    base = dict(np.load(args.base))
    count = sum(k.endswith("intermediate.dense.bias") for k in base)
    layers = [int(x) for x in args.layers.split(",")] if args.layers else list(range(count))
    net = make_network(base, layers, torch).to(device)
    net.train()
    losses = Losses(net, torch, device)
    print("%d chats to learn from, %d held out, %d layers, %.1f M numbers trained" % (len(p.train), len(p.held), len(layers), sum(q.numel() for q in net.parameters() if q.requires_grad) / 1e6), flush=True)
    train(p, net, losses, pool, args, torch, device)
    os.makedirs(args.out, exist_ok=True)
    result = {"float": figures(p, net, losses, pool, torch, "float")}
    save(rounded(net, torch), args.out, len(layers))
    result["int8"] = figures(p, net, losses, pool, torch, "int8")
    json.dump(result, open(os.path.join(args.out, "figures.json"), "w"), indent=1)


if __name__ == "__main__":
    main()
