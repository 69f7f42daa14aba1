package llm

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Functions in this file write and read the JSON form of the types without
// encoding/json: a streamed answer is many thousand small objects, and
// encoding/json takes several times as long for each. json_test.go checks that
// the results are the same.

// AppendString appends s to dst as a JSON string, escaping no more than JSON
// asks for. Invalid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	s = validUTF8(s)
	dst = append(slices.Grow(dst, len(s)+len(s)/16+2), '"')
	start := 0 // of the rest that is not appended yet
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', '0'+c>>4, "0123456789abcdef"[c&15])
		}
	}
	return append(append(dst, s[start:]...), '"')
}

// validUTF8 returns s with each byte that is not UTF-8 made U+FFFD, as
// encoding/json does: a vendor refuses a body that has one.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	b := make([]byte, 0, len(s)+utf8.UTFMax)
	for _, r := range s {
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

// appender appends members to a JSON object.
type appender struct {
	b     []byte
	comma bool
}

func (a *appender) key(k string) {
	if a.comma {
		a.b = append(a.b, ',')
	}
	a.comma = true
	a.b = append(a.b, '"')
	a.b = append(a.b, k...)
	a.b = append(a.b, '"', ':')
}

func (a *appender) open()  { a.b, a.comma = append(a.b, '{'), false }
func (a *appender) close() { a.b, a.comma = append(a.b, '}'), true }

func (a *appender) str(k, v string) {
	if v != "" {
		a.key(k)
		a.b = AppendString(a.b, v)
	}
}

func (a *appender) raw(k string, v []byte) {
	if len(v) > 0 {
		a.key(k)
		a.b = append(a.b, v...)
	}
}

func (a *appender) number(k string, v int) {
	if v != 0 {
		a.key(k)
		a.b = strconv.AppendInt(a.b, int64(v), 10)
	}
}

// AppendJSON appends p as a JSON object.
func (p *Part) AppendJSON(dst []byte) []byte {
	a := appender{b: dst}
	a.open()
	if p.Text != "" || p.emptyText {
		a.key("text")
		a.b = AppendString(a.b, p.Text)
	}
	if d := p.InlineData; d != nil {
		a.key("inlineData")
		a.open()
		a.str("mimeType", d.MIMEType)
		a.key("data")
		a.b = append(a.b, '"')
		a.b = base64.StdEncoding.AppendEncode(a.b, d.Data)
		a.b = append(a.b, '"')
		a.str("displayName", d.DisplayName)
		a.close()
	}
	if d := p.FileData; d != nil {
		a.key("fileData")
		a.open()
		a.str("mimeType", d.MIMEType)
		a.str("fileUri", d.FileURI)
		a.str("displayName", d.DisplayName)
		a.close()
	}
	if c := p.FunctionCall; c != nil {
		a.key("functionCall")
		a.open()
		a.str("id", c.ID)
		a.str("name", c.Name)
		a.raw("args", c.Args)
		a.close()
	}
	if r := p.FunctionResponse; r != nil {
		a.key("functionResponse")
		a.open()
		a.str("id", r.ID)
		a.str("name", r.Name)
		a.raw("response", r.Response)
		if len(r.Parts) > 0 {
			a.key("parts")
			a.b = AppendParts(a.b, r.Parts)
		}
		a.close()
	}
	if p.Thought {
		a.key("thought")
		a.b = append(a.b, "true"...)
	}
	a.str("thoughtSignature", p.ThoughtSignature)
	if len(p.Extra) > 0 {
		for _, k := range slices.Sorted(maps.Keys(p.Extra)) {
			if a.comma {
				a.b = append(a.b, ',')
			}
			a.comma = true
			a.b = append(AppendString(a.b, k), ':')
			a.b = append(a.b, p.Extra[k]...)
		}
	}
	a.close()
	return a.b
}

// AppendParts appends parts as a JSON array.
func AppendParts(dst []byte, parts []Part) []byte {
	dst = append(dst, '[')
	for i := range parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = parts[i].AppendJSON(dst)
	}
	return append(dst, ']')
}

// AppendJSON appends c as a JSON object.
func (c *Content) AppendJSON(dst []byte) []byte {
	a := appender{b: dst}
	a.open()
	a.str("role", string(c.Role))
	if c.Parts != nil {
		a.key("parts")
		a.b = AppendParts(a.b, c.Parts)
	}
	a.close()
	return a.b
}

// AppendJSON appends r as a JSON object.
func (r *Response) AppendJSON(dst []byte) []byte {
	a := appender{b: dst}
	a.open()
	if len(r.Candidates) > 0 {
		a.key("candidates")
		a.b = append(a.b, '[')
		for i := range r.Candidates {
			if i > 0 {
				a.b = append(a.b, ',')
			}
			a.b = r.Candidates[i].appendJSON(a.b)
		}
		a.b, a.comma = append(a.b, ']'), true
	}
	if u := r.Usage; u != nil {
		a.key("usageMetadata")
		a.open()
		a.number("promptTokenCount", u.Prompt)
		a.number("candidatesTokenCount", u.Candidates)
		a.number("thoughtsTokenCount", u.Thoughts)
		a.number("cachedContentTokenCount", u.CachedContent)
		a.number("toolUsePromptTokenCount", u.ToolUsePrompt)
		a.number("totalTokenCount", u.Total)
		a.close()
	}
	if f := r.PromptFeedback; f != nil {
		a.key("promptFeedback")
		a.open()
		a.str("blockReason", f.BlockReason)
		a.str("blockReasonMessage", f.BlockReasonMessage)
		a.raw("safetyRatings", f.SafetyRatings)
		a.close()
	}
	a.str("modelVersion", r.ModelVersion)
	a.str("responseId", r.ResponseID)
	a.close()
	return a.b
}

func (c *Candidate) appendJSON(dst []byte) []byte {
	a := appender{b: dst}
	a.open()
	if c.Content != nil {
		a.key("content")
		a.b = c.Content.AppendJSON(a.b)
	}
	a.str("finishReason", string(c.FinishReason))
	a.str("finishMessage", c.FinishMessage)
	a.number("index", c.Index)
	if len(c.Citations) > 0 {
		a.key("citationMetadata")
		a.open()
		a.key("citations")
		a.b = append(a.b, '[')
		for i, s := range c.Citations {
			if i > 0 {
				a.b = append(a.b, ',')
			}
			a.open()
			a.str("uri", s.URI)
			a.str("title", s.Title)
			a.close()
		}
		a.b = append(a.b, ']')
		a.close()
	}
	a.raw("safetyRatings", c.SafetyRatings)
	a.raw("groundingMetadata", c.GroundingMetadata)
	a.raw("urlContextMetadata", c.URLContextMetadata)
	a.close()
	return a.b
}

// MarshalJSON implements [json.Marshaler].
func (p Part) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil), nil }

// MarshalJSON implements [json.Marshaler].
func (c *Content) MarshalJSON() ([]byte, error) { return c.AppendJSON(nil), nil }

// MarshalJSON implements [json.Marshaler].
func (r *Response) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }
