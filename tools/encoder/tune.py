#!/usr/bin/env python3
"""Tunes the embedded encoder on sentences of our own.

  tune.py pack  --tokenizer T.json --wordnet DIR --out PACK.npz ATTRIBUTES.jsonl… CONVERSATIONS.jsonl… CHAT.jsonl
  tune.py train --base e5-small-v2.onnx --pack PACK.npz --out DIR [--steps 1050] [--seconds 600]
  tune.py sweep --base e5-small-v2.onnx --pack PACK.npz --delta DIR… [--alphas 0,.5,1]      figures on what was held out
  tune.py merge --onnx e5-small-v2.onnx --delta DIR… --alpha A --out TUNED.onnx

pack cuts the sentences of tools/states and tools/conversations and the glosses
and examples of WordNet into tokens. train moves all twelve layers (the word
embeddings stay) so that a question lies near the turn or statement that answers
it, statements of one state lie together, and the role of a sentence and the
tokens of the value that it states can be read off by linear functions, while the
vectors of general text, and what is near what among them, stay as they were. merge adds a share of the
way gone to the original float32 weights: a file for tools/encoder/convert.

One attribute and one conversation in five are held out, by a hash of the name;
sweep measures on them alone. No evaluation data is read. docs/decisions/0015.

pack needs numpy and tokenizers, train and sweep numpy, onnx and torch, merge
numpy and onnx.
"""
import argparse
import json
import math
import os
import queue
import random
import re
import threading
import time
import zlib

import numpy as np

STATED = ("state", "update", "paraphrase", "reason")
AIMS = {"q_current": ("state", "update", "paraphrase", "reason"), "q_past": ("state", "past", "paraphrase", "update"),
        "q_when": ("update", "state", "reason"), "q_why": ("reason", "update", "state"), "q_how": ("update", "state", "paraphrase")}
ALIKE = ("topic", "topic", "third", "hyp", "rumor")  # about the same thing, and no answer
NAMES = """Anna Marcus Priya Tom Elena Joseph Hannah Karim Lucy Owen Sofia Ben Nadia Victor Grace Ivan Amara Bertil Chiara
Dmitri Eleni Farouk Greta Hiroshi Ines Jonas Kavita Leif Marisol Nikhil Oksana Pavel Quentin Rosalind Samir Tove Ulrich
Valeria Wanda Xavier Yuki Zeynep Aoife Camille Dara Emily James Sarah Michael Laura David Rachel Daniel Megan Chris Julia
Peter Alice Robert Clara Hugo Maya Leo Nora Felix Ruth""".split()
ROLE = {"state": "states", "update": "states", "paraphrase": "states", "reason": "states", "past": "ended", "plan": "plans",
        "hyp": "supposes", "rumor": "denies", "third": "others", "temp": "excepts", "add": "adds", "topic": "touches"}
CHAT_ROLE = {"event": "happens", "chat": "chats", "view": "views", "plan": "plans", "ask": "asks"}
ROLES = sorted(set(ROLE.values()) | set(CHAT_ROLE.values()))
HELD = 5  # one in so many is held out


def held_out(name):
    return zlib.crc32(name.encode()) % HELD == 0


# ---- pack ---------------------------------------------------------------------------------------------------------

class Packer:
    """Texts as token ids, each once; the rest of the pack names them by number."""

    def __init__(self, path):
        from tokenizers import Tokenizer
        self.tokenizer = Tokenizer.from_file(path)
        self.tokenizer.no_padding(), self.tokenizer.no_truncation()
        self.number, self.ids, self.spans = {}, [], {}

    def add(self, text):
        text = re.sub(r"\s+", " ", text).strip()
        if text not in self.number:
            self.number[text] = len(self.ids)
            self.ids.append(self.tokenizer.encode(text, add_special_tokens=False).ids[:250])
        return self.number[text]

    def stated(self, template, value):
        """A sentence with its value; spans says which of its tokens the value is."""
        n = self.add(template.replace("{v}", value))
        if template.count("{v}") == 1:
            before, after = (self.tokenizer.encode(x, add_special_tokens=False).ids for x in template.split("{v}"))
            end = len(self.ids[n]) - len(after)
            if self.ids[n][:len(before)] == before and self.ids[n][end:] == after and end > len(before):
                self.spans[n] = [len(before), end]
        return n

    def parts(self, text):
        """A question around the name it asks about."""
        return [self.add(p) if p.strip() else -1 for p in text.split("{name}")]


def pack_attribute(p, a):
    said = {}
    for kind in ROLE:
        said[kind] = [[p.stated(t, v) for v in (a["values"] if "{v}" in t else [""])] for t in a.get(kind, [])]
    asked = [(kind, p.parts(q)) for kind in AIMS for q in a.get(kind, [])]
    return {"name": a["attribute"], "held": held_out(a["attribute"]), "said": said, "asked": asked}


