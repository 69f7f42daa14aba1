package llm

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-faster/jx"
)

// UnmarshalJSON implements [json.Unmarshaler].
func (p *Part) UnmarshalJSON(data []byte) error {
	return decodeAll(data, func(d *jx.Decoder) error { return p.decode(d, 0) })
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Content) UnmarshalJSON(data []byte) error { return decodeAll(data, c.decode) }

// UnmarshalJSON implements [json.Unmarshaler]. Members that are null or that
// Pollux has no use for are passed over.
func (r *Response) UnmarshalJSON(data []byte) error { return decodeAll(data, r.decode) }

// decodeAll decodes the one value that data must be.
func decodeAll(data []byte, decode func(*jx.Decoder) error) error {
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(data)
	if err := decode(d); err != nil {
		return err
	}
	if err := d.Skip(); err != io.EOF { // a value, or something that is none
		return fmt.Errorf("text after the end of the JSON value")
	}
	return nil
}

// fields calls member for each member of an object that is not null.
func fields(d *jx.Decoder, member func(d *jx.Decoder, key []byte) error) error {
	return d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		if d.Next() == jx.Null {
			return d.Skip()
		}
		if err := member(d, key); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		return nil
	})
}

// table lists the members of an object, with the places for their values.
type table []struct {
	name string
	to   any // *string, *int, *json.RawMessage or func(*jx.Decoder) error
}

// decode decodes an object. It skips members that are null or not in the table.
func (t table) decode(d *jx.Decoder) error {
	return fields(d, func(d *jx.Decoder, key []byte) error {
		for i := range t {
			if t[i].name != string(key) {
				continue
			}
			switch to := t[i].to.(type) {
			case *string:
				return str(d, to)
			case *int:
				return number(d, to)
			case *json.RawMessage:
				return raw(d, to)
			case func(*jx.Decoder) error:
				return to(d)
			}
		}
		return d.Skip()
	})
}

func str(d *jx.Decoder, to *string) error {
	s, err := d.Str()
	*to = validUTF8(s)
	return err
}

// word decodes a string that is mostly one of a few, which then costs no memory.
func word[T ~string](d *jx.Decoder, to *T, common ...T) error {
	b, err := d.StrBytes()
	if err != nil {
		return err
	}
	for _, w := range common {
		if string(b) == string(w) {
			*to = w
			return nil
		}
	}
	*to = T(validUTF8(string(b)))
	return nil
}

// raw keeps a value as it is except for line breaks: a history is a file of one
// message per line, and vendors indent responses that they do not stream.
func raw(d *jx.Decoder, to *json.RawMessage) error {
	v, err := d.Raw()
	if err != nil {
		return err
	}
	switch {
	case !utf8.Valid(v):
		*to = []byte(validUTF8(string(v)))
	case bytes.IndexByte(v, '\n') < 0 && bytes.IndexByte(v, '\r') < 0:
		*to = slices.Clone([]byte(v)) // the decoder's buffer is used again
		return nil
	default:
		*to = json.RawMessage(v)
	}
	var b bytes.Buffer
	err = json.Compact(&b, *to)
	*to = b.Bytes()
	return err
}

// number accepts counts as vendors write them: 12, 12.0, "12". One that no int
// holds becomes the nearest that one does.
func number(d *jx.Decoder, to *int) error {
	n, err := d.Num()
	if err != nil {
		return err
	}
	digits := bytesOf(n)
	if i, err := strconv.Atoi(string(digits)); err == nil && -1<<53 <= i && i <= 1<<53 {
		*to = i
		return nil
	}
	f, err := strconv.ParseFloat(string(digits), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return err
	}
	*to = int(min(max(f, -1<<53), 1<<53))
	return nil
}

func bytesOf(n jx.Num) []byte {
	if n.Str() {
		return n[1 : len(n)-1]
	}
	return n
}

// maxNesting bounds parts within parts. A function response holds media, and
// media hold nothing, so no message comes near.
const maxNesting = 8

func (p *Part) decode(d *jx.Decoder, depth int) error {
	*p = Part{}
	if depth > maxNesting {
		return fmt.Errorf("parts within parts within parts")
	}
	return fields(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "text":
			err := str(d, &p.Text)
			p.emptyText = p.Text == ""
			return err
		case "inlineData":
			p.InlineData = new(Blob)
			return p.InlineData.decode(d)
		case "fileData":
			p.FileData = new(FileData)
			return p.FileData.decode(d)
		case "functionCall":
			p.FunctionCall = new(FunctionCall)
			return p.FunctionCall.decode(d)
		case "functionResponse":
			p.FunctionResponse = new(FunctionResponse)
			return p.FunctionResponse.decode(d, depth)
		case "thought":
			var err error
			p.Thought, err = d.Bool()
			return err
		case "thoughtSignature":
			return str(d, &p.ThoughtSignature)
		}
		if p.Extra == nil {
			p.Extra = map[string]json.RawMessage{}
		}
		k := string(key) // the key's bytes do not outlive the next read
		var v json.RawMessage
		err := raw(d, &v)
		p.Extra[k] = v
		return err
	})
}

func (b *Blob) decode(d *jx.Decoder) error {
	return table{{"mimeType", &b.MIMEType}, {"displayName", &b.DisplayName}, {"data", func(d *jx.Decoder) error {
		s, err := d.StrBytes()
		if err != nil {
			return err
		}
		b.Data, err = decodeBase64(s)
		return err
	}}}.decode(d)
}

