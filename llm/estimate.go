package llm

import "unicode/utf8"

// Token costs of what cannot be counted by its text (spec/agent.md §17).
const (
	imageTokens    = 3000
	pdfTokens      = 25800
	longText       = 100_000 // characters; beyond it the estimate is a plain quarter
	maxResultDepth = 3
)

// Tokens guesses how many tokens c is to a model. It is worked out once.
func (c *Content) Tokens() int {
	n := c.tokens.Load()
	if n == 0 {
		n = int64(EstimateTokens(c.Parts)) + 1
		c.tokens.Store(n)
	}
	return int(n - 1)
}

// EstimateTokens guesses how many tokens parts are to a model, without asking it.
func EstimateTokens(parts []Part) int { return int(estimate(parts, 0)) }

func estimate(parts []Part, depth int) float64 {
	if depth > maxResultDepth {
		return 0
	}
	total := 0.0
	for i := range parts {
		p := &parts[i]
		switch {
		case p.FunctionResponse != nil:
			r := p.FunctionResponse
			total += float64(len(r.Name)+len(r.Response))/4 + estimate(r.Parts, depth+1)
		case p.FunctionCall != nil:
			total += float64(len(p.FunctionCall.Name)+len(p.FunctionCall.Args)) / 4
		case p.InlineData != nil:
			total += mediaTokens(p.InlineData.MIMEType, len(p.InlineData.Data))
		case p.FileData != nil:
			total += mediaTokens(p.FileData.MIMEType, 0)
		default:
			total += textTokens(p.Text)
		}
	}
	return total
}

func mediaTokens(mime string, size int) float64 {
	switch {
	case len(mime) > 6 && mime[:6] == "image/":
		return imageTokens
	case mime == "application/pdf":
		return pdfTokens
	}
	return float64(size) / 3 // a quarter of its base64 form
}

func textTokens(s string) float64 {
	if len(s) > longText {
		return float64(len(s)) / 4
	}
	total := 0.0
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			total += 0.25
		case r > 0xFFFF:
			total += 3 // two UTF-16 units
		default:
			total += 1.5
		}
	}
	return total
}
