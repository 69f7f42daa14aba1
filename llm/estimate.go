package llm

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"pollux/llm/tokens"
)

// Estimates for media, in tokens, which are those of Gemini CLI.
const (
	imageTokens    = 3000
	pdfTokens      = 25800
	maxResultDepth = 3 // of results within results
)

// Tokens returns an estimate of the tokens in c. It is computed once: the parts of
// c must not change after the first call.
func (c *Content) Tokens() int {
	n := c.tokens.Load()
	if n == 0 {
		n = int64(EstimateTokens(c.Parts)) + 1
		c.tokens.Store(n)
	}
	return int(n - 1)
}

// EstimateTokens returns an estimate of the tokens in parts, without asking a
// model. For text see package [pollux/llm/tokens]. An image counts as 3000 tokens
// and a PDF as 25800, as in Gemini CLI; other media as a quarter of their base64
// form.
func EstimateTokens(parts []Part) int { return estimate(parts, 0).Tokens() }

// ShareTokens returns the size to which the largest of sizes must be cut so that all together
// are at most room. It is 0 or less if there is no room.
func ShareTokens(sizes []int, room int) int {
	sizes = slices.Sorted(slices.Values(sizes))
	for i, size := range sizes {
		if share := room / (len(sizes) - i); size > share {
			return share
		}
		room -= size
	}
	return math.MaxInt
}

func estimate(parts []Part, depth int) tokens.Cost {
	if depth > maxResultDepth {
		return 0
	}
	total := tokens.Cost(0)
	for i := range parts {
		p := &parts[i]
		switch {
		case p.FunctionResponse != nil:
			r := p.FunctionResponse
			total += tokens.OfText(r.Name) + resultCost(r.Response) + estimate(r.Parts, depth+1)
		case p.FunctionCall != nil:
			total += tokens.OfText(p.FunctionCall.Name) + tokens.OfText([]byte(p.FunctionCall.Args))
		case p.InlineData != nil:
			total += mediaCost(p.InlineData.MIMEType, len(p.InlineData.Data))
		case p.FileData != nil:
			total += mediaCost(p.FileData.MIMEType, 0)
		default:
			total += tokens.OfText(p.Text)
		}
	}
	return total
}

// mediaCost returns the cost of media of this size in bytes.
func mediaCost(mime string, size int) tokens.Cost {
	n := size / 3 // a quarter of its base64 form
	switch {
	case strings.HasPrefix(mime, "image/"):
		n = imageTokens
	case mime == "application/pdf":
		n = pdfTokens
	}
	return tokens.Cost(n) * tokens.Token
}

// resultCost returns the cost of a function response. Models read the text of an
// output or an error, not its JSON form.
func resultCost(response []byte) tokens.Cost {
	for _, head := range []string{`{"output":"`, `{"error":"`} {
		if text, ok := bytes.CutPrefix(response, []byte(head)); ok && len(text) > 0 {
			return tokens.OfEscaped(bytes.TrimSuffix(text, []byte(`"}`)))
		}
	}
	return tokens.OfText(response)
}
