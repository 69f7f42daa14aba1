package anthropic

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-faster/jx"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// The keys under which messages keep their forms here: a message is a list of
// blocks, separated by commas. What a user's side says is kept in two lists, as
// the results of tools must come first in a message, however many messages of
// the conversation become that one. The last byte of a list is the end of its
// last block, which is where a cache mark is let in when it is sent.
const (
	wire        = "anthropic"             // a model's blocks; a user's but for results
	wireResults = "anthropic/results"     // a user's results
	wireNoMind  = "anthropic/thoughtless" // a model's blocks without its thoughts
	wireBare    = "anthropic/unsigned"    // a model's blocks, with thoughts that nobody signed
	wireSystem  = "anthropic/system"
)

// spelling is the keys of messages for one model, and what makes their forms.
type spelling struct {
	modelKey, userKey, resultsKey string
	model, user, results          func([]byte, *llm.Content) []byte
}

// spelled returns how messages are written for a model with these quirks.
func spelled(q *Quirks) spelling {
	s := spelling{wire, wire, wireResults, nil, appendUser, appendResults}
	if q.Unsigned {
		s.modelKey = wireBare
	}
	signer, unsigned := q.signer(), q.Unsigned
	if signer != vendor {
		s.modelKey += " " + signer
	}
	s.model = func(dst []byte, c *llm.Content) []byte {
		return modelBlocks(blocks{b: dst, signer: signer, unsigned: unsigned}, c, true)
	}
	if q.NoImages || q.NoPDF {
		blind := func(dst []byte) blocks { return blocks{b: dst, noImages: q.NoImages, noPDF: q.NoPDF} }
		without := fmt.Sprintf(" %t %t", q.NoImages, q.NoPDF)
		s.userKey, s.resultsKey = s.userKey+without, s.resultsKey+without
		s.user = func(dst []byte, c *llm.Content) []byte { return userBlocks(blind(dst), c) }
		s.results = func(dst []byte, c *llm.Content) []byte { return resultBlocks(blind(dst), c) }
	}
	return s
}

// blocks appends block after block, and a comma between.
type blocks struct {
	b    []byte
	some bool
	// signer is whose thoughts are let in; unsigned lets in those without a
	// signature, the others leave out what a model cannot be shown.
	signer                    string
	unsigned, noImages, noPDF bool
}

func (l *blocks) next() {
	if l.some {
		l.b = append(l.b, ',')
	}
	l.some = true
}

// text appends a text block, unless there is nothing to see in it: the service
// refuses such.
func (l *blocks) text(s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	l.next()
	l.b = append(llm.AppendString(append(l.b, `{"type":"text","text":`...), s), '}')
}

// appendSystem appends the blocks of a system instruction.
func appendSystem(dst []byte, c *llm.Content) []byte {
	l := blocks{b: dst}
	for i := range c.Parts {
		l.text(c.Parts[i].Text)
	}
	return l.b
}

// appendThoughtless appends the blocks of a model's message, but for thoughts.
func appendThoughtless(dst []byte, c *llm.Content) []byte {
	return modelBlocks(blocks{b: dst}, c, false)
}

func modelBlocks(l blocks, c *llm.Content, thoughts bool) []byte {
	for i := range c.Parts {
		switch p := &c.Parts[i]; {
		case p.FunctionCall != nil:
			l.call(p.FunctionCall)
		case p.Thought:
			if thoughts {
				l.thought(p)
			}
		case p.IsText():
			// White space that ends a message is refused, and which block will
			// be the last is not known here.
			l.text(strings.TrimRight(p.Text, " \t\r\n"))
		default:
			l.instead(p)
		}
	}
	return l.b
}

// call appends a tool_use block.
func (l *blocks) call(c *llm.FunctionCall) {
	l.next()
	o := httpwire.Object{B: l.b}
	o.String("type", "tool_use")
	o.String("id", callID(c.ID, c.Name))
	o.String("name", toolName(c.Name))
	o.Raw("input", sound(httpwire.AsObject(c.Args, "input")))
	l.b = o.End()
}

// appendResults appends the tool_result blocks of a user's message.
func appendResults(dst []byte, c *llm.Content) []byte { return resultBlocks(blocks{b: dst}, c) }

func resultBlocks(l blocks, c *llm.Content) []byte {
	for i := range c.Parts {
		r := c.Parts[i].FunctionResponse
		if r == nil {
			continue
		}
		l.result(r)
	}
	return l.b
}

// result appends a tool_result block.
func (l *blocks) result(r *llm.FunctionResponse) {
	l.next()
	o := httpwire.Object{B: slices.Grow(l.b, len(r.Response)+len(r.ID)+80)}
	o.String("type", "tool_result")
	o.String("tool_use_id", callID(r.ID, r.Name))
	literal, failed := resultLiteral(r.Response)
	if len(r.Parts) == 0 {
		o.Raw("content", literal)
	} else {
		content := blocks{b: []byte{'['}, noImages: l.noImages, noPDF: l.noPDF}
		if len(literal) > 0 {
			content.next()
			content.b = append(append(append(content.b, `{"type":"text","text":`...), literal...), '}')
		}
		for k := range r.Parts {
			content.user(&r.Parts[k])
		}
		if content.some {
			o.Raw("content", append(content.b, ']'))
		}
	}
	if failed {
		o.Raw("is_error", []byte(`true`))
	}
	l.b = o.End()
}

