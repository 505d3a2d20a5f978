package server

import (
	"bytes"
	"context"
	"net/http"

	"daybook"
	"daybook/engine"
	"daybook/source"

	"github.com/danielgtaylor/huma/v2"
)

type exportInput struct{ ScopeKeys }

type importInput struct {
	ScopeKeys
	Format  string `query:"format" doc:"What the body is; found out if not given." enum:"auto,messages,chatgpt,claude,whatsapp,locomo,longmemeval,mem0,markdown,text,pdf,ledger" default:"auto"`
	SkipBad bool   `query:"skip_bad" doc:"Keep the good records beside bad ones."`
	Me      string `query:"me" doc:"Who speaks where an export says only user or human."`
	Time    string `query:"time" doc:"Time of what has none of its own; now if not given."`
	Ack     Ack    `query:"ack" doc:"What to wait for." enum:"commit,indexed" default:"commit"`
	RawBody []byte `contentType:"application/octet-stream"`
}

type importOutput struct {
	Body struct {
		daybook.Receipt
		Format  source.Format  `json:"format"`
		Commits uint64         `json:"commits,omitempty" doc:"Of an export of a scope: how many it has."`
		Skipped []string       `json:"skipped" doc:"Bad records."`
		LeftOut map[string]int `json:"left_out,omitempty" doc:"What is no message, by reason."`
	}
}

// transfers adds the endpoints that take a scope out and bring one in.
func (s *Server) transfers() {
	op := s.operation(endpoint{http.MethodGet, "/v1/export", "export", "A scope as JSON lines, without loss", Admin, "transfer"})
	op.Responses = map[string]*huma.Response{"200": {Description: "A header, then a line for each commit", Content: map[string]*huma.MediaType{
		"application/x-ndjson": {Schema: &huma.Schema{Type: huma.TypeString}},
	}}}
	handle(s, op, s.export)
	register(s, endpoint{http.MethodPost, "/v1/import", "import", "Take in messages, documents, or a scope that was exported", Admin, "transfer"}, s.importBody)
}

func (s *Server) export(ctx context.Context, in *exportInput) (*huma.StreamResponse, error) {
	scope, _, err := s.scope(ctx, in.ScopeKeys)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "application/x-ndjson")
		if err := s.engine.WriteExport(ctx, scope, hc.BodyWriter(), nil); err != nil {
			// The status is sent. Breaking the connection tells that lines are missing.
			s.log.Error("an export broke off", "request_id", requestID(ctx), "error", err.Error())
			panic(http.ErrAbortHandler)
		}
	}}, nil
}

func (s *Server) importBody(ctx context.Context, in *importInput) (*importOutput, error) {
	scope, session, err := s.scope(ctx, in.ScopeKeys)
	if err != nil {
		return nil, err
	}
	now := s.engine.Now()
	opts := source.Options{Format: source.Format(in.Format), Session: session, Me: in.Me, Now: now}
	if in.Time != "" {
		if opts.Time, _, err = daybook.ParseTime(in.Time); err != nil {
			return nil, err
		}
	}
	from, err := source.Open(source.Input{Name: "body", Data: bytes.NewReader(in.RawBody), Size: int64(len(in.RawBody)), Modified: now}, opts)
	if err != nil {
		return nil, err
	}
	out := &importOutput{}
	out.Body.Format, out.Body.Skipped = from.Format(), []string{}
	if from.Format() == source.Ledger {
		return out, s.importLedger(ctx, scope, in.RawBody, out)
	}
	by := CallerOf(ctx).By("import")
	result, err := s.engine.Import(ctx, scope, by, engine.Import{Records: from.Records, SkipBad: in.SkipBad,
		Keep: func(notes []daybook.Note) (daybook.Receipt, error) {
			r, _, err := s.worker.Add(ctx, scope, by, notes)
			return r, err
		}})
	if err != nil {
		return nil, err
	}
	out.Body.Receipt, out.Body.LeftOut = result.Receipt, from.LeftOut()
	for _, b := range result.Bad {
		out.Body.Skipped = append(out.Body.Skipped, b.Error())
	}
	if in.Ack == AckIndexed {
		err = s.worker.Wait(ctx, scope, result.Seq)
	}
	return out, err
}

func (s *Server) importLedger(ctx context.Context, scope daybook.Scope, body []byte, out *importOutput) error {
	header, added, err := s.engine.ReadExport(ctx, scope, bytes.NewReader(body), nil)
	out.Body.Commits, out.Body.Added, out.Body.Commit = header.Commits, added, header.Head
	return err
}
