package server

import (
	"context"
	"net/http"
	"time"

	"daybook"
	"daybook/answer"
)

// ForeignRow is a row of another memory.
type ForeignRow struct {
	ID        string  `json:"id" doc:"Your own id of the row." maxLength:"1000"`
	Text      string  `json:"text" minLength:"1" maxLength:"100000"`
	Speaker   string  `json:"speaker,omitempty" doc:"Who said it." maxLength:"1000"`
	Session   string  `json:"session,omitempty" maxLength:"1000"`
	CreatedAt string  `json:"created_at,omitempty" doc:"When the other memory took it in."`
	ValidAt   string  `json:"valid_at,omitempty" doc:"When it came to hold, where that is known."`
	InvalidAt string  `json:"invalid_at,omitempty" doc:"When it stopped to hold, where that is known."`
	Score     float64 `json:"score,omitempty" doc:"How well the other memory thinks that it fits."`
}

// PacketRequest is the body of POST /v1/packets.
type PacketRequest struct {
	Query   string       `json:"query" doc:"What is asked." minLength:"1" maxLength:"10000"`
	Rows    []ForeignRow `json:"rows" doc:"What another memory found for it." maxItems:"500"`
	View    daybook.View `json:"view,omitempty" doc:"Which state is asked for; by default what the question itself says." enum:"current,historical,change,neutral"`
	Subject string       `json:"subject,omitempty" doc:"Whom the question is about, where it does not say." maxLength:"1000"`
	Now     string       `json:"now,omitempty" doc:"When it is asked; now if not given."`
}

type packetInput struct{ Body PacketRequest }

// LabelledRow is a row with what it is to the question.
type LabelledRow struct {
	ID     string       `json:"id"`
	Text   string       `json:"text"`
	Role   daybook.Role `json:"role"`
	Reason string       `json:"reason,omitempty"`
	Value  string       `json:"value,omitempty" doc:"What it says of the asked state."`
	State  bool         `json:"state" doc:"Whether it speaks of the asked state."`
	Score  float64      `json:"score"`
}

type packetOutput struct {
	Body struct {
		View   daybook.View   `json:"view"`
		Rows   []LabelledRow  `json:"rows" doc:"The same rows, the requested state first."`
		Packet *answer.Packet `json:"packet" doc:"What to hand to a reader."`
		Text   string         `json:"text" doc:"The packet as text for a prompt."`
	}
}

// packets adds the overlay: rows of any other memory come back with roles. Nothing
// is read or kept.
func (s *Server) packets() {
	register(s, endpoint{http.MethodPost, "/v1/packets", "packets", "Label and order what another memory found for a question", Read, "memory"}, s.packet)
}

func (s *Server) packet(ctx context.Context, in *packetInput) (*packetOutput, error) {
	rows, err := foreign(in.Body.Rows)
	if err != nil {
		return nil, err
	}
	now, err := optionalTime("now", in.Body.Now)
	if err != nil {
		return nil, err
	}
	resolved, packet, err := s.engine.Overlay(ctx, rows, in.Body.Query, in.Body.Subject, in.Body.View, now)
	if err != nil {
		return nil, err
	}
	out := &packetOutput{}
	out.Body.View, out.Body.Packet, out.Body.Text, out.Body.Rows = resolved.View, packet, packet.String(), []LabelledRow{}
	for _, r := range resolved.Rows {
		s.metrics.returned(r.Role)
		out.Body.Rows = append(out.Body.Rows, LabelledRow{r.SourceID, r.Text, r.Role, r.Reason, r.Value, r.State, r.Score})
	}
	return out, nil
}

func foreign(given []ForeignRow) (rows []answer.Foreign, err error) {
	for _, r := range given {
		f := answer.Foreign{ID: r.ID, Text: r.Text, Speaker: r.Speaker, Session: r.Session, Score: r.Score}
		for _, t := range []struct {
			to         *time.Time
			name, text string
		}{{&f.CreatedAt, "created_at", r.CreatedAt}, {&f.ValidAt, "valid_at", r.ValidAt}, {&f.InvalidAt, "invalid_at", r.InvalidAt}} {
			if *t.to, err = optionalTime(t.name, t.text); err != nil {
				return nil, err
			}
		}
		if err := daybook.CheckText("text", r.Text); err != nil {
			return nil, err
		}
		rows = append(rows, f)
	}
	return rows, nil
}

func optionalTime(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, _, err := daybook.ParseTime(text)
	if err != nil {
		return t, daybook.Errorf(daybook.Invalid, "%s: %w", name, err)
	}
	return t, nil
}
