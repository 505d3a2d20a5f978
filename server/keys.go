package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"daybook"
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

// Keys are the API keys of a home: one file, which is read again when it changes,
// so that a key is revoked while servers run. It is safe for use by many
// goroutines.
type Keys struct {
	path string

	mu       sync.Mutex
	byID     map[string]Key
	modified time.Time
	size     int64
	looked   time.Time
}

// keysFile is the name of the file in a home.
const keysFile = "keys.json"

// OpenKeys returns the keys of a home, which may have none.
func OpenKeys(home string) (*Keys, error) {
	k := &Keys{path: filepath.Join(home, keysFile)}
	_, err := k.List()
	return k, err
}

// List returns all keys without their hashes, oldest first.
func (k *Keys) List() ([]Key, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.reload(); err != nil {
		return nil, err
	}
	list := []Key{}
	for _, key := range k.byID {
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
func (k *Keys) Create(key Key) (secret string, made Key, err error) {
	if !slices.Contains(rightOrder[1:], key.Right) {
		return "", key, daybook.Errorf(daybook.Invalid, "right %q is none of read, write and admin", key.Right)
	}
	if err := (daybook.Scope{Tenant: key.Tenant}).Validate(); err != nil {
		return "", key, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.reload(); err != nil {
		return "", key, err
	}
	raw := rand.Text() + rand.Text()
	key.ID, key.Hash = strings.ToLower(rand.Text()[:12]), hashOf(raw)
	key.CreatedAt = time.Now().UTC().Truncate(time.Second)
	if k.byID == nil {
		k.byID = map[string]Key{}
	}
	k.byID[key.ID] = key
	return secretPrefix + key.ID + "_" + raw, key, k.save()
}

// Revoke makes a key worthless.
func (k *Keys) Revoke(id string) (Key, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.reload(); err != nil {
		return Key{}, err
	}
	key, ok := k.byID[id]
	if !ok {
		return key, daybook.Errorf(daybook.NotFound, "there is no key %q; 'daybook key list' shows what is there", id)
	}
	if key.RevokedAt.IsZero() {
		key.RevokedAt = time.Now().UTC().Truncate(time.Second)
		k.byID[id] = key
	}
	key.Hash = ""
	return key, k.save()
}

// Any reports whether there is a key that was not revoked.
func (k *Keys) Any() (bool, error) {
	list, err := k.List()
	return slices.ContainsFunc(list, func(key Key) bool { return key.RevokedAt.IsZero() }), err
}

// Find returns the key that a secret opens. How long that takes says nothing about
// the secret.
func (k *Keys) Find(secret string) (Key, bool, error) {
	rest, ok := strings.CutPrefix(secret, secretPrefix)
	id, raw, ok2 := strings.Cut(rest, "_")
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.looked) > time.Second {
		if err := k.reload(); err != nil {
			return Key{}, false, err
		}
	}
	key := k.byID[id] // the id is no secret
	same := subtle.ConstantTimeCompare([]byte(hashOf(raw)), []byte(key.Hash)) == 1
	return key, ok && ok2 && same && key.RevokedAt.IsZero(), nil
}

func hashOf(raw string) string {
	sum := sha256.Sum256([]byte(raw))
	return hex.EncodeToString(sum[:])
}

// reload reads the file if it is another than the one that was read last; the
// caller holds the lock.
func (k *Keys) reload() error {
	k.looked = time.Now()
	info, err := os.Stat(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		k.byID, k.modified, k.size = nil, time.Time{}, 0
		return nil
	}
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "keys: %w", err)
	}
	if info.ModTime().Equal(k.modified) && info.Size() == k.size {
		return nil
	}
	data, err := os.ReadFile(k.path)
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "keys: %w", err)
	}
	var list []Key
	if err := json.Unmarshal(data, &list); err != nil {
		return daybook.Errorf(daybook.Corrupt, "keys: %s: %w", k.path, err)
	}
	k.byID = map[string]Key{}
	for _, key := range list {
		k.byID[key.ID] = key
	}
	k.modified, k.size = info.ModTime(), info.Size()
	return nil
}

// save puts a new file in the place of the old one; the caller holds the lock.
func (k *Keys) save() error {
	list := make([]Key, 0, len(k.byID))
	for _, key := range k.byID {
		list = append(list, key)
	}
	daybook.Sort(list, func(a, b Key) int { return strings.Compare(a.ID, b.ID) })
	return saveJSON(k.path, list)
}

// saveJSON replaces a file of a home, whole or not at all.
func saveJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return daybook.Errorf(daybook.Internal, "write %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return daybook.Errorf(daybook.Unavailable, "%w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".daybook-*") // mode 0600
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "%w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return daybook.Errorf(daybook.Unavailable, "write %s: %w", path, err)
	}
	return nil
}