def pack_conversation(p, c):
    turns = [[p.add(t["speaker"]), p.add(t["text"]), t["session"]] for t in c["turns"]]
    asked = [[p.add(q["q"]), sorted(set(q["evidence"]))] for q in c["questions"] if q["evidence"]]
    return {"held": held_out(c["id"]), "turns": turns, "asked": asked}


def wordnet(folder):
    """(lemmas, gloss, examples) of every synset that has an example or a short gloss."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in open(os.path.join(folder, "data." + part), encoding="utf-8"):
            if line.startswith("  "):
                continue
            head, _, tail = line.partition(" | ")
            field = head.split()
            lemmas = [re.sub(r"\(\w+\)$", "", field[4 + 2 * i]).replace("_", " ") for i in range(int(field[3], 16))]
            examples = re.findall(r'"([^"]+)"', tail)
            gloss = tail.split('; "')[0].strip(" ;\n")
            if gloss and not gloss.startswith('"'):
                yield lemmas, gloss, examples


def pack(args):
    p = Packer(args.tokenizer)
    attributes, conversations, chat, roles, general = [], [], [], [], []
    for path in args.files:
        for line in open(path, encoding="utf-8"):
            row = json.loads(line)
            if "attribute" in row:
                attributes.append(pack_attribute(p, row))
            elif "turns" in row:
                conversations.append(pack_conversation(p, row))
            else:
                chat.append(p.add(row["text"])), roles.append(ROLES.index(CHAT_ROLE[row["kind"]]))
    synsets = [x for i, x in enumerate(wordnet(args.wordnet)) if x[2] or i % 4 == 0]
    blocks = [synsets[i:i + BLOCK] for i in range(0, len(synsets) - BLOCK, BLOCK)]  # neighbours in WordNet are alike: keep them together
    random.Random(3).shuffle(blocks)
    synsets = [x for b in blocks for x in b]
    for lemmas, gloss, examples in synsets[:args.synsets]:
        general.append([[p.add(l) for l in lemmas[:3]], p.add(gloss), [p.add(e) for e in examples[:3]]])
    names, words = [p.add(n) for n in NAMES], {w: p.tokenizer.token_to_id(w) for w in ("[CLS]", "[SEP]", "query", "passage", ":")}
    index = {"attributes": attributes, "conversations": conversations, "chat": chat, "chat_roles": roles, "spans": p.spans, "general": general, "names": names,
             "user": p.add("user"), "assistant": p.add("assistant"), "words": words}
    flat = np.fromiter((i for t in p.ids for i in t), np.int16)
    np.savez_compressed(args.out, flat=flat, ends=np.cumsum([len(t) for t in p.ids], dtype=np.int32),
                        index=np.frombuffer(json.dumps(index).encode(), np.uint8))
    print("%d attributes (%d held out), %d conversations (%d held out, %d questions), %d of chat, %d synsets, %d texts, %d tokens" % (
        len(attributes), sum(a["held"] for a in attributes), len(conversations), sum(c["held"] for c in conversations),
        sum(len(c["asked"]) for c in conversations), len(chat), len(general), len(p.ids), len(flat)))


class Pack:
    def __init__(self, path):
        z = np.load(path)
        flat, ends = z["flat"].astype(np.int64), z["ends"]
        self.texts = np.split(flat, ends[:-1])
        self.__dict__.update(json.loads(z["index"].tobytes()))
        w = self.words
        self.first, self.last, self.colon = (np.array([w[x]]) for x in ("[CLS]", "[SEP]", ":"))
        self.prefix = {"query": np.array([w["query"], w[":"]]), "passage": np.array([w["passage"], w[":"]]), "text": np.array([], np.int64)}

    def text(self, role, *parts, limit=256):
        """Token ids of a text made of parts: numbers of texts, or ids."""
        body = [self.prefix[role]] + [self.texts[x] if isinstance(x, int) else x for x in parts if not isinstance(x, int) or x >= 0]
        body = np.concatenate(body)[:limit - 2]
        return np.concatenate([self.first, body, self.last])

    def said_by(self, speaker, text):
        return [speaker, self.colon, text]

    def question(self, parts, name):
        body = [parts[0]]
        for x in parts[1:]:
            body += [name, x]
        return self.text("query", *body)


# ---- the network ------------------------------------------------------------------------------------------------------

SHAPE = {"layers": 12, "hidden": 384, "heads": 12, "ffn": 1536, "epsilon": 1e-12}


def read_model(path):
    """The tensors of the ONNX file by our names; token types folded into the positions, as all texts are of the first."""
    import onnx
    from onnx import numpy_helper
    places = onnx_places(onnx.load(path).graph)

    def get(name):
        tensor, turned = places[name]
        x = numpy_helper.to_array(tensor)
        return np.array(x.T if turned else x, np.float32)

    t = {"word": get("embeddings.word_embeddings.weight"), "norm.gamma": get("embeddings.LayerNorm.weight"), "norm.beta": get("embeddings.LayerNorm.bias"),
         "position": get("embeddings.position_embeddings.weight") + get("embeddings.token_type_embeddings.weight")[0]}
    for i in range(SHAPE["layers"]):
        for k in ["qkv.weight", "qkv.bias"] + [x + "." + y for x in ("output", "up", "down") for y in ("weight", "bias")] + [x + "." + y for x in ("attention_norm", "output_norm") for y in ("gamma", "beta")]:
            name = "layer%d.%s" % (i, k)
            t[name] = np.concatenate([get(n) for n, _ in hugging_face(name, np.zeros(3))])
    return t, SHAPE


class Network:
    """BERT with mean pooling; tensors by our names."""

    def __init__(self, tensors, shape, device):
        import torch
        self.torch, self.shape, self.device = torch, shape, device
        self.t = {k: torch.tensor(v, device=device) for k, v in tensors.items()}
        self.tuned = [k for k in self.t if k.startswith("layer")]
        self.low, self.drop = torch.bfloat16, 0.0

    def copy(self):
        n = object.__new__(Network)
        n.__dict__.update(self.__dict__)
        n.t = {k: v.detach().clone() if k.startswith("layer") else v for k, v in self.t.items()}
        return n

    def move(self, delta, share):
        """Goes a share of a way."""
        for k, d in delta.items():
            self.t[k] += share * self.torch.tensor(d, device=self.device)

    def train(self):
        for k in self.tuned:
            self.t[k].requires_grad_(True)
        return [self.t[k] for k in self.tuned]

    def encode(self, rows):
        """Unit vectors of rows of token ids, in their order."""
        return self.read(rows)[0]

    def read(self, rows):
        """Unit vectors of rows of token ids, the vectors of their tokens, and which of these are there."""
        torch, n = self.torch, (max(len(r) for r in rows) + 7) // 8 * 8
        ids, mask = np.zeros((len(rows), n), np.int64), np.zeros((len(rows), n), bool)
        for i, r in enumerate(rows):
            ids[i, :len(r)], mask[i, :len(r)] = r, True
        mask = torch.from_numpy(mask).to(self.device)
        tokens = self.forward(torch.from_numpy(ids).to(self.device), mask).float()
        return torch.nn.functional.normalize((tokens * mask[:, :, None]).sum(1), dim=1), tokens, mask

    def encode_in(self, rows, chunks):
        """As encode, with rows of like length together, in so many goes."""
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        size = -(-len(rows) // chunks)
        found = self.torch.cat([self.encode([rows[i] for i in order[at:at + size]]) for at in range(0, len(rows), size)])
        return found[self.torch.from_numpy(np.argsort(order)).to(self.device)]

    def forward(self, ids, mask):
        torch, F, t, s = self.torch, self.torch.nn.functional, self.t, self.shape
        b, n, h, heads = *ids.shape, s["hidden"], s["heads"]
        norm = lambda x, name: F.layer_norm(x, (h,), t[name + ".gamma"], t[name + ".beta"], s["epsilon"])
        drop = (lambda x: F.dropout(x, self.drop)) if self.drop else (lambda x: x)
        x = drop(norm(F.embedding(ids, t["word"]) + t["position"][:n], "norm"))
        seen = mask[:, None, None, :]
        for i in range(s["layers"]):
            p = "layer%d." % i
            q, k, v = F.linear(x, t[p + "qkv.weight"], t[p + "qkv.bias"]).view(b, n, 3, heads, h // heads).permute(2, 0, 3, 1, 4)
            like = (q @ k.transpose(2, 3) / math.sqrt(h // heads)).masked_fill(~seen, -1e4)
            a = (like.softmax(3) @ v).transpose(1, 2).reshape(b, n, h)
            x = norm(x + drop(F.linear(a, t[p + "output.weight"], t[p + "output.bias"])), p + "attention_norm")
            y = F.linear(F.gelu(F.linear(x, t[p + "up.weight"], t[p + "up.bias"])), t[p + "down.weight"], t[p + "down.bias"])
            x = norm(x + drop(y), p + "output_norm")
        return x

    def encode_all(self, rows, batch=512):
        """Vectors of many rows, without gradients."""
        with self.torch.no_grad(), self.torch.autocast(self.device, dtype=self.low):
            return self.encode_in(rows, -(-len(rows) // batch))


# ---- what a step looks at -----------------------------------------------------------------------------------------------

class Sampler:
    """Draws the texts of one step. Everything is of what is not held out."""

    def __init__(self, pack, size, seed):
        self.p, self.rng, self.size = pack, random.Random(seed), size
        self.attributes = [a for a in pack.attributes if not a["held"]]
        self.conversations = [c for c in pack.conversations if not c["held"] and c["asked"]]
        self.general = pack.general[HELD_SYNSETS:]
        turns = [t[1] for c in self.conversations for t in c["turns"]]
        self.talk = pack.chat + turns
        self.prose = [e for g in self.general for e in g[2]] + 8 * turns

    def step(self):
        return {"ask": self.ask_attributes(), "same": self.same_state(), "talk": self.ask_conversations(), "judge": self.judge(), "hold": self.hold()}

    def judge(self):
        """Sentences, the role of each, and which tokens are its value (none: an empty span)."""
        rng, p = self.rng, self.p
        drawn = [judged(p, a, kind, rng) for a in self.some_attributes(self.size["judge"]) for kind in rng.sample(sorted(ROLE), 2)]
        at = rng.sample(range(len(p.chat)), self.size["judge"] // 2)
        drawn += [(p.text("text", p.chat[i]), p.chat_roles[i], (0, 0)) for i in at]
        return [list(x) for x in zip(*[d for d in drawn if d])]

    def some_attributes(self, n):
        """So many attributes, no two of one name."""
        drawn = {a["name"]: a for a in self.rng.sample(self.attributes, min(n, len(self.attributes)))}
        return drawn.values()

    def sentence(self, a, kinds):
        """A sentence of an attribute, and which template it was."""
        kinds = [k for k in kinds if a["said"][k]]
        if not kinds:
            return None
        kind = self.rng.choice(kinds)
        at = self.rng.randrange(len(a["said"][kind]))
        return self.rng.choice(a["said"][kind][at]), (kind, at)

    def dressed(self, role, speaker, sentence):
        """A sentence as a statement is encoded, or as a turn: with its speaker, now and then amid other talk."""
        rng = self.rng
        if role == "text":
            return self.p.text("text", sentence)
        body = [sentence]
        if rng.random() < 0.4:
            body = [rng.choice(self.p.chat)] * (rng.random() < 0.6) + body + [rng.choice(self.talk)] * (rng.random() < 0.6)
        if speaker is not None:
            body = [speaker, self.p.colon] + body
        return self.p.text("passage", *body)

    def ask_attributes(self):
        """Questions, the statement each asks for, and for each a lookalike; all of different attributes."""
        rng, p, qs, right, wrong = self.rng, self.p, [], [], []
        role = rng.choice(("text", "passage"))
        for a in self.some_attributes(self.size["ask"]):
            kind, parts = rng.choice(a["asked"])
            name = rng.choice(p.names)
            speaker = rng.choice((name, name, name, p.user, None))
            qs.append(p.question(parts, name))
            right.append(self.dressed(role, speaker, self.sentence(a, AIMS[kind])[0]))
            like = self.sentence(a, (rng.choice(ALIKE),))
            wrong.append(self.dressed(role, speaker, like[0] if like else rng.choice(p.chat)))
        wrong += [self.dressed(role, rng.choice(p.names), rng.choice(p.chat)) for _ in range(self.size["chat"])]
        return qs, right, wrong

    def same_state(self):
        """Pairs of statements of one state, of other words and another value; and talk of the same topic."""
        rng, p, a_side, b_side, wrong = self.rng, self.p, [], [], []
        for a in self.some_attributes(self.size["same"]):
            x, tx = self.sentence(a, STATED)
            y, ty = self.sentence(a, STATED)
            while ty == tx:
                y, ty = self.sentence(a, STATED)
            a_side.append(p.text("text", x)), b_side.append(p.text("text", y))
            wrong.append(p.text("text", self.sentence(a, ("topic",))[0] if rng.random() < 0.5 else rng.choice(p.chat)))
        return a_side, b_side, wrong

    def ask_conversations(self):
        """Questions, all turns of their conversations, and for each question which of them are evidence."""
        rng, qs, rows, gold = self.rng, [], [], []
        for c in rng.sample(self.conversations, min(self.size["talk"], len(self.conversations))):
            base, turns = len(rows), c["turns"]
            latent = rng.random() < 0.3
            rows += [turn_row(self.p, turns, i, latent) for i in range(len(turns))]
            for q, evidence in rng.sample(c["asked"], min(self.size["questions"], len(c["asked"]))):
                qs.append(self.p.text("query", q))
                gold.append([base + e for e in evidence if e < len(turns)])
        return qs, rows, gold

    def hold(self):
        """General texts in each role: words and glosses that look for examples, statements, long passages."""
        rng, p, n, sets = self.rng, self.p, self.size["hold"], {"query": [], "passage": [], "text": []}
        starts = rng.sample(range(0, len(self.general) - BLOCK, BLOCK), n // BLOCK)
        for lemmas, gloss, examples in (self.general[at + i] for at in starts for i in range(BLOCK)):
            sets["query"].append(p.text("query", rng.choice(lemmas + [gloss] + examples)))
            sets["passage"].append(p.text("passage", *rng.choice([[gloss], lemmas, *[[e] for e in examples], p.said_by(lemmas[0], gloss)])))
            sets["text"].append(p.text("text", rng.choice([gloss] + examples + examples + lemmas[:1])))
        for _ in range(n // 8):
            body = rng.choices(self.prose, k=rng.randint(3, 14))
            sets["passage"].append(p.text("passage", *self.p.said_by(rng.choice([p.user, p.assistant] + p.names[:4]), body[0]), *body[1:]))
        sets["text"] += [p.text("text", rng.choice(self.talk)) for _ in range(n // 4)]
        return sets


BLOCK = 8            # synsets that stand together in a pack
HELD_SYNSETS = 2000  # the first of the pack's synsets: never held to, for figures
SOME_SYNSETS = 600   # of them are looked at


def judged(p, a, kind, rng):
    """A sentence of an attribute as it is judged: its tokens, role, and the span of its value; None where that is not clear."""
    if not a["said"][kind]:
        return None
    n = rng.choice(rng.choice(a["said"][kind]))
    first, end = p.spans.get(str(n), (-1, -1))  # the first token is the mark of the beginning
    if kind != "topic" and end < 0:
        return None
    return p.text("text", n), ROLES.index(ROLE[kind]), (first + 1, end + 1)


def turn_row(p, turns, i, latent):
    """A turn as the index stores it; latent: after the one before it in its session (extract.Latent)."""
    speaker, text, session = turns[i]
    body = p.said_by(speaker, text)
    if latent and i > 0 and turns[i - 1][2] == session:
        body = p.said_by(turns[i - 1][0], p.texts[turns[i - 1][1]][:60]) + body
    return p.text("passage", *body)


def ahead(draw, depth=8):
    """Draws in a thread, a few steps ahead."""
    q = queue.Queue(depth)

    def work():
        while True:
            q.put(draw())
    threading.Thread(target=work, daemon=True).start()
    return q.get


# ---- training -----------------------------------------------------------------------------------------------------------

class Loss:
    """What a step costs: see of. Likenesses are sharpened by warm before they are compared."""

    def __init__(self, net, base, heads, weight, chunks, warm=0.02):
        self.torch, self.net, self.base, self.heads, self.weight, self.chunks, self.warm = net.torch, net, base, heads, weight, chunks, warm

    def of(self, s):
        """The weighted sum and its parts. All texts of the step are encoded together."""
        hold = [r for rows in s["hold"].values() for r in rows]
        groups = [*s["ask"], *s["same"], *s["talk"][:2], *s["hold"].values()]
        with self.torch.autocast(self.net.device, dtype=self.net.low):
            all = self.net.encode_in([r for g in groups for r in g], self.chunks)
            with self.torch.no_grad():
                old = self.base.encode_in(hold, self.chunks // 2)
            roles, values = self.heads.read(self.net, s["judge"][0])
        v = self.torch.split(all, [len(g) for g in groups])
        parts = {"ask": self.nearest(*v[:3], self.warm), "same": self.nearest(*v[3:6], 1.5 * self.warm), "talk": self.talk(v[6], v[7], s["talk"][2])}
        parts["role"], parts["value"] = self.heads.loss(roles, values, s["judge"])
        parts["stay"], parts["relations"] = self.hold(v[8:], self.torch.split(old, [len(g) for g in s["hold"].values()]))
        return sum(self.weight[k] * x for k, x in parts.items()), {k: x.detach() for k, x in parts.items()}

    def nearest(self, asked, right, wrong, warm):
        """Cross-entropy of each row's own right one among all right and wrong ones."""
        s = asked @ self.torch.cat([right, wrong]).T / warm
        return self.torch.nn.functional.cross_entropy(s, self.torch.arange(len(s), device=s.device))

    def talk(self, asked, turns, gold):
        """As nearest, with several right ones: each against all that are not right."""
        torch, s = self.torch, asked @ turns.T / self.warm
        right = np.zeros(s.shape, bool)
        for i, g in enumerate(gold):
            right[i, g] = True
        right = torch.from_numpy(right).to(s.device)
        rest = s.masked_fill(right, -1e4).logsumexp(1, keepdim=True)
        each = torch.logaddexp(s, rest) - s
        return ((each * right).sum(1) / right.sum(1)).mean()

    def hold(self, new, old):
        """How far general texts (queries, passages, texts) moved from the base, and how far their likenesses did."""
        torch = self.torch
        stay = 1 - (torch.cat(new) * torch.cat(old)).sum(1).mean()
        relations = 0
        for a, b in ((0, 1), (2, 2)):
            aim, got = old[a] @ old[b].T / self.warm, new[a] @ new[b].T / self.warm
            if a == b:
                aim, got = (x - 1e4 * torch.eye(len(x), device=x.device) for x in (aim, got))
            relations = relations + torch.nn.functional.kl_div(got.log_softmax(1), aim.log_softmax(1), log_target=True, reduction="batchmean")
        return stay, relations


