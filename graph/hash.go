package graph

import (
	"crypto/sha256"
	"encoding/binary"

	"daybook"
	"daybook/store"
)

// saltSize makes the hash of an erased content useless for guessing it: the
// salt is random and is erased with the content.
const saltSize = 16

// leafHash is the hash of one content.
func leafHash(salt, body []byte) store.Hash {
	h := sha256.New()
	h.Write([]byte("daybook content 1\n"))
	h.Write(salt)
	h.Write(body)
	return store.Hash(h.Sum(nil))
}

// commitID is the hash of a commit: of its parent and of all that it holds.
func commitID(c store.Commit, leaves []store.Hash) daybook.CommitID {
	h := sha256.New()
	h.Write([]byte("daybook commit 1\n"))
	h.Write(c.Parent[:])
	number := func(n uint64) { h.Write(binary.BigEndian.AppendUint64(nil, n)) }
	number(c.Seq)
	number(uint64(c.RecordedAt.UnixMicro()))
	number(uint64(len(c.Author)))
	h.Write([]byte(c.Author))
	number(uint64(len(leaves)))
	for _, l := range leaves {
		h.Write(l[:])
	}
	return daybook.CommitID(h.Sum(nil))
}