func (f *FileData) decode(d *jx.Decoder) error {
	return table{{"mimeType", &f.MIMEType}, {"fileUri", &f.FileURI}, {"displayName", &f.DisplayName}}.decode(d)
}

func (c *FunctionCall) decode(d *jx.Decoder) error {
	return table{{"id", &c.ID}, {"name", &c.Name}, {"args", &c.Args}}.decode(d)
}

func (r *FunctionResponse) decode(d *jx.Decoder, depth int) error {
	parts := func(d *jx.Decoder) error { return decodeParts(d, &r.Parts, depth+1) }
	return table{{"id", &r.ID}, {"name", &r.Name}, {"response", &r.Response}, {"parts", parts}}.decode(d)
}

// decodeBase64 accepts both alphabets, with and without padding.
func decodeBase64(s []byte) ([]byte, error) {
	enc := base64.RawStdEncoding
	for len(s) > 0 && s[len(s)-1] == '=' {
		s = s[:len(s)-1]
	}
	for _, c := range s {
		if c == '-' || c == '_' {
			enc = base64.RawURLEncoding
			break
		}
	}
	out := make([]byte, enc.DecodedLen(len(s)))
	n, err := enc.Decode(out, s)
	return out[:n], err
}

func decodeParts(d *jx.Decoder, to *[]Part, depth int) error {
	*to = []Part{}
	return d.Arr(func(d *jx.Decoder) error {
		if d.Next() == jx.Null {
			return d.Skip()
		}
		*to = append(*to, Part{})
		return (*to)[len(*to)-1].decode(d, depth)
	})
}

// ParseParts parses content as Google's SDK does: a text, a part, or a list of texts and parts.
func ParseParts(data []byte) (parts []Part, err error) {
	one := func(d *jx.Decoder) error {
		switch d.Next() {
		case jx.Null:
			return d.Skip()
		case jx.String:
			var text string
			err := str(d, &text)
			parts = append(parts, Text(text))
			return err
		}
		parts = append(parts, Part{})
		return parts[len(parts)-1].decode(d, 0)
	}
	err = decodeAll(data, func(d *jx.Decoder) error {
		if d.Next() == jx.Array {
			return d.Arr(one)
		}
		return one(d)
	})
	return parts, err
}

func (c *Content) decode(d *jx.Decoder) error {
	c.Role, c.Parts = "", nil
	c.kept.head.Store(nil)
	return fields(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "role":
			return word(d, &c.Role, RoleModel, RoleUser)
		case "parts":
			return decodeParts(d, &c.Parts, 0)
		}
		return d.Skip()
	})
}

func (r *Response) decode(d *jx.Decoder) error {
	*r = Response{}
	return fields(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "candidates":
			r.Candidates = nil
			return d.Arr(func(d *jx.Decoder) error {
				r.Candidates = append(r.Candidates, Candidate{})
				return r.Candidates[len(r.Candidates)-1].decode(d)
			})
		case "usageMetadata":
			r.Usage = new(Usage)
			return r.Usage.decode(d)
		case "promptFeedback":
			r.PromptFeedback = new(PromptFeedback)
			return r.PromptFeedback.decode(d)
		case "modelVersion":
			return str(d, &r.ModelVersion)
		case "responseId":
			return str(d, &r.ResponseID)
		}
		return d.Skip()
	})
}

func (f *PromptFeedback) decode(d *jx.Decoder) error {
	return table{
		{"blockReason", &f.BlockReason}, {"blockReasonMessage", &f.BlockReasonMessage}, {"safetyRatings", &f.SafetyRatings},
	}.decode(d)
}

func (c *Candidate) decode(d *jx.Decoder) error {
	return fields(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "content":
			c.Content = new(Content)
			return c.Content.decode(d)
		case "finishReason":
			return word(d, &c.FinishReason, FinishStop)
		case "finishMessage":
			return str(d, &c.FinishMessage)
		case "index":
			return number(d, &c.Index)
		case "citationMetadata":
			return c.decodeCitations(d)
		case "safetyRatings":
			return raw(d, &c.SafetyRatings)
		case "groundingMetadata":
			return raw(d, &c.GroundingMetadata)
		case "urlContextMetadata":
			return raw(d, &c.URLContextMetadata)
		}
		return d.Skip()
	})
}

func (c *Candidate) decodeCitations(d *jx.Decoder) error {
	list := func(d *jx.Decoder) error {
		return d.Arr(func(d *jx.Decoder) error {
			var s Citation
			err := table{{"uri", &s.URI}, {"title", &s.Title}}.decode(d)
			c.Citations = append(c.Citations, s)
			return err
		})
	}
	return table{{"citations", list}, {"citationSources", list}}.decode(d) // the schema has called it by both names
}

func (u *Usage) decode(d *jx.Decoder) error {
	return fields(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "promptTokenCount":
			return number(d, &u.Prompt)
		case "candidatesTokenCount":
			return number(d, &u.Candidates)
		case "thoughtsTokenCount":
			return number(d, &u.Thoughts)
		case "cachedContentTokenCount":
			return number(d, &u.CachedContent)
		case "toolUsePromptTokenCount":
			return number(d, &u.ToolUsePrompt)
		case "totalTokenCount":
			return number(d, &u.Total)
		}
		return d.Skip()
	})
}