class Heads:
    """Linear functions that read the role off a sentence's vector, and off a token's whether it is of the value."""

    def __init__(self, torch, device, hidden):
        self.torch = torch
        self.role, self.value = torch.nn.Linear(hidden, len(ROLES), device=device), torch.nn.Linear(hidden, 1, device=device)
        self.smooth = 0.1  # templates are not life: how far a label is doubted

    def parameters(self):
        return [*self.role.parameters(), *self.value.parameters()]

    def read(self, net, rows):
        vectors, tokens, mask = net.read(rows)
        return self.role(SHARP * vectors).float(), self.value(tokens).squeeze(2).float().masked_fill(~mask, -1e4)

    def loss(self, roles, values, judged):
        rows, role, span = judged
        F, torch = self.torch.nn.functional, self.torch
        aim, count = marks(rows, span, values.shape[1])
        aim, count = torch.from_numpy(aim).to(values.device), torch.from_numpy(count).to(values.device)
        each = F.binary_cross_entropy_with_logits(values, aim, reduction="none")
        told = F.cross_entropy(roles, torch.tensor(role, device=roles.device), label_smoothing=self.smooth)
        return told, (each * count).sum() / count.sum()


SHARP = 16  # unit vectors are so multiplied before a role is read off


def marks(rows, span, width):
    """Which tokens are of the value, and which are there at all."""
    aim, count = np.zeros((len(rows), width), np.float32), np.zeros((len(rows), width), np.float32)
    for i, (row, (first, end)) in enumerate(zip(rows, span)):
        count[i, 1:len(row) - 1] = 1
        aim[i, first:end] = 1
    return aim, count


