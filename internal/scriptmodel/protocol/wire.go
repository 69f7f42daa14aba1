// Package protocol has the types that the scripted vendors share: a request in a form common to
// all protocols, the pieces of an answer, errors, and the memory of a conversation. A vendor
// implements [Wire] and [Encoder].
package protocol

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"hash/fnv"
	"net/http"
	"strings"
)

// Wire is a vendor's protocol.
type Wire interface {
	// Name returns the name of the protocol in scripts.
	Name() string
	// Route reports whether a request has a path of this protocol, and returns a query
	// with the contents of the path and the headers.
	Route(r *http.Request) (Query, bool)
	// Read checks the body of a request as the vendor would, and adds its contents to a.
	Read(a *Query, r *http.Request, body []byte) *Error
	// CheckMemory refuses a conversation in which data that came with a call is missing or
	// changed, such as a signature.
	CheckMemory(a *Query, m *Memory) *Error
	// Deny returns the vendor's error for a denial, or nil if the denial is about a
	// parameter that the request does not have.
	Deny(a *Query, why Denial) *Error
	// EncodeError returns the body of an error response.
	EncodeError(f *Error) []byte
	// NewEncoder returns the encoder of an answer. opening is the usage to send at its
	// start, or nil.
	NewEncoder(a *Query, opening *Tokens) Encoder
	// DirectResponse returns the response body for a request that uses no turn of the script.
	DirectResponse(a *Query) []byte
}

// Encoder encodes one answer.
type Encoder interface {
	// Frames adds p to the answer and returns its frames of the stream.
	Frames(p Piece) []Frame
	// ErrorFrames returns the frames for an error within a stream.
	ErrorFrames(f *Error) []Frame
	// Response returns the body of the response without streaming, with all pieces so far.
	Response() []byte
	// SignedThoughts returns the signed thoughts so far, which must come back unchanged.
	SignedThoughts() []Thought
}

// Frame is an event of a stream.
type Frame struct {
	Event string // its name, "" for none
	Data  []byte
}

// Query is a request in a form common to all protocols.
type Query struct {
	Verb      Verb
	VerbName  string // the verb in Gemini's words, so that a script fits all
	Kind      string // the name of the request's type in the vendor's schema, or ""
	Model     string
	System    string
	Tools     []string
	Messages  []Message
	Inputs    []string // texts to embed
	Key       string   // API key or token; "" for none
	Size      int      // size of the body, in bytes
	Body      map[string]any
	Thinking  bool   // the request asks for thoughts
	JSONLines bool   // the stream has one JSON value per line instead of events
	Newline   string // line ending of the stream; "" is LF

	// The script's settings for all requests.
	Accept  []string
	Models  []string
	Refuse  []string // parameters
	Context int
	Number  int // number of the answer, which makes its IDs unique
	// ThoughtField is the field for thoughts in Chat Completions; "tags" writes them into
	// the text, "" uses reasoning_content.
	ThoughtField string
}

// Verb is the kind of a request.
type Verb int

// The verbs. Generate and Stream request an answer, whole or in pieces.
const (
	Generate Verb = iota
	Stream
	CountTokens
	Embed
	ListModels
)

// SetContentVerb sets the verb of a request for content to Stream or Generate, from the field
// stream of its body.
func (a *Query) SetContentVerb() {
	a.Verb, a.VerbName = Generate, "generateContent"
	if a.Body["stream"] == true {
		a.Verb, a.VerbName = Stream, "streamGenerateContent"
	}
}

// Message is a message of the conversation. It joins consecutive messages of the same side.
type Message struct {
	FromModel bool
	Texts     []string
	Media     []string // media types, including those in results
	Thoughts  []Thought
	Calls     []Call
	Results   []Result
	First     string // kind of the first block, if the protocol has blocks
}

// Thought is a thought of the model with the vendor's signature.
type Thought struct{ Text, Signature string }

// Call is a function call in a request.
type Call struct {
	ID, Name, Signature string
	Item                string // ID of the item that holds the call
	Args                string // see CanonicalArgs
}

// Result is the result of a function call in a request.
type Result struct {
	ID, Name       string
	Text           string // the output or the error, or the whole response as JSON
	Failed         bool
	HasNoErrorMark bool // the protocol does not mark failed results
}

// Add adds m to the conversation. It joins m with the last message if both are of the same side.
func (a *Query) Add(m Message) {
	if n := len(a.Messages); n > 0 && a.Messages[n-1].FromModel == m.FromModel {
		last := &a.Messages[n-1]
		last.Texts = append(last.Texts, m.Texts...)
		last.Media = append(last.Media, m.Media...)
		last.Thoughts = append(last.Thoughts, m.Thoughts...)
		last.Calls = append(last.Calls, m.Calls...)
		last.Results = append(last.Results, m.Results...)
		return
	}
	a.Messages = append(a.Messages, m)
}

// SetResultNames sets the name of each result to that of its call, for protocols that send
// results with IDs only.
func (a *Query) SetResultNames() {
	names := map[string]string{}
	for _, m := range a.Messages {
		for _, c := range m.Calls {
			names[c.ID] = c.Name
		}
		for i, r := range m.Results {
			m.Results[i].Name = names[r.ID]
		}
	}
}

