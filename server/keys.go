package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"daybook"
	"daybook/engine"
)

// Key is an API key as it is kept: everything but the secret itself.
type Key struct {
	ID        string    `json:"id"`
	Name      string    `json:"name,omitempty"`
	Hash      string    `json:"hash,omitempty"` // SHA-256 of the secret, which is random and long
	Tenant    string    `json:"tenant"`
	Users     []string  `json:"users,omitempty"` // the only users that it is for; empty means all of the tenant
	Right     Right     `json:"right"`
	PerMinute int       `json:"per_minute,omitempty"` // requests; 0 means the server's limit
	CreatedAt time.Time `json:"created_at"`
	RevokedAt time.Time `json:"revoked_at,omitzero"`
}

// Keys are the API keys of a home. They are kept in its store, so that changes of several
// processes do not undo each other. It is safe for use by many goroutines.
type Keys struct {
	records engine.Records

	mu     sync.Mutex
	byID   map[string]Key
	looked time.Time
}

const (
	keysKind = "key"
	// keysFresh is how long servers go on with the keys that they read last.
	keysFresh = time.Second
)

// OpenKeys returns the keys of the engine's home, which may have none.
func OpenKeys(ctx context.Context, e *engine.Engine) (*Keys, error) {
	k := &Keys{records: e.Records()}
	_, err := k.List(ctx)
	return k, err
}

// List returns all keys without their hashes, oldest first.
func (k *Keys) List(ctx context.Context) ([]Key, error) {
	all, err := k.load(ctx)
	if err != nil {
		return nil, err
	}
	list := []Key{}
	for _, key := range all {
		key.Hash = ""
		list = append(list, key)
	}
	daybook.Sort(list, func(a, b Key) int {
		if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

// secretPrefix begins what is shown to the user: prefix, id, "_", secret.
const secretPrefix = "dbk_"

// Create makes a key and returns what to send as Bearer. It is shown this once;
// nothing here can bring it back.
func (k *Keys) Create(ctx context.Context, key Key) (secret string, made Key, err error) {
	if !slices.Contains(rightOrder[1:], key.Right) {
		return "", key, daybook.Errorf(daybook.Invalid, "right %q is none of read, write and admin", key.Right)
	}
	if err := (daybook.Scope{Tenant: key.Tenant}).Validate(); err != nil {
		return "", key, err
	}
	raw := rand.Text() + rand.Text()
	key.ID, key.Hash = strings.ToLower(rand.Text()[:12]), hashOf(raw)
	key.CreatedAt = time.Now().UTC().Truncate(time.Second)
	err = k.change(ctx, func(all map[string]Key) error {
		all[key.ID] = key
		return nil
	})
	return secretPrefix + key.ID + "_" + raw, key, err
}

// Revoke makes a key worthless.
func (k *Keys) Revoke(ctx context.Context, id string) (key Key, err error) {
	err = k.change(ctx, func(all map[string]Key) error {
		var ok bool
		if key, ok = all[id]; !ok {
			return daybook.Errorf(daybook.NotFound, "there is no key %q; 'daybook key list' shows what is there", id)
		}
		if key.RevokedAt.IsZero() {
			key.RevokedAt = time.Now().UTC().Truncate(time.Second)
			all[id] = key
		}
		return nil
	})
	key.Hash = ""
	return key, err
}

// Used reports whether there is a key, or was one: a home does not become open by revoking
// the last.
func (k *Keys) Used(ctx context.Context) (bool, error) {
	all, err := k.fresh(ctx)
	return len(all) > 0, err
}

// Find returns the key that a secret opens. How long that takes says nothing about
// the secret.
func (k *Keys) Find(ctx context.Context, secret string) (Key, bool, error) {
	rest, ok := strings.CutPrefix(secret, secretPrefix)
	id, raw, ok2 := strings.Cut(rest, "_")
	all, err := k.fresh(ctx)
	if err != nil {
		return Key{}, false, err
	}
	key := all[id] // the id is no secret
	same := subtle.ConstantTimeCompare([]byte(hashOf(raw)), []byte(key.Hash)) == 1
	return key, ok && ok2 && same && key.RevokedAt.IsZero(), nil
}

func hashOf(raw string) string {
	sum := sha256.Sum256([]byte(raw))
	return hex.EncodeToString(sum[:])
}

// fresh returns the keys as they were a moment ago at most.
func (k *Keys) fresh(ctx context.Context) (map[string]Key, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.looked) <= keysFresh {
		return k.byID, nil
	}
	all, err := k.load(ctx)
	if err == nil {
		k.byID, k.looked = all, time.Now()
	}
	return all, err
}

func (k *Keys) load(ctx context.Context) (map[string]Key, error) {
	bodies, err := k.records.List(ctx, keysKind)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	return decodeKeys(bodies)
}

// change changes the keys while nobody else does.
func (k *Keys) change(ctx context.Context, do func(map[string]Key) error) error {
	err := k.records.Change(ctx, keysKind, func(now [][]byte) (map[string][]byte, error) {
		all, err := decodeKeys(now)
		if err == nil {
			err = do(all)
		}
		if err != nil {
			return nil, err
		}
		return encodeAll(all)
	})
	k.mu.Lock()
	k.looked = time.Time{}
	k.mu.Unlock()
	return err
}

func decodeKeys(bodies [][]byte) (map[string]Key, error) {
	all := map[string]Key{}
	for _, body := range bodies {
		var key Key
		if err := json.Unmarshal(body, &key); err != nil {
			return nil, daybook.Errorf(daybook.Corrupt, "keys: %w", err)
		}
		all[key.ID] = key
	}
	return all, nil
}

func encodeAll[T any](all map[string]T) (map[string][]byte, error) {
	bodies := make(map[string][]byte, len(all))
	for id, v := range all {
		body, err := json.Marshal(v)
		if err != nil {
			return nil, daybook.Errorf(daybook.Internal, "record %s: %w", id, err)
		}
		bodies[id] = body
	}
	return bodies, nil
}
