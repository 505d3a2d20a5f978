#!/usr/bin/env python3
"""Write the sentences of the encoder's goldens: our own, from templates.

  sentences.py prose 1000   > model/testdata/sentences.txt
  sentences.py tokens 2400  > texts.jsonl      (one JSON string per line)

The first kind reads like what an agent remembers. The second kind is meant to
break tokenizers: accents, CJK, emoji, URLs, code, control characters, long
inputs. Both depend on the seed only, so a golden can be made again.
"""
import json
import random
import sys

NAMES = """Amara Bertil Chiara Dmitri Eleni Farouk Greta Hiroshi Ines Jonas Kavita Leif Marisol Nikhil Oksana Pavel
Quentin Rosalind Samir Tove Ulrich Valeria Wanda Xavier Yuki Zeynep Aoife Bjorn Camille Dara""".split()
PLACES = """Lisbon Trondheim Kyoto Porto Galway Montreal Tallinn Valencia Hanoi Accra Quito Bergen Ljubljana Sapporo
Marrakesh Leeds Oaxaca Tbilisi Gdansk Wellington""".split()
JOBS = ["nurse", "carpenter", "tax adviser", "marine biologist", "violin teacher", "bus driver", "backend engineer",
        "pastry chef", "court interpreter", "radiologist", "beekeeper", "set designer", "geologist", "paramedic"]
HOBBIES = ["pottery", "rock climbing", "bird watching", "baking sourdough", "restoring old radios", "open-water swimming",
           "chess", "night photography", "learning the cello", "growing tomatoes", "fencing", "writing haiku",
           "long-distance cycling", "woodturning", "knitting socks", "amateur astronomy"]
PETS = ["a grey cat called Pixel", "two rescue greyhounds", "a tortoise", "an elderly parrot", "a beagle named Moss",
        "three goldfish", "a rabbit that chews cables", "a hedgehog"]
THINGS = ["the blue bicycle", "my grandmother's ring", "a second-hand piano", "the camping stove", "the spare key",
          "our marriage certificate", "a cracked phone", "the red notebook", "the sewing machine", "a leaking kayak"]
TIMES = ["last Tuesday", "in the spring of 2019", "two weeks ago", "on 14 March", "the day before yesterday", "in early autumn",
         "at half past six", "next Friday", "over the long weekend", "when I was nine", "since January", "on my birthday"]
FEELINGS = ["relieved", "rather nervous", "over the moon", "exhausted but proud", "a little homesick", "furious",
            "quietly hopeful", "embarrassed", "grateful", "completely lost"]
REASONS = ["because the landlord sold the building", "after the doctor insisted", "so the children could see the snow",
           "since the train was cancelled again", "to be nearer to an ageing father", "although nobody had asked",
           "despite the awful weather", "because the visa finally came through", "in order to save money"]
FOODS = ["lentil soup", "grilled mackerel", "a mushroom risotto", "pickled beetroot", "too much cardamom cake", "cold noodles",
         "a cheese fondue", "black coffee", "plum dumplings"]
TOPICS = ["the quarterly budget", "a broken boiler", "school admissions", "the new database migration", "a noisy neighbour",
          "their divorce", "solar panels", "the choir's programme", "an allergy to peanuts", "the marathon plan",
          "the lease", "retirement", "a lost passport"]
NUMBERS = ["3", "17", "42", "250", "1,200", "0.75", "9:30", "15 %", "€80", "12 km"]