// Piece is a part of an answer. More than one field may be set.
type Piece struct {
	Text         string
	Thought      string
	Calls        []SentCall // more than one only if they are interleaved
	Null         bool       // a chunk with null instead of a delta
	Last         bool       // the last piece of the answer
	FinishReason string     // set on the last piece; "" sends none
	Usage        *Tokens
}

// SentCall is a function call in an answer.
type SentCall struct {
	ID, Name, Signature string
	EmptyID             bool
	Args                json.RawMessage
	Form                string // form of the arguments: "", ArgsObject, ArgsBroken or ArgsEmpty
}

// Text returns the text to send for the arguments.
func (c *SentCall) Text() string {
	switch c.Form {
	case ArgsBroken:
		return string(c.Args[:(len(c.Args)+1)/2]) // half of an object is never valid
	case ArgsEmpty:
		return ""
	}
	return string(c.Args)
}

// Deltas splits the text of the arguments into a few pieces, as models send it.
func (c *SentCall) Deltas() []string {
	s := c.Text()
	return Cut(s, max(len(s)/3, 8))
}

// Cut splits s into pieces of size bytes, or slightly more to keep characters whole.
func Cut(s string, size int) []string {
	var out []string
	for ; s != ""; s = s[len(out[len(out)-1]):] {
		n := min(size, len(s))
		for n < len(s) && s[n]&0xc0 == 0x80 { // keep the character whole
			n++
		}
		out = append(out, s[:n])
	}
	return out
}

// Interleave calls f with the deltas of all calls, one of each call in turn.
func Interleave(calls []SentCall, f func(i int, delta string)) {
	var all [][]string
	for i := range calls {
		all = append(all, calls[i].Deltas())
	}
	for more := true; more; {
		more = false
		for i := range all {
			if len(all[i]) > 0 {
				f(i, all[i][0])
				all[i], more = all[i][1:], true
			}
		}
	}
}

// Tokens are the token counts of an answer.
type Tokens struct{ Prompt, Candidates, Cached, Thoughts, Tools int }

// Memory is the data that a server sent and that must come back unchanged.
type Memory struct {
	Calls     map[string]CallRecord
	SentCalls []NamedCall       // in order
	Thoughts  map[string]string // texts by signature
}

// NamedCall is a call that the server sent.
type NamedCall struct{ ID, Name string }

// CallRecord is the data that the server sent with a call.
type CallRecord struct {
	Args      string
	Signature string
	Thoughts  []Thought
}

// CallRecord returns the data that came with a call. It returns false if this server did not
// send the call; another vendor may have used the same ID.
func (m *Memory) CallRecord(c Call) (CallRecord, bool) {
	g, ok := m.Calls[c.ID]
	if !ok || g.Args != c.Args {
		return CallRecord{}, false
	}
	return g, true
}

// CanonicalArgs returns arguments, decoded or as JSON text, as JSON in a canonical form.
func CanonicalArgs(v any) string {
	if text, ok := v.(string); ok {
		parsed, err := ParseJSON([]byte(text))
		if err != nil {
			return text
		}
		v = parsed
	}
	if v == nil {
		v = map[string]any{}
	}
	return string(MustJSON(v))
}

// IsGenuine reports whether this or another scripted server signed the thought.
func (m *Memory) IsGenuine(t Thought) bool {
	text, ours := m.Thoughts[t.Signature]
	return ours && text == t.Text || !ours && t.Signature == Sign(t.Text)
}

// Sign returns the signature of a thought that has none in the script.
func Sign(text string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	return base64.StdEncoding.EncodeToString(h.Sum([]byte(SignaturePrefix)))
}

// SignaturePrefix starts each signature that Sign returns, before its Base64 encoding.
const SignaturePrefix = "scripted:"

// Error is a vendor's error.
type Error struct {
	Status  int
	Code    string // any vendor's code; "" for this vendor's usual code
	Message string // "" for the vendor's usual message
	Param   string // the invalid parameter, or ""
	Details []json.RawMessage
}

// Text returns the error's message, or else the vendor's for its code or status, or that of HTTP.
func (e *Error) Text(byCode map[string]string, byStatus map[int]string) string {
	return cmp.Or(e.Message, byCode[e.Code], byStatus[e.Status], http.StatusText(e.Status))
}

// Denial is a reason to refuse a valid request.
type Denial struct {
	Kind      DenialKind
	MaxTokens int    // limit of TooLong
	Name      string // name of the Parameter
}

// DenialKind is the kind of a Denial.
type DenialKind int

// The reasons of denials.
const (
	NoKey DenialKind = iota
	WrongKey
	TooLong
	Parameter
)

// Estimate returns an estimate of the request's tokens.
func (a *Query) Estimate() int {
	n := len(a.System)
	for _, m := range a.Messages {
		for _, t := range m.Texts {
			n += len(t)
		}
		for _, r := range m.Results {
			n += len(r.Text)
		}
	}
	return n/4 + 1
}

// LastMessage returns the last message. The conversation must not be empty.
func (a *Query) LastMessage() *Message { return &a.Messages[len(a.Messages)-1] }

// Bearer returns the bearer token of a request, or "" for none.
func Bearer(r *http.Request) string {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return token
}

// ParseJSON decodes a body that must be exactly one JSON value. Numbers are json.Number.
func ParseJSON(body []byte) (any, error) {
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.UseNumber()
	var root any
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("text after the end of the value")
	}
	return root, nil
}