def train(args):
    import torch
    torch.manual_seed(args.seed)
    began = time.time()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    pack = Pack(args.pack)
    tensors, shape = read_model(args.base)
    base = Network(tensors, shape, device)
    net = base.copy()
    net.move(load_delta(args.start), args.share)
    moved, net.drop = net.train(), args.drop
    heads = Heads(torch, device, shape["hidden"])
    optimiser = torch.optim.Adam([{"params": moved, "times": 1}, {"params": heads.parameters(), "times": 40}], lr=args.rate, betas=(0.9, 0.98))
    size = {"ask": args.ask, "chat": args.ask // 3, "same": args.same, "talk": args.talk, "questions": 5, "judge": args.judge, "hold": args.hold}
    draw = ahead(Sampler(pack, size, args.seed).step)
    weight = {k: getattr(args, "w_" + k) for k in ("ask", "same", "talk", "role", "value", "stay", "relations")}
    loss = Loss(net, base, heads, weight, args.chunks)
    start, saved, step, seen = time.time(), time.time(), 0, {}
    print("ready after %.1f s on %s" % (start - began, device), flush=True)
    while True:
        done = max(step / args.steps, (time.time() - start) / args.seconds)
        if done >= 1:
            break
        for g in optimiser.param_groups:
            g["lr"] = g["times"] * args.rate * min(1, (step + 1) / args.warmup) * (1 - done)
        total, parts = loss.of(draw())
        optimiser.zero_grad(set_to_none=True)
        total.backward()
        torch.nn.utils.clip_grad_norm_(moved, 1.0)
        optimiser.step()
        step += 1
        for k, v in parts.items():
            seen[k] = 0.9 * seen.get(k, v) + 0.1 * v
        if step % args.every == 0:
            print("%5d %5.1f s  %s" % (step, time.time() - start, "  ".join("%s %.4f" % (k, v.item()) for k, v in seen.items())), flush=True)
        if time.time() - saved > args.save:
            save(args.out, base, net)
            saved = time.time()
    save(args.out, base, net)
    np.savez(os.path.join(args.out, "heads.npz"), **{k: x.detach().cpu().numpy() for k, x in
             (("role", heads.role.weight), ("role.bias", heads.role.bias), ("value", heads.value.weight), ("value.bias", heads.value.bias))})
    print("%d steps in %.1f s" % (step, time.time() - start), flush=True)
    if args.figures:
        net.drop = 0
        print(held_judged(pack, net, heads), flush=True)
        sweep_of(pack, base, net, [float(a) for a in args.alphas.split(",")])


def save(folder, base, net):
    """The way gone, as bytes with a scale per row, in two files of like size."""
    os.makedirs(folder, exist_ok=True)
    halves = [{}, {}]
    for k in net.tuned:
        d = (net.t[k].detach() - base.t[k]).float().cpu().numpy()
        into = halves[int(k[5:].split(".")[0]) % 2]
        if d.ndim == 1:
            into[k] = d
            continue
        scale = np.maximum(np.abs(d).max(1, keepdims=True), 1e-12) / 127
        into[k], into[k + ".scale"] = np.round(d / scale).astype(np.int8), scale.astype(np.float32)
    for i, half in enumerate(halves):
        path = os.path.join(folder, "delta%d.npz" % i)
        with open(path + ".part", "wb") as f:
            np.savez(f, **half)
        os.replace(path + ".part", path)


def load_delta(folders):
    """The mean of the ways that several runs went; a way is a folder that save made."""
    mean = {}
    for folder in folders:
        for i in (0, 1):
            z = np.load(os.path.join(folder, "delta%d.npz" % i))
            for k in z.files:
                if not k.endswith(".scale"):
                    way = z[k].astype(np.float32) * z[k + ".scale"] if k + ".scale" in z.files else z[k]
                    mean[k] = mean.get(k, 0) + way / len(folders)
    return mean


# ---- figures on what was held out ---------------------------------------------------------------------------------------

def sweep(args):
    import torch
    tensors, shape = read_model(args.base)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    base = Network(tensors, shape, device)
    net = base.copy()
    net.move(load_delta(args.delta), 1)
    sweep_of(Pack(args.pack), base, net, [float(a) for a in args.alphas.split(",")])


def sweep_of(pack, base, net, alphas):
    """Prints the figures of the base and of a share of the way to the tuned weights."""
    old = None
    for alpha in sorted(set([0.0] + alphas)):
        mix = base.copy()
        for k in net.tuned:
            mix.t[k] = base.t[k] + alpha * (net.t[k].detach() - base.t[k])
        figures, vectors = measure(pack, mix)
        old = vectors if old is None else old
        figures["stayed"] = (vectors * old).sum(1).mean().item()
        print("alpha %.2f  %s" % (alpha, "  ".join("%s %.3f" % x for x in figures.items())), flush=True)


def measure(pack, net):
    f = {}
    held_talk(pack, net, f)
    held_states(pack, net, f)
    return f, held_words(pack, net, f)


def held_talk(p, net, f):
    """Evidence among the turns of all held-out conversations together."""
    asked, rows, gold = [], [], []
    for c in (c for c in p.conversations if c["held"]):
        base = len(rows)
        rows += [turn_row(p, c["turns"], i, False) for i in range(len(c["turns"]))]
        for q, evidence in c["asked"]:
            asked.append(p.text("query", q)), gold.append([base + e for e in evidence if base + e < len(rows)])
    if not asked:
        return
    s = net.encode_all(asked) @ net.encode_all(rows).T
    hit5, hit10, mrr = recalls(s.cpu().numpy(), gold)
    f["talk R@5"], f["talk R@10"], f["MRR"] = hit5, hit10, mrr


def recalls(s, gold):
    order = np.argsort(-s, axis=1)
    at = [[int(np.where(o == g)[0][0]) for g in gs] for o, gs in zip(order, gold)]
    return (np.mean([np.mean([x < 5 for x in a]) for a in at]), np.mean([np.mean([x < 10 for x in a]) for a in at]), np.mean([1 / (1 + min(a)) for a in at]))


def held_states(p, net, f):
    """The statement that is asked for among two of each held-out attribute, what is about them and no answer, and chat."""
    rng, rows, about, asked, aims = random.Random(1), [], [], [], []
    held = [a for a in p.attributes if a["held"]]
    for n, a in enumerate(held):
        for kind in ("state", "paraphrase", "topic", "third"):
            rows.append(rng.choice(rng.choice(a["said"][kind]))), about.append(n if kind in STATED else -1)
        for kind, parts in a["asked"]:
            asked.append(p.question(parts, rng.choice(p.names))), aims.append(n)
    rows, about = rows + p.chat, np.array(about + [-1] * len(p.chat))
    q = net.encode_all(asked)
    for name, made in (("text", [p.text("text", r) for r in rows]), ("passage", [p.text("passage", *p.said_by(p.user, r)) for r in rows])):
        s = (q @ net.encode_all(made).T).cpu().numpy()
        order = np.argsort(-s, axis=1)[:, :5]
        f["ask " + name + " @5"] = np.mean([np.isin(np.where(about == aim)[0], o).mean() for aim, o in zip(aims, order)])
        f["@1"] = f.get("@1", 0) + 0.5 * np.mean([about[o[0]] == aim for aim, o in zip(aims, order)])
    texts = [(n, rng.choice(t)) for n, a in enumerate(held) for k in STATED for t in a["said"][k]]
    v = net.encode_all([p.text("text", t) for _, t in texts])
    s = (v @ v.T).cpu().numpy() - 10 * np.eye(len(texts))
    f["same @1"] = np.mean([texts[int(j)][0] == texts[i][0] for i, j in enumerate(s.argmax(1))])


def held_judged(p, net, heads):
    """Roles read rightly off held-out sentences; values found whole, and tokens of them; of chat, what is taken for a value."""
    rng, rows = random.Random(5), []
    for a in (a for a in p.attributes if a["held"]):
        rows += [judged(p, a, kind, rng) for kind in ROLE for _ in a["said"][kind]]
    tokens, role, span = zip(*filter(None, rows))
    with net.torch.no_grad(), net.torch.autocast(net.device, dtype=net.low):
        roles, values = heads.read(net, tokens)
    right = (roles.argmax(1).cpu().numpy() == np.array(role)).mean()
    aim, count = marks(tokens, span, values.shape[1])
    got, aim, count = (values.cpu().numpy() > 0), aim > 0, count > 0
    known = aim.any(1)
    whole = (got == aim)[known].all(1).mean()
    hits, said, is_ = (got & aim & count).sum(), (got & count).sum(), (aim & count).sum()
    return "held out: roles %.3f, values whole %.3f, tokens of values P %.3f R %.3f, of %d" % (right, whole, hits / said, hits / is_, len(rows))


def held_words(p, net, f):
    """Glosses and words of WordNet that look for their examples and glosses: must not fall. Returns their vectors."""
    some = [g for g in p.general[:HELD_SYNSETS] if g[2]][:SOME_SYNSETS]
    gloss = net.encode_all([p.text("query", g[1]) for g in some])
    word = net.encode_all([p.text("query", g[0][0]) for g in some])
    example = net.encode_all([p.text("passage", g[2][0]) for g in some])
    meaning = net.encode_all([p.text("passage", g[1]) for g in some])
    own = net.torch.arange(len(some), device=gloss.device)
    f["gloss>example"] = ((gloss @ example.T).argmax(1) == own).float().mean().item()
    f["word>gloss"] = ((word @ meaning.T).argmax(1) == own).float().mean().item()
    return net.torch.cat([gloss, word, example, meaning])


# ---- merge --------------------------------------------------------------------------------------------------------------

def merge(args):
    """Writes the ONNX file with a share of the way added to its weights."""
    import onnx
    from onnx import numpy_helper
    model = onnx.load(args.onnx)
    places = onnx_places(model.graph)
    for k, d in load_delta(args.delta).items():
        for name, way in hugging_face(k, d):
            tensor, turned = places[name]
            new = numpy_helper.to_array(tensor) + args.alpha * (way.T if turned else way)
            tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(new, np.float32), tensor.name))
    onnx.save(model, args.out)


