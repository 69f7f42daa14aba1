package acceptance

import (
	"encoding/json"
	"hash/maphash"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"
)

// counter counts the tokens of requests to Chat Completions with OpenAI's tokenizer. It caches
// the counts of texts and messages.
type counter struct {
	codec  *codec.Codec
	seed   maphash.Seed
	texts  map[uint64]int // tokens of a text
	parts  map[uint64]int // tokens of a message
	recent []*prompt      // newest first
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	return &counter{codec: codec.NewO200kBase(), seed: maphash.MakeSeed(), texts: map[uint64]int{}, parts: map[uint64]int{}}
}

// prompt is a request with its token counts.
type prompt struct {
	fixed    uint64 // hash of the model and its tools
	messages []uint64
	tokens   int    // all input tokens
	cached   int    // tokens at the start that are in the vendor's cache
	masked   int    // number of masked results
	newest   string // text of the newest message
	stream   bool
}

// begins reports whether p starts with all messages of q.
func (p *prompt) begins(q *prompt) bool {
	return p.fixed == q.fixed && len(p.messages) >= len(q.messages) && p.common(q) == len(q.messages)
}

// common returns the number of equal messages at the start of two requests.
func (p *prompt) common(q *prompt) int {
	n := 0
	for n < len(p.messages) && n < len(q.messages) && p.messages[n] == q.messages[n] {
		n++
	}
	return n
}

// remembered is the number of requests in the vendor's cache.
const remembered = 8

func (c *counter) read(body []byte) (*prompt, error) {
	var asked struct {
		Model    string
		Stream   bool
		Tools    json.RawMessage
		Messages []json.RawMessage
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	p := &prompt{stream: asked.Stream, fixed: maphash.String(c.seed, asked.Model+string(asked.Tools))}
	tokens := []int{c.text(string(asked.Tools))} // sums up to each message
	sum := tokens[0]
	for i, raw := range asked.Messages {
		hash := maphash.Bytes(c.seed, raw)
		n, known := c.parts[hash]
		if !known || i == len(asked.Messages)-1 {
			var err error
			if n, p.newest, err = c.message(raw); err != nil {
				return nil, err
			}
			c.parts[hash] = n
		}
		if n < 0 {
			n = -n
			p.masked++
		}
		sum += n
		p.messages, tokens = append(p.messages, hash), append(tokens, sum)
	}
	p.tokens = sum + 3 // start of the answer
	for _, q := range c.recent {
		if q.fixed == p.fixed {
			p.cached = max(p.cached, tokens[p.common(q)])
		}
	}
	c.recent = append([]*prompt{p}, c.recent[:min(len(c.recent), remembered-1)]...)
	return p, nil
}

// message returns the tokens of a message, negative for a masked one, and its text.
func (c *counter) message(raw []byte) (int, string, error) {
	var m struct {
		Content any
		Calls   []struct {
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return 0, "", err
	}
	text, _ := m.Content.(string)
	if parts, ok := m.Content.([]any); ok {
		for _, p := range parts {
			if part, ok := p.(map[string]any); ok {
				s, _ := part["text"].(string)
				text += s
			}
		}
	}
	n := 4 + c.text(text) // role and delimiters
	for _, call := range m.Calls {
		n += 8 + c.text(call.Function.Name) + c.text(call.Function.Arguments)
	}
	if strings.Contains(text, "<tool_output_masked>") {
		n = -n
	}
	return n, text, nil
}

func (c *counter) text(s string) int {
	hash := maphash.String(c.seed, s)
	n, known := c.texts[hash]
	if !known {
		n, _ = c.codec.Count(s) // counting never fails
		c.texts[hash] = n
	}
	return n
}
