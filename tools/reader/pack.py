#!/usr/bin/env python3
"""Turns the chats of the corpus into token ids and places of tokens, for train.py.

  pack.py --encoder model/assets/e5-small-v2.dbm --out PACK.json.gz --rows ROWS [--talks FILE …] [--dev NAME=FOLDER:ROWS …] -- CHATS

CHATS is a folder that `go run ./tools/corpus export` wrote. ROWS is a folder with NAME.rows: for every question of a
chat one line {"id", "rows"}, the messages that recall found, best first. A --dev folder holds chatN.jsonl and
chatN.questions.jsonl that are never trained on.
"""
import argparse
import glob
import gzip
import json
import os
import re
import struct
import zlib

import tidy

STANCES = ["holds", "ended", "planned", "hypothetical", "reported", "denied", "joke", "past", "suggestion", "rule"]
KINDS = ["current", "historical", "asof", "when", "why", "how", "plain", "multi", "absent", "contested", "list"]
FORMS = ["", "yes/no", "how many", "how long", "how much", "order", "summary", "who", "where", "what", "when", "which"]
MESSAGE = 128      # most tokens of a message that are read
BEFORE = 4         # messages before it that a holder may be named in


def norm(s):
    return re.sub(r"[^a-z0-9]+", " ", s.lower()).strip()


def vocabulary(path):
    """The words of a model file, with their numbers."""
    data = open(path, "rb").read()
    length, = struct.unpack("<I", data[12:16])
    header, start = json.loads(data[16:16 + length]), (16 + length + 63) // 64 * 64
    at = header["sections"]["vocabulary"]
    words = data[start + at["offset"]:start + at["offset"] + at["length"]].decode().split("\n")
    return {w.rstrip("\r"): i for i, w in enumerate(words) if w}


class Packer:
    def __init__(self, path):
        from tokenizers import BertWordPieceTokenizer
        self.tokenizer = BertWordPieceTokenizer(vocabulary(path), lowercase=True, strip_accents=True, clean_text=True, handle_chinese_chars=True)
        self.number, self.strings = {}, []

    def encode(self, text):
        e = self.tokenizer.encode(text, add_special_tokens=False)
        return e.ids, e.offsets

    def string(self, text):
        """The number of a short text that many places share."""
        if text not in self.number:
            self.number[text] = len(self.strings)
            self.strings.append(self.encode(text)[0][:24])
        return self.number[text]


def touched(offsets, start, end):
    found = [k for k, (a, b) in enumerate(offsets) if b > start and a < end]
    return (found[0], found[-1]) if found else None


def find(text, phrase):
    """Where a phrase stands in a text as whole words, whatever the case."""
    m = re.search(r"(?<!\w)" + re.escape(phrase) + r"(?!\w)", text, re.I) if phrase else None
    return m.span() if m else None


def mention(text, who):
    """Where a text names somebody: by the whole name, without its article, or by its longest word."""
    plain = re.sub(r"^(the|a|an|my|our)\s+", "", who, flags=re.I)
    words = sorted((w for w in re.findall(r"\w[\w'-]+", plain) if len(w) > 2), key=len, reverse=True)
    for phrase in [who, plain] + words[:1]:
        at = find(text, phrase)
        if at:
            return at
    return None


def read(path):
    return [json.loads(line) for line in open(path, encoding="utf-8") if line.strip()]


def pack_chat(p, base, rows, name):
    messages = read(base + ".jsonl")
    at = {m["id"]: i for i, m in enumerate(messages)}
    speakers, sessions, msgs, offsets = [], [], [], []
    for m in messages:
        if m["speaker"] not in speakers:
            speakers.append(m["speaker"])
        if m["session"] not in sessions:
            sessions.append(m["session"])
        ids, places = p.encode(m["text"])
        ids, places = ids[:MESSAGE], places[:MESSAGE]
        offsets.append(places)
        msgs.append([sessions.index(m["session"]), speakers.index(m["speaker"]), p.string(m["time"][:10]), ids])
    chat = {"name": name, "speakers": [p.string(s) for s in speakers], "msgs": msgs, "claims": [], "questions": []}
    states, claims = {}, read(base + ".claims.jsonl") if os.path.exists(base + ".claims.jsonl") else []
    kept = []
    for c in claims:
        i = at[c["msg"]]
        start = messages[i]["text"].find(c["words"])
        span = touched(offsets[i], start, start + len(c["words"])) if start >= 0 and c["words"] else None
        if span is None:
            continue
        key = (norm(c["who"]), norm(c["about"]))
        state = states.setdefault(key, len(states))
        kept.append((c, i, state))
        chat["claims"].append([i, span[0], span[1], STANCES.index(c["stance"]), p.string(c["who"]), p.string(c["about"]), state,
                               p.string(norm(c["value"])), [], [], holder(messages, offsets, speakers, i, c["who"])])
    for k, (c, i, state) in enumerate(kept):
        for field, ids in ((8, c["closes"]), (9, c["same_as"])):
            for j, (o, oi, ostate) in enumerate(kept):
                if ostate == state and o["msg"] in ids and j != k:
                    chat["claims"][k][field].append(j)
    found = {r["id"]: r["rows"] for r in read(rows)} if os.path.exists(rows) else {}
    for q in read(base + ".questions.jsonl"):
        chat["questions"].append(question(p, q, at, messages, offsets, states, kept, found.get(q["id"], [])))
    return chat


