"""Chats of tidy sentences: states of tools/states told in the talks of tools/conversations, with questions for them.

People do not write so, but other programs' tests and forms do. Only what is put in is learned from: nobody marked what
the talks themselves state.
"""
import datetime
import random

TALKS, CHAINS = 5, 14  # talks of one chat, states of each of its two speakers


def names_of(talk):
    return list(dict.fromkeys(t["speaker"] for t in talk["turns"]))[:2]


def joined(talks, rng):
    """Talks one after the other as if two people had had all of them: (date, speaker, text) by session."""
    ours = names_of(talks[0])
    day, sessions = datetime.date(2022, 1, 10) + datetime.timedelta(days=rng.randrange(700)), []
    for talk in talks:
        swap = dict(zip(names_of(talk), ours))
        for number in dict.fromkeys(t["session"] for t in talk["turns"]):
            turns = []
            for t in talk["turns"]:
                if t["session"] == number and t["speaker"] in swap:
                    text = t["text"]
                    for theirs, our in swap.items():
                        text = text.replace(theirs, our)
                    turns.append((swap[t["speaker"]], text))
            if turns:
                sessions.append((day.isoformat(), turns))
                day += datetime.timedelta(days=rng.randrange(5, 30))
    return ours, sessions


class Chat:
    def __init__(self, rng, ours, sessions):
        self.rng, self.ours, self.sessions = rng, ours, sessions
        self.told = []       # [session, place in it, speaker, text, claims] that are put in
        self.questions = []

    def tell(self, session, speaker, text, value, about, stance, **more):
        t = {"session": session, "place": self.rng.random(), "speaker": speaker, "text": text.replace("{v}", value), "value": value,
             "who": speaker, "about": about, "stance": stance, **more}
        self.told.append(t)
        return t

    def chain(self, speaker, a):
        """A state of one speaker: its values in the order of sessions, and what only sounds like one."""
        rng = self.rng
        values = rng.sample(a["values"], min(len(a["values"]), 6))
        steps = values[:rng.choice((1, 2, 2, 2, 2, 3))]
        if len(steps) == 2 and rng.random() < 0.2:
            steps.append(steps[0])
        places = sorted(rng.sample(range(len(self.sessions)), min(len(steps), len(self.sessions))))
        last, cues = None, []
        for value, place in zip(steps, places):
            kind = rng.choice(("state", "paraphrase") if last is None else ("state", "update", "update", "paraphrase", "reason"))
            last = self.tell(place, speaker, rng.choice(a[kind]), value, a["attribute"], "holds", closes=last, kind=kind)
            cues.append(last)
        other = self.ours[1 - self.ours.index(speaker)]
        for lure, stance in (("past", "past"), ("plan", "planned"), ("hyp", "hypothetical"), ("rumor", "denied"), ("temp", ""), ("third", ""), ("add", "")):
            if rng.random() < 0.14 and len(values) > len(steps):
                self.tell(rng.randrange(len(self.sessions)), speaker, rng.choice(a[lure]), values[-1], a["attribute"], stance)
        if rng.random() < 0.3:
            self.tell(rng.randrange(len(self.sessions)), other, rng.choice(a["state"]), values[-1], a["attribute"], "holds")
        self.ask(speaker, a, cues)

    def ask(self, speaker, a, cues):
        rng = self.rng
        add = lambda kind, key, cue, words, **more: self.questions.append(
            {"kind": kind, "q": rng.choice(a["q_" + key]).replace("{name}", speaker), "cue": cue, "words": words, "who": speaker, "about": a["attribute"], **more})
        add("current", "current", cues[-1], cues[-1]["value"])
        if len(cues) == 1:
            return
        add("historical", "past", cues[-2] if len(cues) == 2 or cues[0]["value"] == cues[2]["value"] else cues[0], None) if len(cues) == 2 or cues[0]["value"] == cues[2]["value"] else None
        if rng.random() < 0.4:
            add("when", "when", cues[-1], "")
        if cues[-1]["kind"] == "reason":
            add("why", "why", cues[-1], cues[-1]["text"].rstrip("."))
        if rng.random() < 0.5:
            cue = rng.choice(cues[:-1])
            day = datetime.date.fromisoformat(self.sessions[cue["session"]][0]) + datetime.timedelta(days=1)
            q = rng.choice(a["q_past"] if rng.random() < 0.3 else a["q_current"]).replace("{name}", speaker).rstrip("?")
            when = rng.choice((day.strftime("%-d %B %Y"), day.strftime("%B %-d, %Y"), day.isoformat()))
            self.questions.append({"kind": "asof", "q": rng.choice(("As of %s, %s?" % (when, q[0].lower() + q[1:]), "%s on %s?" % (q, when))), "cue": cue,
                                   "words": cue["value"], "who": speaker, "about": a["attribute"], "at": day.isoformat()})

    def absent(self, speaker, a):
        if self.rng.random() < 0.5:
            lure = self.rng.choice(("third", "hyp", "rumor", "topic"))
            self.tell(self.rng.randrange(len(self.sessions)), speaker, self.rng.choice(a[lure]), self.rng.choice(a["values"]), a["attribute"], "")
        self.questions.append({"kind": "absent", "q": self.rng.choice(a["q_current"]).replace("{name}", speaker), "cue": None, "words": "", "who": speaker, "about": a["attribute"]})


def chats(talks, attributes, seed=7):
    """Yields chats as pack.py packs them: sessions of messages, each a dict with what was put in."""
    rng = random.Random(seed)
    talks = [t for t in talks if len(names_of(t)) == 2]
    rng.shuffle(talks)
    for i in range(0, len(talks) - TALKS + 1, TALKS):
        ours, sessions = joined(talks[i:i + TALKS], rng)
        chat = Chat(rng, ours, sessions)
        mine = rng.sample(attributes, 2 * CHAINS + 6)
        for k, a in enumerate(mine[:2 * CHAINS]):
            chat.chain(ours[k % 2], a)
        for k, a in enumerate(mine[2 * CHAINS:]):
            chat.absent(ours[k % 2], a)
        messages = []
        for number, (day, turns) in enumerate(sessions):
            mixed = [(p + rng.random() / 2, {"speaker": s, "text": t}) for p, (s, t) in enumerate(turns)]
            mixed += [(t["place"] * len(turns), t) for t in chat.told if t["session"] == number]
            messages += [dict(m, session=number, date=day, told=m if "about" in m else None) for _, m in sorted(mixed, key=lambda x: x[0])]
        yield {"name": "tidy%d" % (i // TALKS), "messages": messages, "questions": chat.questions}