// resultLiteral returns what a tool said as a JSON string, nothing if that is
// nothing to see: its output or its error alone, else all of the object. Nearly
// always it is the bytes that are there.
func resultLiteral(response json.RawMessage) (literal []byte, failed bool) {
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(response)
	members := 0
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		members++
		failed = failed || string(key) == "error"
		if k := string(key); k != "output" && k != "error" || d.Next() != jx.String {
			return d.Skip()
		}
		var err error
		literal, err = d.Raw()
		return err
	})
	valid := err == nil && d.Skip() == io.EOF
	switch {
	case valid && members == 0:
		return nil, false
	case valid && members == 1 && literal != nil:
		literal = sound(literal)
	case valid:
		literal = llm.AppendString(nil, string(sound(response)))
	default: // a hand-edited session
		literal, failed = llm.AppendString(nil, string(bytes.TrimSpace(response))), false
	}
	// The trim is a cheap sign of a string without words.
	if len(bytes.Trim(literal, `" \nrtu0`)) == 0 && isBlank(literal) {
		return nil, failed
	}
	return literal, failed
}

func isBlank(literal []byte) bool {
	var s string
	return json.Unmarshal(literal, &s) != nil || strings.TrimSpace(s) == ""
}

// resultText returns what a tool said.
func resultText(response json.RawMessage) string {
	literal, _ := resultLiteral(response)
	var s string
	_ = json.Unmarshal(literal, &s) // nothing is no literal
	return s
}

// appendUser appends the blocks of a user's message that are not results.
func appendUser(dst []byte, c *llm.Content) []byte { return userBlocks(blocks{b: dst}, c) }

func userBlocks(l blocks, c *llm.Content) []byte {
	for i := range c.Parts {
		if p := &c.Parts[i]; p.FunctionResponse == nil && p.FunctionCall == nil && !p.Thought {
			l.user(p)
		}
	}
	return l.b
}

// user appends a part that a user's side sent.
func (l *blocks) user(p *llm.Part) {
	mime := ""
	switch {
	case p.InlineData != nil:
		mime = p.InlineData.MIMEType
	case p.FileData != nil && strings.HasPrefix(p.FileData.FileURI, "https://"):
		mime = p.FileData.MIMEType
	}
	image, pdf := isImage(mime) && !l.noImages, mediaType(mime) == "application/pdf" && !l.noPDF
	switch d := p.InlineData; {
	case p.IsText():
		l.text(p.Text)
	case d != nil && image && base64.StdEncoding.EncodedLen(len(d.Data)) <= maxImage:
		l.media("image", d)
	case d != nil && pdf:
		l.media("document", d)
	case d != nil && strings.HasPrefix(mime, "text/") && !bytes.ContainsRune(d.Data, 0):
		l.text(strings.ToValidUTF8(string(d.Data), "\uFFFD"))
	case d == nil && image:
		l.linked("image", p.FileData.FileURI)
	case d == nil && pdf:
		l.linked("document", p.FileData.FileURI)
	default:
		l.instead(p)
	}
}

// maxImage is the largest image that the service takes, in base64.
const maxImage = 5 << 20

// mediaType returns a MIME type without its parameters.
func mediaType(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	return strings.ToLower(strings.TrimSpace(mime))
}

func isImage(mime string) bool {
	switch mediaType(mime) {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		return true
	}
	return false
}

func (l *blocks) media(kind string, d *llm.Blob) {
	if len(d.Data) == 0 {
		return
	}
	l.next()
	o := httpwire.Object{B: l.b}
	o.String("type", kind)
	o.Key("source")
	s := httpwire.Object{B: o.B}
	s.String("type", "base64")
	s.String("media_type", mediaType(d.MIMEType))
	s.Key("data")
	s.B = append(base64.StdEncoding.AppendEncode(append(s.B, '"'), d.Data), '"')
	o.B = s.End()
	if kind == "document" {
		o.String("title", d.DisplayName)
	}
	l.b = o.End()
}

func (l *blocks) linked(kind, address string) {
	l.next()
	o := httpwire.Object{B: l.b}
	o.String("type", kind)
	o.Key("source")
	s := httpwire.Object{B: o.B}
	s.String("type", "url")
	s.String("url", address)
	o.B = s.End()
	l.b = o.End()
}

// instead appends a text in place of what this protocol cannot carry.
func (l *blocks) instead(p *llm.Part) {
	switch {
	case p.InlineData != nil:
		l.text(fmt.Sprintf("[%s: %d bytes of %s were left out, this model is not shown such data]",
			nameOf(p.InlineData.DisplayName, "attachment"), len(p.InlineData.Data), nameOf(p.InlineData.MIMEType, "unknown type")))
	case p.FileData != nil:
		l.text(fmt.Sprintf("[%s: a file of %s, which this model is not shown]",
			nameOf(p.FileData.DisplayName, p.FileData.FileURI), nameOf(p.FileData.MIMEType, "unknown type")))
	case p.Text != "":
		l.text(p.Text)
	}
	for _, key := range slices.Sorted(maps.Keys(p.Extra)) {
		switch key {
		case "executableCode", "codeExecutionResult":
			l.text(fmt.Sprintf("[%s: %s]", key, sound(p.Extra[key])))
		}
	}
}

func nameOf(name, otherwise string) string {
	if name = strings.TrimSpace(name); name == "" {
		return otherwise
	}
	return name
}
