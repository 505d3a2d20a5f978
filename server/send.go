package server

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"daybook"
)

// delivery is one event on its way to one webhook.
type delivery struct {
	hook  Webhook
	id    string
	event string
	body  []byte
	tries int
}

// sender posts deliveries. Unless private addresses are allowed it connects to
// none, whatever a name stands for at that moment, and it follows no redirection.
type sender struct{ client *http.Client }

func newSender(private bool) *sender {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	if !private {
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil || isPrivate(at.Addr()) {
				return daybook.Errorf(daybook.Invalid, "%s is a private address", address)
			}
			return nil
		}
	}
	return &sender{&http.Client{
		Timeout:       10 * time.Second,
		Transport:     &http.Transport{DialContext: dialer.DialContext, TLSHandshakeTimeout: 5 * time.Second, MaxIdleConns: 20, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (s *sender) send(ctx context.Context, d delivery) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.hook.URL, bytes.NewReader(d.body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "daybook")
	req.Header.Set("X-Daybook-Event", d.event)
	req.Header.Set("X-Daybook-Delivery", d.id)
	req.Header.Set("X-Daybook-Signature", sign(d.hook.Secret, time.Now(), d.body))
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
	if res.StatusCode/100 != 2 {
		return daybook.Errorf(daybook.Unavailable, "the receiver answers %s", res.Status)
	}
	return nil
}

// sign returns "t=UNIX,v1=HEX": the time, and HMAC-SHA-256 with the secret over
// "UNIX.BODY".
func sign(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// reserved are networks that are neither public nor caught by the methods of
// netip.Addr.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
}

// isPrivate reports whether an address is not one of the public internet.
func isPrivate(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return true
	}
	for _, p := range reserved {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// numeric reports whether a host is a number to those who read addresses as C does: 127.1,
// 0x7f000001, 0. Its last part is one.
func numeric(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := strings.ToLower(host[strings.LastIndex(host, ".")+1:])
	_, err := strconv.ParseUint(last, 0, 64)
	return err == nil || last != "" && strings.Trim(last, "0123456789") == ""
}

// privateHost reports whether a host names a private address as it stands. A number that is
// no address in its usual form may be any address.
func privateHost(host string) bool {
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return isPrivate(a)
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if numeric(host) {
		return true
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal")
}
