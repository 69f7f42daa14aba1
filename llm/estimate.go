package llm

import (
	"bytes"
	"strings"
)

// What cannot be counted by its text costs what spec/agent.md §17 says.
const (
	imageTokens    = 3000
	pdfTokens      = 25800
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

// EstimateTokens guesses how many tokens parts are to a model, without asking
// it. Of prose, code, JSON, logs and the like the guess is within a tenth of
// what the vendors' tokenizers count (spec/agent.md §30.14); what it costs is
// bounded, however long the text is.
//
// Gemini CLI's quarter of a token per letter (§17) is off by two fifths for logs
// and for Chinese, so it is not kept: no script can rely on a number that gives
// way to the vendor's own as soon as there is one. Media cost what §17 says.
func EstimateTokens(parts []Part) int {
	return int((estimate(parts, 0) + tokenUnit/2) / tokenUnit)
}

// estimate counts in parts of a token.
func estimate(parts []Part, depth int) int64 {
	if depth > maxResultDepth {
		return 0
	}
	total := int64(0)
	for i := range parts {
		p := &parts[i]
		switch {
		case p.FunctionResponse != nil:
			r := p.FunctionResponse
			total += textCost(r.Name) + resultCost(r.Response) + estimate(r.Parts, depth+1)
		case p.FunctionCall != nil:
			total += textCost(p.FunctionCall.Name) + textCost([]byte(p.FunctionCall.Args))
		case p.InlineData != nil:
			total += mediaTokens(p.InlineData.MIMEType, len(p.InlineData.Data)) * tokenUnit
		case p.FileData != nil:
			total += mediaTokens(p.FileData.MIMEType, 0) * tokenUnit
		default:
			total += textCost(p.Text)
		}
	}
	return total
}

func mediaTokens(mime string, size int) int64 {
	switch {
	case strings.HasPrefix(mime, "image/"):
		return imageTokens
	case mime == "application/pdf":
		return pdfTokens
	}
	return int64(size) / 3 // a quarter of its base64 form
}

const (
	maxScan = 1 << 20 // bytes of one text that are looked at
	samples = 64      // that they are, spread evenly, of a longer text
)

// textCost is what a text costs, in parts of a token.
func textCost[T string | []byte](text T) int64 {
	if len(text) <= maxScan {
		return scan(text)
	}
	return sampled(text, scan)
}

// resultCost is what a function response costs. Of an output or an error the
// model reads the text and not its JSON form.
func resultCost(response []byte) int64 {
	for _, head := range []string{`{"output":"`, `{"error":"`} {
		if len(response) <= len(head) || string(response[:len(head)]) != head {
			continue
		}
		text := bytes.TrimSuffix(response[len(head):], []byte(`"}`))
		if len(text) <= maxScan {
			return scanEscaped(text)
		}
		return sampled(text, scanEscaped)
	}
	return textCost(response)
}

// sampled guesses from parts of a text what all of it costs.
func sampled[T string | []byte](text T, cost func(T) int64) int64 {
	const size = maxScan / samples
	total := int64(0)
	for i := range samples {
		at := int(int64(len(text)-size) * int64(i) / (samples - 1))
		total += cost(text[at : at+size])
	}
	return int64(float64(total) / maxScan * float64(len(text)))
}
