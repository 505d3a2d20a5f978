package eval

// Packets are means over questions of the packets that answers are made from.
type Packets struct {
	N      int     `json:"n"`      // questions with a packet
	Tokens float64 `json:"tokens"` // as a reader gets it, with labels and paths
	Rows   float64 `json:"rows"`
	// Recall is the share of the evidence that is in the packet, over the Known
	// questions that have an answer of which the evidence is known.
	Recall float64 `json:"recall"`
	Known  int     `json:"known"`
}

// packets averages over results; nil where none has a packet that was counted.
func (r Run) packets(results []Result) *Packets {
	asked := map[string]Question{}
	for _, c := range r.Dataset.Conversations {
		for _, q := range c.Questions {
			asked[q.ID] = q
		}
	}
	var p Packets
	for _, res := range results {
		if res.PacketTokens == 0 {
			continue
		}
		p.N++
		p.Tokens += res.PacketTokens
		p.Rows += float64(len(res.Packet))
		if q := asked[res.ID]; len(q.Evidence) > 0 && !q.Absent {
			p.Known++
			p.Recall += shareOf(q.Evidence, res.Packet)
		}
	}
	if p.N == 0 {
		return nil
	}
	p.Tokens, p.Rows, p.Recall = p.Tokens/float64(p.N), p.Rows/float64(p.N), p.Recall/float64(max(1, p.Known))
	return &p
}

// shareOf is the share of distinct ids that are among others.
func shareOf(ids, among []string) float64 {
	wanted, there := set(ids), set(among)
	n := 0
	for id := range wanted {
		n += oneInt(there[id])
	}
	return float64(n) / float64(max(1, len(wanted)))
}