PROSE = [
    "{n} works as a {j} in {p}.", "{n} quit the job as a {j} {t} {r}.", "{n} and {n2} moved from {p} to {p2} {t}.",
    "I have been {f} about {o} {t}.", "My favourite hobby these days is {h}.", "{n} took up {h} {r}.",
    "We keep {e} at home, and {n} feeds them.", "Has {n} ever talked about {o}?", "Where did {n} go {t}?",
    "When did {n2} start {h}?", "What does {n} do for a living?", "Who gave {g} to {n}?",
    "{n} sold {g} for {x} {t}.", "{n} is allergic to {d}, so we cooked {d2} instead.",
    "\"I felt {f},\" said {n}, \"{r}.\"", "The meeting about {o} was moved to {x} {t}.",
    "Please remind me to ask {n} about {o}.", "{n} never liked {p}, but {n2} calls it home.",
    "We argued about {o} for an hour and then shared {d}.", "After {x} attempts, {n} finally fixed {g}.",
    "Hey {n}! How was {p}? I heard you tried {h}!", "Thanks, {n}. It means a lot to me; I was {f} all week.",
    "{n}'s sister is a {j} and spends every weekend {h}.", "There is no {j} in the family any more.",
    "A man is repairing {g} outside the station.", "Two children are eating {d} near the harbour.",
    "The {j} from {p} refuses to discuss {o}.", "I lost {g} {t} and found it {t2}.",
    "Our plan: fly to {p}, rent a car, visit {n}, and be back {t}.",
    "It rained in {p} {t}, so the concert was cancelled and everyone went for {d}.",
    "{n} used to live in {p}; now the address is in {p2}.", "They promised {x} volunteers, yet only {n} came.",
    "Is it true that {n} and {n2} are getting married {t}?", "Nobody told the {j} that {o} had been settled.",
    "The doctor said {n} should stop {h} for a while {r}.", "{n} prefers {d} to {d2}, especially {t}.",
    "The deployment failed {t}: the service ran out of memory after {x} requests.",
    "Note to self: renew the insurance, call {n}, return {g}.",
    "While walking through {p}, {n} met an old friend who is now a {j} and who, it turned out, had also been thinking about {o}.",
    "Why was {n} so {f} {t}?", "{n} adopted {e} {t} {r}.", "Which of us booked the room in {p} for {x} people?",
    "I think {h} helps me to be less {f}.", "The recipe needs {x} grams of flour and some {d}.",
]


def prose_one(rng):
    pick = rng.choice
    s = pick(PROSE).format(n=pick(NAMES), n2=pick(NAMES), p=pick(PLACES), p2=pick(PLACES), j=pick(JOBS), h=pick(HOBBIES),
                           e=pick(PETS), g=pick(THINGS), t=pick(TIMES), t2=pick(TIMES), f=pick(FEELINGS), r=pick(REASONS),
                           d=pick(FOODS), d2=pick(FOODS), o=pick(TOPICS), x=pick(NUMBERS))
    return s[0].upper() + s[1:]


def prose(count, seed=1):
    rng, seen, out = random.Random(seed), set(), []
    while len(out) < count:
        s = prose_one(rng)
        if rng.random() < 0.12:
            s += " " + prose_one(rng)
        if s not in seen:
            seen.add(s)
            out.append(s)
    return out


ACCENTS = "Ça déjà vu Ærøskøbing naïve Zürich Škoda İstanbul ıssız straße ﬁancé Łódź Ångström Ħamrun Đà Nẵng São Ὀδυσσεύς ΣΊΣΥΦΟΣ Ёлка йод Київ résumé re\u0301sume\u0301 A\u030angstro\u0308m ẞ ǅ Ꜳ ﬀ ½ ² Ⅷ".split()
CJK = ["東京タワー", "你好世界", "漢字とかな交じり文", "한국어 문장입니다", "𠀋𠮷野家", "ひらがな", "カタカナ", "ﾊﾝｶｸ", "中文English混排", "㐀㐁", "豈更車", "「引用」、句点。"]
EMOJI = ["😀", "👩‍👩‍👧‍👦", "🇫🇷", "👍🏽", "❤️", "☕", "🧑🏿‍🚀", "✨", "#️⃣", "🫠", "™", "→", "∑", "€", "…", "—", "“”", "‽", "¿¡"]
URLS = ["https://example.org/a/b?q=1&r=%20x#frag", "http://user:pw@10.0.0.1:8080/", "mailto:someone+tag@example.com",
        "ftp://files.example.net/~me/x_y-z.tar.gz", "www.example.co.uk", "s3://bucket/key", "file:///C:/Temp/a b.txt"]
