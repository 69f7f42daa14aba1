package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// Role is the author of a [Content]. There are only two; the result of a
// tool call comes from the user's side.
type Role string

// The two roles.
const (
	RoleUser  Role = "user"
	RoleModel Role = "model"
)

// Content is one message of a conversation.
//
// It must not change once it is part of a [Request] or of a history. Contents
// are handed around as pointers; the zero value is an empty message.
type Content struct {
	Role  Role
	Parts []Part

	kept   encodings
	tokens atomic.Int64 // estimated, plus one; 0 where they were not yet
}

// User returns a message from the user.
func User(parts ...Part) *Content { return &Content{Role: RoleUser, Parts: parts} }

// Model returns a message from the model.
func Model(parts ...Part) *Content { return &Content{Role: RoleModel, Parts: parts} }

// Encoded returns the form of c that encode appends to its first argument. The
// first call with this key encodes c and keeps the result with c, so that a
// message is encoded once however often it is sent. The key names the protocol
// and the encoded part of the message; the caller must not change the bytes.
// It may be called from several goroutines at once.
func (c *Content) Encoded(key string, encode func([]byte, *Content) []byte) []byte {
	return c.kept.get(key, func() []byte { return encode(nil, c) })
}

// Text returns the visible text of c: its text parts that are not thoughts, joined.
func (c *Content) Text() string {
	if c == nil {
		return ""
	}
	return PartsText(c.Parts)
}

// FunctionCalls returns the function calls in c, in order.
func (c *Content) FunctionCalls() []*FunctionCall {
	var calls []*FunctionCall
	if c != nil {
		for i := range c.Parts {
			if call := c.Parts[i].FunctionCall; call != nil {
				calls = append(calls, call)
			}
		}
	}
	return calls
}

// HasFunctionResponse reports whether c has the result of a function call.
func (c *Content) HasFunctionResponse() bool {
	return slices.ContainsFunc(c.Parts, func(p Part) bool { return p.FunctionResponse != nil })
}

// PartsText returns the joined texts of parts, without thoughts.
func PartsText(parts []Part) string {
	if len(parts) == 1 && !parts[0].Thought { // as in nearly all chunks of an answer
		return parts[0].Text
	}
	var b strings.Builder
	for i := range parts {
		if !parts[i].Thought {
			b.WriteString(parts[i].Text)
		}
	}
	return b.String()
}

// Part is one piece of a message: exactly one payload (text, a blob, a
// function call, ...), and the model's marks on it.
type Part struct {
	Text             string
	InlineData       *Blob
	FileData         *FileData
	FunctionCall     *FunctionCall
	FunctionResponse *FunctionResponse

	// Thought marks text as the model's reasoning: never shown as its answer.
	Thought bool
	// ThoughtSignature is the vendor's proof of a thought. It goes back to the
	// same vendor with the part it came with, untouched, and to no other: see
	// Signed and SignatureBy.
	ThoughtSignature string

	// Extra holds the keys that Pollux passes on without looking inside
	// (executableCode, videoMetadata, whatever comes next).
	Extra map[string]json.RawMessage

	// emptyText is set if the part had "text":"", which some models send
	// to carry a signature and which requests must repeat.
	emptyText bool
}

// Text returns a text part.
func Text(s string) Part { return Part{Text: s, emptyText: s == ""} }

// Signed returns the form in which a vendor's signature is kept, so that a
// conversation may go on with another vendor: its name and a colon stand before
// it. Google's, which files of Gemini CLI are full of, stand as they are; being
// base64, they hold no colon.
func Signed(vendor, signature string) string { return vendor + ":" + signature }

// SignatureBy returns p's signature if this vendor made it, else "". The vendor
// of signatures without a name is "".
func (p *Part) SignatureBy(vendor string) string {
	by, signature, named := strings.Cut(p.ThoughtSignature, ":")
	switch {
	case named && by == vendor:
		return signature
	case !named && vendor == "":
		return p.ThoughtSignature
	}
	return ""
}

// IsText reports whether p holds text (a thought included) and nothing else.
func (p *Part) IsText() bool {
	return p.InlineData == nil && p.FileData == nil && p.FunctionCall == nil &&
		p.FunctionResponse == nil && len(p.Extra) == 0 && (p.Text != "" || p.emptyText)
}

// IsEmpty reports whether p holds no payload at all, or only an empty text. A
// message with an empty part is invalid.
func (p *Part) IsEmpty() bool {
	return p.Text == "" && p.InlineData == nil && p.FileData == nil && p.FunctionCall == nil &&
		p.FunctionResponse == nil && len(p.Extra) == 0
}

// Blob is data in a message: an image, a PDF or a sound.
type Blob struct {
	MIMEType    string
	Data        []byte // decoded; base64 in JSON
	DisplayName string
}

// FileData refers to a file that the vendor already has.
type FileData struct {
	MIMEType    string
	FileURI     string
	DisplayName string
}

// FunctionCall is a model's request to run a tool.
type FunctionCall struct {
	ID   string
	Name string
	// Args is a JSON object, as the model wrote it; empty means {}.
	Args json.RawMessage

	// Joined is the number of the next calls that are parts of the same change: either all of them and
	// this one run, or none. Problem is why the call cannot run, for the model; "" if it may run. Both
	// are not sent, and stay empty in calls as vendors return them.
	Joined  int
	Problem string
}

// CutCall returns a call whose arguments were cut off, of which the given text arrived. It cannot run.
func CutCall(id, name, args string) *FunctionCall {
	const shown = 200
	begin := args
	if len(begin) > shown {
		begin = strings.ToValidUTF8(begin[:shown], "") + "..."
	}
	return &FunctionCall{ID: id, Name: name, Args: json.RawMessage(`{}`), Problem: fmt.Sprintf(
		"Not run: your reply was cut off in the middle of this call, probably at the limit of its length. Write less in one call: "+
			"the beginning of a long file first, then the rest with edits of its last lines. %d bytes of its arguments arrived: %s", len(args), begin)}
}

// TextCallID begins the id of a call that was read from the model's text (llm/texttool).
const TextCallID = "text-hijack-"

// FunctionResponse is the result of a FunctionCall.
type FunctionResponse struct {
	ID   string
	Name string
	// Response is a JSON object, by custom {"output": ...} or {"error": ...}.
	Response json.RawMessage
	// Parts holds media that belongs to the result.
	Parts []Part
}

// Output returns the function response {"output": text}.
func Output(id, name, text string) *FunctionResponse {
	return &FunctionResponse{ID: id, Name: name, Response: object("output", text)}
}

// Failure returns the function response {"error": message}.
func Failure(id, name, message string) *FunctionResponse {
	return &FunctionResponse{ID: id, Name: name, Response: object("error", message)}
}

func object(key, text string) json.RawMessage {
	b := append(make([]byte, 0, len(text)+len(text)/16+len(key)+8), '{')
	b = append(AppendString(b, key), ':')
	b = AppendString(b, text)
	return append(b, '}')
}
