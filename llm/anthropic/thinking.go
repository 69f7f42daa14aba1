package anthropic

import (
	"cmp"
	"encoding/json"
	"strings"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// vendor is the default vendor name on the signatures of thoughts.
const vendor = "anthropic"

// signer returns the vendor name on the signatures of a model's thoughts.
func (q *Quirks) signer() string { return cmp.Or(q.Vendor, vendor) }

// thinkingBlock is a block of thinking. The service expects it back unchanged in the
// messages of a tool loop. A block of type redacted_thinking has only Data.
//
// The text of a thought is shown while it arrives, in parts without a signature,
// which are not stored. The part after them is stored: it has no text, and its
// signature is the whole block as JSON, so that text and signature cannot get
// separated in a session file. A signature that is not such an object belongs to the
// text of its part.
type thinkingBlock struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
	Data      string `json:"data"`
}

// signedPart returns the part that stores m, false if m has no signature and the
// service does not accept unsigned thoughts.
func (m *thinkingBlock) signedPart(q *Quirks) (llm.Part, bool) {
	if m.Signature == "" && m.Data == "" && (!q.Unsigned || m.Thinking == "") {
		return llm.Part{}, false
	}
	return llm.Part{Thought: true, ThoughtSignature: llm.Signed(q.signer(), string(m.append(nil)))}, true
}

func (m *thinkingBlock) append(dst []byte) []byte {
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

// addThought appends the block that a part stores. It ignores blocks of other vendors
// and damaged ones.
func (l *blocks) addThought(p *llm.Part) {
	signature := p.SignatureBy(l.signer)
	if signature == "" {
		return
	}
	m := thinkingBlock{Type: "thinking", Thinking: p.Text, Signature: signature}
	if signature[0] == '{' {
		m = thinkingBlock{}
		if json.Unmarshal([]byte(signature), &m) != nil {
			return
		}
	}
	if m.Type == "thinking" && (m.Signature != "" || l.unsigned && m.Thinking != "") || m.Type == "redacted_thinking" && m.Data != "" {
		l.startBlock()
		l.b = m.append(l.b)
	}
}

// The minimum budget, and the budgets for thinking levels.
const (
	minBudget    = 1024
	lowBudget    = 4096
	mediumBudget = 8192
	highBudget   = 24576
)

// effort returns the effort for a thinking level or budget, "" for the default of the
// model. The limits are the same as in other protocols.
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

// budget returns how many of maxTokens may be thoughts, 0 if maxTokens is too small
// for thinking.
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
	if n >= maxTokens { // leave some for the response
		n = maxTokens - max(maxTokens/4, 1)
	}
	if n < minBudget {
		return 0
	}
	return n
}