CODE = ["if (x != nil && y[i] >= 0) { return x->z; }", "SELECT * FROM t WHERE a='b' -- c", "def f(*args, **kw): return {k: v for k, v in kw.items()}",
        "std::vector<std::pair<int, float>> v{{1, 2.f}};", "$ grep -rn 'TODO' ./src | wc -l", "λx.x ∀x∈ℝ: x²≥0", "<div class=\"a\">&nbsp;</div>",
        "0xDEADBEEF 1e-9 3.14159 0b1010 1_000_000", "camelCaseIdentifier snake_case_identifier SCREAMING_CASE kebab-case", "\\n\\t\\u00e9 \\\\server\\share"]
SPACES = ["\t", "\n", "\r\n", "\u00a0", "\u3000", "\u2003", "\u200b", "\u200d", "\ufeff", "\u00ad", "\u0000", "\u0007", "\ufffd", "\u2028", "\u0085", "\u202e", "   "]
OTHER = ["नमस्ते दुनिया", "مرحبا بالعالم", "שָׁלוֹם עולם", "สวัสดีชาวโลก", "Привет, мир!", "გამარჯობა", "ሰላም", "ᚠᛇᚻ", "𝕳𝖊𝖑𝖑𝖔", "Ｆｕｌｌｗｉｄｔｈ", "ⓒⓘⓡⓒⓛⓔ",
         "[CLS]", "[SEP]", "[MASK]", "[UNK]", "[cls]", "[ SEP ]", "##ing", "x" * 99, "y" * 100, "z" * 101, "antidisestablishmentarianism",
         "don't", "rock'n'roll", "U.S.A.", "e.g.", "3.5%", "C++", "C#", ".NET", "50/50", "#hashtag", "@handle", "co-op's"]


def stray(rng):
    """A few random code points from all of Unicode, surrogates left out."""
    out = []
    for _ in range(rng.randint(1, 6)):
        c = rng.choice([rng.randint(1, 0x2fff), rng.randint(1, 0xffff), rng.randint(1, 0x10ffff)])
        out.append(chr(c) if not 0xd800 <= c <= 0xdfff else "?")
    return "".join(out)


def messy(rng):
    pools = [ACCENTS, CJK, EMOJI, URLS, CODE, OTHER]
    parts = []
    for _ in range(rng.randint(1, 9)):
        k = rng.random()
        if k < 0.35:
            parts.append(prose_one(rng))
        elif k < 0.92:
            parts.append(rng.choice(rng.choice(pools)))
        else:
            parts.append(stray(rng))
    out = parts[0]
    for p in parts[1:]:
        out += (rng.choice(SPACES) if rng.random() < 0.2 else rng.choice([" ", " ", " ", ""])) + p
    return out


def tokens(count, seed=2):
    rng = random.Random(seed)
    out = ["", " ", "\n", "[CLS]", "a", "\u0301", "é" * 10000, "word " * 2000, "漢" * 10000, "x" * 10000, "😀" * 2500, "\u200b" * 50]
    for pool in (ACCENTS, CJK, EMOJI, URLS, CODE, SPACES, OTHER):
        out += pool
    for i in range(12):
        s = ""
        while len(s) < 10000:
            s += messy(rng) + rng.choice([" ", "\n"])
        out.append(s[:10000])
    while len(out) < count:
        out.append(messy(rng))
    return out


if __name__ == "__main__":
    kind, count = sys.argv[1], int(sys.argv[2])
    if kind == "prose":
        print("\n".join(prose(count)))
    elif kind == "tokens":
        for t in tokens(count):
            print(json.dumps(t))
    else:
        sys.exit("sentences.py: want prose or tokens, got " + kind)