def holder(messages, offsets, speakers, i, who):
    """The places that name the holder: [message back, first token, last token]; -1 back for the speaker."""
    if norm(who) == norm(messages[i]["speaker"]):
        return [[-1, 0, 0]]
    out = []
    for back in range(BEFORE + 1):
        j = i - back
        if j < 0 or messages[j]["session"] != messages[i]["session"]:
            break
        where = mention(messages[j]["text"], who)
        span = touched(offsets[j], *where) if where else None
        if span:
            out.append([back, span[0], span[1]])
    return out


def question(p, q, at, messages, offsets, states, kept, rows):
    evidence = [at[e] for e in q["evidence"] if e in at]
    span = [-1, -1]
    if evidence and q.get("words"):
        start = messages[evidence[0]]["text"].find(q["words"])
        span = list(touched(offsets[evidence[0]], start, start + len(q["words"])) or span) if start >= 0 else span
    state = states.get((norm(q.get("who", "")), norm(q.get("about", ""))), -1)
    if state < 0 and evidence and q["kind"] in ("current", "historical", "asof", "plain"):
        for c, i, s in kept:  # the state of the words that answer
            if i == evidence[0] and q.get("words") and (q["words"] in c["words"] or c["words"] in q["words"]):
                state = s
                break
    answer = norm(q["answer"]).split()
    polarity = {"yes": 1, "no": 0}.get(answer[0], -1) if answer else -1
    ids, places = p.encode(q["question"])
    return [ids[:48], KINDS.index(q["kind"]), FORMS.index(q.get("form", "")), state, evidence, span, polarity,
            [at[r] for r in rows if r in at], [q["answer"]] + q["accept"], q["stale"], q.get("at", "")]


def pack_talk(p, c):
    """A conversation of tools/conversations: only its questions are learned from."""
    turns = c["turns"]
    speakers = list(dict.fromkeys(t["speaker"] for t in turns))
    encoded = [p.encode(t["text"]) for t in turns]
    msgs = [[t["session"], speakers.index(t["speaker"]), p.string(""), e[0][:MESSAGE]] for t, e in zip(turns, encoded)]
    chat = {"name": c["id"], "held": 3, "speakers": [p.string(s) for s in speakers], "msgs": msgs, "claims": [], "questions": []}
    stems = [{w[:5] for w in norm(t["speaker"] + " " + t["text"]).split() if len(w) > 2} for t in turns]
    often = {}
    for some in stems:
        for w in some:
            often[w] = often.get(w, 0) + 1
    for q in c["questions"]:
        evidence = [e for e in q["evidence"] if e < len(turns)]
        at = find(turns[evidence[0]]["text"], q["answer"]) if evidence and q["answer"] else None
        span = touched(encoded[evidence[0]][1][:MESSAGE], *at) if at else None
        asked = {w[:5] for w in norm(q["q"]).split() if len(w) > 2}
        rows = sorted(range(len(turns)), key=lambda i: -sum(often[w] ** -0.5 for w in asked & stems[i]))[:20]
        chat["questions"].append([p.encode(q["q"])[0][:48], KINDS.index("plain" if q["answer"] else "absent"), 0, -1, evidence if q["answer"] else [],
                                  list(span or (-1, -1)), -1, rows, [q["answer"]], [], ""])
    return chat


