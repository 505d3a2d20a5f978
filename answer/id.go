package answer

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// IDOf names an answer by all that it follows from: the question, the commit up
// to which the ledger was read, the view, and the time from which it was asked.
// The same of all four give the same answer, so that it can be made again.
func IDOf(question, commit, view string, now time.Time) string {
	h := sha256.New()
	for _, part := range []string{question, commit, view, now.UTC().Format(time.RFC3339Nano)} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return "ans_" + hex.EncodeToString(h.Sum(nil))[:26]
}
