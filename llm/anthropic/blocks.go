package anthropic

import (
	"bytes"
	"cmp"
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
	"pollux/llm/media"
)

// The keys of cached encodings in messages. An encoding is a list of blocks,
// separated by commas. A user's message has two encodings, because tool results
// must come first when several messages are joined into one. The last byte of an
// encoding ends its last block; a cache mark is inserted before it.
const (
	keyBlocks     = "anthropic"             // a model's blocks, or a user's without tool results
	keyResults    = "anthropic/results"     // a user's tool results
	keyNoThoughts = "anthropic/thoughtless" // a model's blocks without thoughts
	keyUnsigned   = "anthropic/unsigned"    // a model's blocks with unsigned thoughts
	keySystem     = "anthropic/system"
)

// encodings holds the keys of cached encodings for one model, and the functions that
// encode messages.
type encodings struct {
	modelKey, userKey, resultsKey string
	model, user, results          func([]byte, *llm.Content) []byte
}

// encodingsFor returns the encodings for a model with these quirks.
func encodingsFor(q *Quirks) encodings {
	s := encodings{keyBlocks, keyBlocks, keyResults, nil, appendUser, appendResults}
	if q.Unsigned {
		s.modelKey = keyUnsigned
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

// blocks is a list of content blocks, separated by commas.
type blocks struct {
	b         []byte
	hasBlocks bool
	// signer is the vendor whose thoughts are included. unsigned includes thoughts
	// without a signature. noImages and noPDF replace such media by text.
	signer                    string
	unsigned, noImages, noPDF bool
}

func (l *blocks) startBlock() {
	if l.hasBlocks {
		l.b = append(l.b, ',')
	}
	l.hasBlocks = true
}

// addText appends a text block. It ignores text of white space only, which the
// service refuses.
func (l *blocks) addText(s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	l.startBlock()
	l.b = append(llm.AppendString(append(l.b, `{"type":"text","text":`...), s), '}')
}

func appendSystem(dst []byte, c *llm.Content) []byte {
	l := blocks{b: dst}
	for i := range c.Parts {
		l.addText(c.Parts[i].Text)
	}
	return l.b
}

// appendThoughtless appends the blocks of a model's message without thoughts.
func appendThoughtless(dst []byte, c *llm.Content) []byte {
	return modelBlocks(blocks{b: dst}, c, false)
}

// modelBlocks appends the blocks of a model's message.
func modelBlocks(l blocks, c *llm.Content, thoughts bool) []byte {
	for i := range c.Parts {
		switch p := &c.Parts[i]; {
		case p.FunctionCall != nil:
			l.addCall(p.FunctionCall)
		case p.Thought:
			if thoughts {
				l.addThought(p)
			}
		case p.IsText():
			// The service refuses messages that end in white space. Any block can
			// become the last one, so trim all.
			l.addText(strings.TrimRight(p.Text, " \t\r\n"))
		default:
			l.addPlaceholder(p)
		}
	}
	return l.b
}

func (l *blocks) addCall(c *llm.FunctionCall) {
	l.startBlock()
	o := httpwire.Object{B: l.b}
	o.String("type", "tool_use")
	o.String("id", callID(c.ID, c.Name))
	o.String("name", toolName(c.Name))
	o.Raw("input", fixSurrogates(httpwire.AsObject(c.Args, "input")))
	l.b = o.End()
}

// appendResults appends the tool_result blocks of a user's message.
func appendResults(dst []byte, c *llm.Content) []byte { return resultBlocks(blocks{b: dst}, c) }

// resultBlocks appends the tool_result blocks of a message.
func resultBlocks(l blocks, c *llm.Content) []byte {
	for i := range c.Parts {
		if r := c.Parts[i].FunctionResponse; r != nil {
			l.addResult(r)
		}
	}
	return l.b
}

func (l *blocks) addResult(r *llm.FunctionResponse) {
	l.startBlock()
	o := httpwire.Object{B: slices.Grow(l.b, len(r.Response)+len(r.ID)+80)}
	o.String("type", "tool_result")
	o.String("tool_use_id", callID(r.ID, r.Name))
	literal, failed := resultLiteral(r.Response)
	if len(r.Parts) == 0 {
		o.Raw("content", literal)
	} else {
		content := blocks{b: []byte{'['}, noImages: l.noImages, noPDF: l.noPDF}
		if len(literal) > 0 {
			content.startBlock()
			content.b = append(append(append(content.b, `{"type":"text","text":`...), literal...), '}')
		}
		for k := range r.Parts {
			content.addUserPart(&r.Parts[k])
		}
		if content.hasBlocks {
			o.Raw("content", append(content.b, ']'))
		}
	}
	if failed {
		o.Raw("is_error", []byte(`true`))
	}
	l.b = o.End()
}

// resultLiteral returns the output of a tool as a JSON string: the member "output" or
// "error" if it is the only member, else the whole object. It returns nil if the
// output is blank. In nearly all cases the result aliases response.
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
	isValid := err == nil && d.Skip() == io.EOF
	switch {
	case isValid && members == 0:
		return nil, false
	case isValid && members == 1 && literal != nil:
		literal = fixSurrogates(literal)
	case isValid:
		literal = llm.AppendString(nil, string(fixSurrogates(response)))
	default: // invalid JSON in a hand-edited session
		literal, failed = llm.AppendString(nil, string(bytes.TrimSpace(response))), false
	}
	// The trim avoids most calls of isBlank.
	if len(bytes.Trim(literal, `" \nrtu0`)) == 0 && isBlank(literal) {
		return nil, failed
	}
	return literal, failed
}

// isBlank reports whether a JSON string contains only white space.
func isBlank(literal []byte) bool {
	var s string
	return json.Unmarshal(literal, &s) != nil || strings.TrimSpace(s) == ""
}

func resultText(response json.RawMessage) string {
	literal, _ := resultLiteral(response)
	var s string
	_ = json.Unmarshal(literal, &s) // fails only for no output
	return s
}

// appendUser appends the blocks of a user's message without tool results.
func appendUser(dst []byte, c *llm.Content) []byte { return userBlocks(blocks{b: dst}, c) }

// userBlocks appends the blocks of a user's message without tool results.
func userBlocks(l blocks, c *llm.Content) []byte {
	for i := range c.Parts {
		if p := &c.Parts[i]; p.FunctionResponse == nil && p.FunctionCall == nil && !p.Thought {
			l.addUserPart(p)
		}
	}
	return l.b
}

// addUserPart appends a part of a user's message or of a tool result.
func (l *blocks) addUserPart(p *llm.Part) {
	mime, problem := "", ""
	switch {
	case p.InlineData != nil:
		mime, problem = media.Type(p.InlineData)
	case p.FileData != nil && strings.HasPrefix(p.FileData.FileURI, "https://"):
		mime = media.Normalize(p.FileData.MIMEType)
	}
	image, pdf := problem == "" && isImage(mime) && !l.noImages, problem == "" && mime == "application/pdf" && !l.noPDF
	switch d := p.InlineData; {
	case p.IsText():
		l.addText(p.Text)
	case d != nil && image && base64.StdEncoding.EncodedLen(len(d.Data)) <= maxImage:
		l.addMedia("image", mime, d)
	case d != nil && pdf:
		l.addMedia("document", mime, d)
	case d != nil && strings.HasPrefix(mime, "text/") && !bytes.ContainsRune(d.Data, 0):
		l.addText(strings.ToValidUTF8(string(d.Data), "\uFFFD"))
	case d == nil && image:
		l.addLink("image", p.FileData.FileURI)
	case d == nil && pdf:
		l.addLink("document", p.FileData.FileURI)
	default:
		l.addPlaceholder(p)
	}
}

// maxImage is the maximum size of an image in base64 that the service accepts.
const maxImage = 5 << 20

// isImage reports whether the service accepts images of this normalized MIME type.
func isImage(mime string) bool {
	switch mime {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		return true
	}
	return false
}

// addMedia appends an image or document with its data.
func (l *blocks) addMedia(kind, mime string, d *llm.Blob) {
	l.startBlock()
	o := httpwire.Object{B: l.b}
	o.String("type", kind)
	o.Key("source")
	s := httpwire.Object{B: o.B}
	s.String("type", "base64")
	s.String("media_type", mime)
	s.Key("data")
	s.B = append(base64.StdEncoding.AppendEncode(append(s.B, '"'), d.Data), '"')
	o.B = s.End()
	if kind == "document" {
		o.String("title", d.DisplayName)
	}
	l.b = o.End()
}

// addLink appends an image or document with its URL.
func (l *blocks) addLink(kind, address string) {
	l.startBlock()
	o := httpwire.Object{B: l.b}
	o.String("type", kind)
	o.Key("source")
	s := httpwire.Object{B: o.B}
	s.String("type", "url")
	s.String("url", address)
	o.B = s.End()
	l.b = o.End()
}

// addPlaceholder appends text in place of a part that the protocol does not support.
func (l *blocks) addPlaceholder(p *llm.Part) {
	switch {
	case p.InlineData != nil:
		l.addText(fmt.Sprintf("[%s: %d bytes of %s were left out, %s]",
			nameOf(p.InlineData.DisplayName, "attachment"), len(p.InlineData.Data), nameOf(p.InlineData.MIMEType, "unknown type"), whyOmitted(p.InlineData)))
	case p.FileData != nil:
		l.addText(fmt.Sprintf("[%s: a file of %s, which this model is not shown]",
			nameOf(p.FileData.DisplayName, p.FileData.FileURI), nameOf(p.FileData.MIMEType, "unknown type")))
	case p.Text != "":
		l.addText(p.Text)
	}
	for _, key := range slices.Sorted(maps.Keys(p.Extra)) {
		switch key {
		case "executableCode", "codeExecutionResult":
			l.addText(fmt.Sprintf("[%s: %s]", key, fixSurrogates(p.Extra[key])))
		}
	}
}

// whyOmitted returns why the data is not sent.
func whyOmitted(d *llm.Blob) string {
	mime, problem := media.Type(d)
	switch {
	case problem != "":
		return problem
	case isImage(mime) && base64.StdEncoding.EncodedLen(len(d.Data)) > maxImage:
		return "the service takes images of at most 5 MiB in base64"
	}
	return "this model is not shown such data"
}

// nameOf returns name, or otherwise if name is blank.
func nameOf(name, otherwise string) string { return cmp.Or(strings.TrimSpace(name), otherwise) }