def pack_tidy(p, c):
    """A chat of tidy.py: only what was put into the talks is learned from."""
    messages = c["messages"]
    at = {id(m["told"]): i for i, m in enumerate(messages) if m["told"]}
    speakers = list(dict.fromkeys(m["speaker"] for m in messages))
    encoded = [p.encode(m["text"]) for m in messages]
    msgs = [[m["session"], speakers.index(m["speaker"]), p.string(m["date"]), e[0][:MESSAGE]] for m, e in zip(messages, encoded)]
    chat = {"name": c["name"], "held": 4, "speakers": [p.string(s) for s in speakers], "msgs": msgs, "claims": [], "questions": [], "read": sorted(at.values())}
    states, number = {}, {}
    for i, m in enumerate(messages):
        t = m["told"]
        start = t["text"].find(t["value"]) if t and t["stance"] else -1
        span = touched(encoded[i][1][:MESSAGE], start, start + len(t["value"])) if start >= 0 else None
        if span is None:
            continue
        state = states.setdefault((t["who"], t["about"]), len(states))
        number[id(t)] = len(chat["claims"])
        closed = [number[id(t["closes"])]] if t.get("closes") and id(t["closes"]) in number else []
        chat["claims"].append([i, span[0], span[1], STANCES.index(t["stance"]), p.string(t["who"]), p.string(t["about"]), state, p.string(norm(t["value"])), closed, [], [[-1, 0, 0]]])
    stems = [{w[:5] for w in norm(m["speaker"] + " " + m["text"]).split() if len(w) > 2} for m in messages]
    often = {}
    for some in stems:
        for w in some:
            often[w] = often.get(w, 0) + 1
    for q in c["questions"]:
        cue = at[id(q["cue"])] if q["cue"] else -1
        words = q["cue"]["value"] if q["words"] is None else q["words"]
        start = messages[cue]["text"].find(words) if words else -1
        span = touched(encoded[cue][1][:MESSAGE], start, start + len(words)) if start >= 0 else None
        asked = {w[:5] for w in norm(q["q"]).split() if len(w) > 2}
        told = {i for i, m in enumerate(messages) if m["told"] and m["told"]["about"] == q["about"]}  # recall finds most of them by meaning
        rows = sorted(range(len(messages)), key=lambda i: -sum(often[w] ** -0.5 for w in asked & stems[i]) - (i in told))[:20]
        chat["questions"].append([p.encode(q["q"])[0][:48], KINDS.index(q["kind"]), 0, states.get((q["who"], q["about"]), -1), [cue] if cue >= 0 else [],
                                  list(span or (-1, -1)), -1, rows, [words], [], q.get("at", "")])
    return chat


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--encoder", required=True)
    a.add_argument("--out", required=True)
    a.add_argument("--rows", required=True)
    a.add_argument("--dev", nargs="*", default=[])
    a.add_argument("--talks", nargs="*", default=[])
    a.add_argument("--states", help="states to tell in the talks, in tidy sentences")
    a.add_argument("chats")
    a = a.parse_args()
    p = Packer(a.encoder)
    chats = []
    for f in sorted(glob.glob(os.path.join(a.chats, "*.claims.jsonl"))):
        name = os.path.basename(f)[:-len(".claims.jsonl")]
        chat = pack_chat(p, f[:-len(".claims.jsonl")], os.path.join(a.rows, name + ".rows"), name)
        chat["held"] = int(zlib.crc32(name.encode()) % 10 == 0)
        chats.append(chat)
    for d in a.dev:
        kind, where = d.split("=")
        folder, rows = where.split(":")
        for f in sorted(glob.glob(os.path.join(folder, "chat?.jsonl"))):
            n = os.path.basename(f)[len("chat"):-len(".jsonl")]
            chat = pack_chat(p, f[:-len(".jsonl")], os.path.join(rows, kind + n + ".rows"), kind + n)
            chat["held"], chat["texts"] = 2, [m["text"] for m in read(f)]
            chat["offsets"] = [p.encode(t)[1][:MESSAGE] for t in chat["texts"]]
            chats.append(chat)
    talks = [c for f in a.talks for c in read(f)]
    chats += [pack_talk(p, c) for c in talks]
    if a.states:
        chats += [pack_tidy(p, c) for c in tidy.chats(talks, read(a.states))]
    for chat in chats:
        if chat["held"] == 1:
            messages = read(os.path.join(a.chats, chat["name"] + ".jsonl"))
            chat["texts"] = [m["text"] for m in messages]
            chat["offsets"] = [p.encode(t)[1][:MESSAGE] for t in chat["texts"]]
    with gzip.open(a.out, "wt") as f:
        json.dump({"strings": p.strings, "texts": [t for t, _ in sorted(p.number.items(), key=lambda x: x[1])], "chats": chats}, f)
    print(len(chats), "chats", sum(len(c["claims"]) for c in chats), "claims", sum(len(c["questions"]) for c in chats), "questions",
          sum(c["held"] == 1 for c in chats), "held out; holder found", sum(bool(x[10]) for c in chats for x in c["claims"]) / max(1, sum(len(c["claims"]) for c in chats)),
          "question state known", sum(q[3] >= 0 for c in chats for q in c["questions"]) / sum(len(c["questions"]) for c in chats))


if __name__ == "__main__":
    main()
