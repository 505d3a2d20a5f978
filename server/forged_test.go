package server_test

import (
	"net/http"
	"strings"
	"testing"
)

// A certificate that says something else than the ledger is the caller's fault.
func TestForgedCertificate(t *testing.T) {
	d := open(t, nil)
	key := d.admin("acme")
	get[object](d, key, "POST", "/v1/memories", object{"user_id": "u", "messages": "hello"})
	done := get[struct{ Certificates []object }](d, key, "POST", "/v1/forget", object{"user_id": "u", "everything": true})
	lies := object{"digest": strings.Repeat("ab", 32), "erased": 99, "selector": "id", "seq": 77}
	for field, lie := range lies {
		forged := object{}
		for k, v := range done.Certificates[0] {
			forged[k] = v
		}
		forged[field] = lie
		if status, text := d.call(key, "POST", "/v1/forget/verify", object{"certificate": forged}); status != http.StatusBadRequest {
			t.Errorf("a false %s: %d %s", field, status, text)
		}
	}
}
