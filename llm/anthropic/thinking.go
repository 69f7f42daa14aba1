package anthropic

import (
	"cmp"
	"encoding/json"
	"strings"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// vendor is the name on the signatures of thoughts where the quirks have none.
const vendor = "anthropic"

// signer is the name on the signatures of a model's thoughts.
func (q *Quirks) signer() string { return cmp.Or(q.Vendor, vendor) }

// mind is a block of thinking as the service sends it and wants it back,
// unchanged, in the messages of a tool loop (spec/agent.md §5). One whose type is
// redacted_thinking has only data.
//
// The words of a thought are shown as they come, in parts of their own that have
// no signature and are not kept. What is kept is the part behind them, without
// text: its signature is the whole block, so that nothing on the way to a session
// file and back can part the words from their proof. A signature that is none
// such object belongs to the text of its part.
type mind struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
	Data      string `json:"data"`
}

// signed returns the part that keeps m, false if m has no proof and nobody wants
// it without.
func (m *mind) signed(q *Quirks) (llm.Part, bool) {
	if m.Signature == "" && m.Data == "" && (!q.Unsigned || m.Thinking == "") {
		return llm.Part{}, false
	}
	return llm.Part{Thought: true, ThoughtSignature: llm.Signed(q.signer(), string(m.append(nil)))}, true
}

func (m *mind) append(dst []byte) []byte {
	o := httpwire.Object{B: dst}
	o.String("type", m.Type)
	if m.Type == "redacted_thinking" {
		o.String("data", m.Data)
		return o.End()
	}
	o.Key("thinking")
	o.B = llm.AppendString(o.B, m.Thinking)
	o.Key("signature")
	o.B = llm.AppendString(o.B, m.Signature)
	return o.End()
}

// thought appends the block that a part keeps; none where it is not this
// vendor's, or is damaged.
func (l *blocks) thought(p *llm.Part) {
	proof := p.SignatureBy(l.signer)
	if proof == "" {
		return
	}
	m := mind{Type: "thinking", Thinking: p.Text, Signature: proof}
	if proof[0] == '{' {
		m = mind{}
		if json.Unmarshal([]byte(proof), &m) != nil {
			return
		}
	}
	if m.Type == "thinking" && (m.Signature != "" || l.unsigned && m.Thinking != "") || m.Type == "redacted_thinking" && m.Data != "" {
		l.next()
		l.b = m.append(l.b)
	}
}

// The limits of a budget, and what stands for levels where a budget is needed.
const (
	minBudget    = 1024
	lowBudget    = 4096
	mediumBudget = 8192
	highBudget   = 24576
)

// effort returns the word for how much a model is to think; "" leaves it to the
// model. The budgets' limits are those of the other protocols (spec/agent.md §4).
func effort(t *llm.Thinking) string {
	switch level := strings.ToLower(t.Level); level {
	case "low", "medium", "high", "xhigh", "max":
		return level
	case "minimal":
		return "low"
	}
	switch {
	case t.Budget == nil || *t.Budget < 0:
		return ""
	case *t.Budget <= 1024:
		return "low"
	case *t.Budget <= 8192:
		return "medium"
	}
	return "high"
}

// budget returns how many tokens of an answer's maxTokens may be thoughts; 0
// where there is no room for any.
func budget(t *llm.Thinking, maxTokens int) int {
	n := mediumBudget
	switch {
	case t.Budget != nil && *t.Budget > 0:
		n = *t.Budget
	case t.Level != "":
		switch effort(t) {
		case "low":
			n = lowBudget
		case "high", "xhigh", "max":
			n = highBudget
		}
	}
	n = max(n, minBudget)
	if n >= maxTokens { // the answer itself needs some
		n = maxTokens - max(maxTokens/4, 1)
	}
	if n < minBudget {
		return 0
	}
	return n
}
