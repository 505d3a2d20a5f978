package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"daybook"
	"daybook/engine"
)

// What webhooks are told of.
const (
	eventCommit        = "commit"
	eventSuperseded    = "superseded"
	eventContradiction = "contradiction"
	eventJobFailed     = "job_failed"
)

// Webhook is an address that is told of what happens in a tenant's memory.
type Webhook struct {
	ID        string    `json:"id"`
	Tenant    string    `json:"tenant"`
	URL       string    `json:"url"`
	Events    []string  `json:"events"`
	Users     []string  `json:"users,omitempty"` // the only users that it is told of; empty means all
	Secret    string    `json:"secret,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// hookEvent is the body of a delivery. It names what happened and holds no content.
type hookEvent struct {
	ID     string           `json:"id"`
	Event  string           `json:"event"`
	Time   time.Time        `json:"time"`
	UserID string           `json:"user_id,omitempty"`
	Agent  string           `json:"agent_id,omitempty"`
	Commit daybook.CommitID `json:"commit"`
	Seq    uint64           `json:"seq"`
	Facts  []daybook.FactID `json:"facts,omitempty"`
	Job    string           `json:"job,omitempty"`
}

// hooks deliver to the webhooks, which the store keeps.
type hooks struct {
	records engine.Records
	log     *slog.Logger
	counts  *family
	queue   chan delivery
	sender  *sender
	private bool

	mu     sync.Mutex
	all    []Webhook
	looked time.Time
}

const (
	hooksKind = "webhook"
	// hooksFresh is how long deliveries go by the webhooks that were read last.
	hooksFresh = time.Second
	// hookQueue is how many deliveries may wait; when there are more, they are dropped,
	// counted and logged. /v1/changes tells what was missed.
	hookQueue = 1000
	// maxHooks is how many webhooks a tenant may have.
	maxHooks = 100
)

func newHooks(records engine.Records, private bool, log *slog.Logger, counts *family) *hooks {
	return &hooks{records: records, private: private, log: log, counts: counts, queue: make(chan delivery, hookQueue), sender: newSender(private)}
}

func (h *hooks) add(ctx context.Context, hook Webhook) (Webhook, error) {
	if err := checkHookURL(hook.URL, h.private); err != nil {
		return hook, err
	}
	hook.ID, hook.CreatedAt = "hook_"+strings.ToLower(rand.Text()[:16]), time.Now().UTC().Truncate(time.Second)
	if hook.Secret == "" {
		hook.Secret = rand.Text()
	}
	return hook, h.change(ctx, func(all map[string]Webhook) error {
		n := 0
		for _, w := range all {
			if w.Tenant == hook.Tenant {
				n++
			}
		}
		if n >= maxHooks {
			return daybook.Errorf(daybook.Conflict, "there are %d webhooks already; delete one first", n)
		}
		all[hook.ID] = hook
		return nil
	})
}

// seen reports whether a caller may see a webhook: a key for some users only sees
// those that were made with the same users.
func (w Webhook) seen(c Caller) bool {
	return w.Tenant == c.Tenant && (len(c.Users) == 0 || slices.Equal(w.Users, c.Users))
}

func (h *hooks) list(ctx context.Context, c Caller) ([]Webhook, error) {
	all, err := h.load(ctx)
	mine := []Webhook{}
	for _, w := range all {
		if w.seen(c) {
			w.Secret = ""
			mine = append(mine, w)
		}
	}
	return mine, err
}

func (h *hooks) remove(ctx context.Context, c Caller, id string) error {
	return h.change(ctx, func(all map[string]Webhook) error {
		if w, ok := all[id]; !ok || !w.seen(c) {
			return daybook.Errorf(daybook.NotFound, "there is no webhook %q", id)
		}
		delete(all, id)
		return nil
	})
}

// load returns all webhooks, oldest first.
func (h *hooks) load(ctx context.Context) ([]Webhook, error) {
	bodies, err := h.records.List(ctx, hooksKind)
	if err != nil {
		return nil, fmt.Errorf("webhooks: %w", err)
	}
	byID, err := decodeHooks(bodies)
	all := slices.Collect(maps.Values(byID))
	daybook.Sort(all, func(a, b Webhook) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	return all, err
}

// change changes the webhooks while nobody else does.
func (h *hooks) change(ctx context.Context, do func(map[string]Webhook) error) error {
	err := h.records.Change(ctx, hooksKind, func(now [][]byte) (map[string][]byte, error) {
		all, err := decodeHooks(now)
		if err == nil {
			err = do(all)
		}
		if err != nil {
			return nil, err
		}
		return encodeAll(all)
	})
	h.mu.Lock()
	h.looked = time.Time{}
	h.mu.Unlock()
	return err
}

func decodeHooks(bodies [][]byte) (map[string]Webhook, error) {
	all := map[string]Webhook{}
	for _, body := range bodies {
		var w Webhook
		if err := json.Unmarshal(body, &w); err != nil {
			return nil, daybook.Errorf(daybook.Corrupt, "webhooks: %w", err)
		}
		all[w.ID] = w
	}
	return all, nil
}

// of lists a tenant's webhooks as they were a moment ago at most.
func (h *hooks) of(tenant string) (mine []Webhook) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.looked) > hooksFresh {
		all, err := h.load(context.Background())
		if err != nil {
			h.log.Error("webhooks cannot be read; those that were known are told", "error", err)
		} else {
			h.all = all
		}
		h.looked = time.Now()
	}
	for _, w := range h.all {
		if w.Tenant == tenant {
			mine = append(mine, w)
		}
	}
	return mine
}

// committed tells of a commit and of what it did to facts.
func (h *hooks) committed(scope daybook.Scope, r daybook.Receipt) {
	h.tell(scope, hookEvent{Event: eventCommit, Commit: r.Commit, Seq: r.Seq})
	if len(r.Closed) > 0 {
		h.tell(scope, hookEvent{Event: eventSuperseded, Commit: r.Commit, Seq: r.Seq, Facts: r.Closed})
	}
	if len(r.Clashes) > 0 {
		h.tell(scope, hookEvent{Event: eventContradiction, Commit: r.Commit, Seq: r.Seq, Facts: r.Clashes})
	}
}

// tell queues an event for the webhooks that want it.
func (h *hooks) tell(scope daybook.Scope, e hookEvent) {
	for _, hook := range h.of(scope.Tenant) {
		if !slices.Contains(hook.Events, e.Event) || len(hook.Users) > 0 && !slices.Contains(hook.Users, scope.User) {
			continue
		}
		e.ID, e.Time, e.UserID, e.Agent = "evt_"+strings.ToLower(rand.Text()[:20]), time.Now().UTC(), scope.User, scope.Agent
		body, err := json.Marshal(e)
		if err != nil {
			h.log.Error("webhook event could not be written", "error", err)
			continue
		}
		h.put(delivery{hook: hook, body: body, id: e.ID, event: e.Event})
	}
}

func (h *hooks) put(d delivery) {
	select {
	case h.queue <- d:
	default:
		h.counts.Inc("dropped")
		h.log.Warn("too many webhook deliveries wait; one is dropped", "webhook", d.hook.ID, "event", d.event)
	}
}

// hookSenders deliver at once; a slow receiver holds up one of them only.
const hookSenders = 4

// hookTries is how often a delivery is tried, after pauses of 1, 4, 16 … seconds.
const hookTries = 5

// run delivers until ctx is done.
func (h *hooks) run(ctx context.Context) {
	var wait sync.WaitGroup
	for range hookSenders {
		wait.Go(func() {
			for {
				select {
				case d := <-h.queue:
					h.deliver(ctx, d)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	wait.Wait()
}

func (h *hooks) deliver(ctx context.Context, d delivery) {
	d.tries++
	err := h.sender.send(ctx, d)
	switch {
	case err == nil:
		h.counts.Inc("delivered")
	case ctx.Err() != nil:
	case d.tries >= hookTries:
		h.counts.Inc("failed")
		h.log.Warn("a webhook could not be delivered and is given up", "webhook", d.hook.ID, "event", d.event, "error", err)
	default:
		h.counts.Inc("retried")
		time.AfterFunc(time.Second<<(2*(d.tries-1)), func() { h.put(d) })
	}
}

// WebhookRequest is the body of POST /v1/webhooks.
type WebhookRequest struct {
	URL    string   `json:"url" doc:"Where to send to, http or https." maxLength:"2000" example:"https://example.com/daybook"`
	Events []string `json:"events" doc:"What to tell of." enum:"commit,superseded,contradiction,job_failed" minItems:"1" maxItems:"4"`
	Secret string   `json:"secret,omitempty" doc:"What deliveries are signed with; made up if not given." maxLength:"200"`
}

type webhookInput struct{ Body WebhookRequest }
type webhookOutput struct{ Body Webhook }
type webhooksOutput struct {
	Body struct {
		Webhooks []Webhook `json:"webhooks"`
	}
}
type idInput struct {
	ID string `path:"id" maxLength:"200"`
}

// webhooks adds the endpoints that keep webhooks.
func (s *Server) webhooks() {
	register(s, endpoint{http.MethodPost, "/v1/webhooks", "add_webhook", "Have an address told of what happens; the secret is shown this once", Admin, "webhooks"},
		func(ctx context.Context, in *webhookInput) (*webhookOutput, error) {
			c := CallerOf(ctx)
			hook, err := s.hooks.add(ctx, Webhook{Tenant: c.Tenant, Users: c.Users, URL: in.Body.URL, Events: in.Body.Events, Secret: in.Body.Secret})
			return &webhookOutput{hook}, err
		})
	register(s, endpoint{http.MethodGet, "/v1/webhooks", "list_webhooks", "List the webhooks", Admin, "webhooks"},
		func(ctx context.Context, _ *none) (*webhooksOutput, error) {
			out := &webhooksOutput{}
			var err error
			out.Body.Webhooks, err = s.hooks.list(ctx, CallerOf(ctx))
			return out, err
		})
	register(s, endpoint{http.MethodDelete, "/v1/webhooks/{id}", "delete_webhook", "Delete a webhook", Admin, "webhooks"},
		func(ctx context.Context, in *idInput) (*statusOutput, error) {
			return status("deleted"), s.hooks.remove(ctx, CallerOf(ctx), in.ID)
		})
}

// checkHookURL refuses addresses that cannot be sent to, or plainly must not be; the
// sender looks again at what a name stands for.
func checkHookURL(text string, private bool) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return daybook.Errorf(daybook.Invalid, "url %q is no http or https address", text)
	}
	if err := daybook.CheckName("url", text); err != nil {
		return err
	}
	if !private && privateHost(u.Hostname()) {
		return daybook.Errorf(daybook.Invalid, "url %q is a private address; the operator can allow those", text)
	}
	return nil
}