def onnx_places(graph):
    """Where a graph keeps the tensors that we know by Hugging Face's names, and whether turned over."""
    tensors = {i.name: i for i in graph.initializer}
    places = {k: (v, False) for k, v in tensors.items()}
    made = {n.output[0]: n for n in graph.node}
    for node in graph.node:  # a product has no name of its own, the bias that is added to it has
        for bias, x in (node.input, reversed(node.input)) if node.op_type == "Add" else ():
            if bias.endswith(".bias") and x in made and made[x].op_type == "MatMul":
                places[bias[:-len("bias")] + "weight"] = (tensors[made[x].input[1]], True)
    return places


NAMED = {"output": "attention.output.dense", "up": "intermediate.dense", "down": "output.dense",
         "attention_norm": "attention.output.LayerNorm", "output_norm": "output.LayerNorm"}
PART = {"weight": "weight", "bias": "bias", "gamma": "weight", "beta": "bias"}


def hugging_face(name, tensor):
    """Hugging Face's name of a tensor of ours; of the joined projections, three."""
    layer, which, part = name.split(".")
    at = "encoder.layer.%s." % layer[len("layer"):]
    if which != "qkv":
        return [(at + NAMED[which] + "." + PART[part], tensor)]
    return [(at + "attention.self.%s.%s" % (w, part), x) for w, x in zip(("query", "key", "value"), np.split(tensor, 3))]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = ap.add_subparsers(dest="command", required=True)
    c = sub.add_parser("pack")
    c.add_argument("--tokenizer", required=True), c.add_argument("--wordnet", required=True), c.add_argument("--out", required=True)
    c.add_argument("--synsets", type=int, default=40000), c.add_argument("files", nargs="+")
    c = sub.add_parser("train")
    c.add_argument("--base", required=True), c.add_argument("--pack", required=True), c.add_argument("--out", required=True)
    for name, kind, value in (("steps", int, 1050), ("seconds", float, 1e6), ("rate", float, 1e-4), ("warmup", int, 40), ("seed", int, 2), ("every", int, 10),
                              ("save", float, 300), ("drop", float, 0.15), ("share", float, 1), ("chunks", int, 4), ("ask", int, 96), ("same", int, 64), ("talk", int, 5), ("judge", int, 96), ("hold", int, 128), ("w-ask", float, 1), ("w-same", float, 0.5),
                              ("w-talk", float, 0.5), ("w-role", float, 0.3), ("w-value", float, 1), ("w-stay", float, 4), ("w-relations", float, 2), ("alphas", str, "0.5,0.7,0.85,1"), ("figures", int, 1)):
        c.add_argument("--" + name, type=kind, default=value)
    c.add_argument("--start", nargs="*", default=[], help="begin where the mean of these runs ended")
    c = sub.add_parser("sweep")
    c.add_argument("--base", required=True), c.add_argument("--pack", required=True), c.add_argument("--delta", required=True, nargs="+")
    c.add_argument("--alphas", default="0.3,0.5,0.7,0.85,1")
    c = sub.add_parser("merge")
    c.add_argument("--onnx", required=True), c.add_argument("--delta", required=True, nargs="+")
    c.add_argument("--alpha", type=float, required=True), c.add_argument("--out", required=True)
    args = ap.parse_args()
    {"pack": pack, "train": train, "sweep": sweep, "merge": merge}[args.command](args)


if __name__ == "__main__":
    main()
