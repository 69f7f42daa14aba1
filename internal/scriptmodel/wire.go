package scriptmodel

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"hash/fnv"
	"net/http"
	"strings"
)

// wire is a vendor's protocol.
type wire interface {
	name() string
	// newline is what ends a line of the vendor's streams.
	newline() string
	// route says whether a request speaks this protocol, and what it asks for.
	route(r *http.Request) (asked, bool)
	// read checks a request as the vendor would and says what is in it.
	read(a *asked, r *http.Request, body []byte) *refusal
	// faithful refuses a conversation that lost or changed what came with a call.
	faithful(a *asked, m *memory) *refusal
	// denied words a refusal that the script wants. Where it is of a parameter
	// that the request does not have, there is none.
	denied(a *asked, why denial) *refusal
	// refusal returns the body of an error.
	refusal(f *refusal) []byte
	// voice begins an answer; opening is its usage, nil where it has none.
	voice(a *asked, opening *tokens) voice
	// aside answers the requests for which no script is needed.
	aside(a *asked) []byte
}

// voice says one answer.
type voice interface {
	// frames returns the frames of the stream that say p.
	frames(p piece) []frame
	// failed returns the frames that say an error in the middle of a stream.
	failed(f *refusal) []frame
	// whole returns the answer that is not streamed, of all that was said.
	whole() []byte
	// thoughts returns those that are said and signed, and must come back.
	thoughts() []thought
}

// frame is an event of a stream.
type frame struct {
	event string // its name, "" for none
	data  []byte
}

// asked is what any protocol's request comes down to.
type asked struct {
	verb     verb
	name     string // the verb in Gemini's words, so that a script fits all
	kind     string // of the request, in the vendor's schema; "" for none
	model    string
	system   string
	tools    []string
	messages []message
	inputs   []string // to embed
	key      string   // the API key or token, "" for none
	size     int      // of the body
	root     map[string]any
	thinking bool // thoughts are wanted
	lines    bool // its stream is a JSON value a line, not events

	// What the script says of all requests.
	accept  []string
	models  []string
	refuse  []Refusal
	context int
	number  int // of the answer, by which its ids differ from those of others
	// What the turn says of its answer: the field for thoughts.
	thoughtsIn string
}

type verb int

const (
	generate verb = iota
	stream
	count
	embed
	models
)

// converse sets the verb of a request that says in its body whether it wants a stream.
func (a *asked) converse() {
	a.verb, a.name = generate, "generateContent"
	if a.root["stream"] == true {
		a.verb, a.name = stream, "streamGenerateContent"
	}
}

// message is one message of the conversation. Where a protocol has more of them
// for what one side says, they are one here.
type message struct {
	model    bool // who says it
	texts    []string
	media    []string // their types, those in results included
	thoughts []thought
	calls    []call
	results  []result
	first    string // the kind of its first block, where it has blocks
}

type thought struct{ text, signature string }

type call struct {
	id, name, signature string
	item                string // the id that the protocol gives beside the call's own
	args                string // in a form in which equal ones are the same text
}

type result struct {
	id, name string
	text     string // the output or the error, else the whole as JSON
	failed   bool
	unmarked bool // the protocol does not say whether it failed
}

// say adds to the conversation, to its last message where that is the same side's.
func (a *asked) say(m message) {
	if n := len(a.messages); n > 0 && a.messages[n-1].model == m.model {
		last := &a.messages[n-1]
		last.texts = append(last.texts, m.texts...)
		last.media = append(last.media, m.media...)
		last.thoughts = append(last.thoughts, m.thoughts...)
		last.calls = append(last.calls, m.calls...)
		last.results = append(last.results, m.results...)
		return
	}
	a.messages = append(a.messages, m)
}

// nameResults gives the results the names of the calls that they answer, for
// protocols that send only ids.
func (a *asked) nameResults() {
	names := map[string]string{}
	for i := range a.messages {
		for _, c := range a.messages[i].calls {
			names[c.id] = c.name
		}
		for j := range a.messages[i].results {
			r := &a.messages[i].results[j]
			r.name = names[r.id]
		}
	}
}

// piece is a part of an answer, ready to be encoded. More than one field may be set.
type piece struct {
	text    string
	thought string
	calls   []sentCall // more than one only where they are interleaved
	null    bool       // a chunk that says null
	last    bool       // it ends the answer
	finish  string     // with this reason
	usage   *tokens
}

type sentCall struct {
	id, name, signature string
	emptyID             bool
	args                json.RawMessage
	form                string // of the arguments, as in [Call]
}

// text is the text that is sent for the arguments.
func (c *sentCall) text() string {
	switch c.form {
	case argsBroken:
		return string(c.args[:(len(c.args)+1)/2]) // half an object never is one
	case argsEmpty:
		return ""
	}
	return string(c.args)
}

// deltas cuts the text of the arguments into a few pieces, as models send it.
func (c *sentCall) deltas() []string {
	s := c.text()
	return cut(s, max(len(s)/3, 8))
}

// cut cuts text into pieces of this size, or a little more.
func cut(s string, size int) []string {
	var out []string
	for ; s != ""; s = s[len(out[len(out)-1]):] {
		n := min(size, len(s))
		for n < len(s) && s[n]&0xc0 == 0x80 { // not within a character
			n++
		}
		out = append(out, s[:n])
	}
	return out
}

// interleave calls f for the deltas of all calls, by turns.
func interleave(calls []sentCall, f func(i int, delta string)) {
	var all [][]string
	for i := range calls {
		all = append(all, calls[i].deltas())
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

type tokens struct{ prompt, candidates, cached, thoughts, tools int }

// memory is what a server gave, and wants to see again unchanged.
type memory struct {
	calls    map[string]given
	said     []saidCall        // in their order
	thoughts map[string]string // texts by signature
}

type saidCall struct{ id, name string }

// given is what came with a call.
type given struct {
	args      string
	signature string
	thoughts  []thought
}

// given returns what came with a call, if it is one that was made here: another
// vendor may have given its id to one of its own.
func (m *memory) given(c call) (given, bool) {
	g, ok := m.calls[c.id]
	if !ok || g.args != c.args {
		return given{}, false
	}
	return g, true
}

// sameArgs returns arguments in a form in which equal ones are the same text.
func sameArgs(v any) string {
	if text, ok := v.(string); ok {
		parsed, err := parseJSON([]byte(text))
		if err != nil {
			return text
		}
		v = parsed
	}
	if v == nil {
		v = map[string]any{}
	}
	return string(mustJSON(v))
}

// genuine reports whether a model of this kind, here or on another server,
// signed this thought.
func (m *memory) genuine(t thought) bool {
	text, ours := m.thoughts[t.signature]
	return ours && text == t.text || !ours && t.signature == sign(t.text)
}

// sign makes the signature of a thought for which the script has none.
func sign(text string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // it never fails
	return base64.StdEncoding.EncodeToString(h.Sum([]byte(signed)))
}

const signed = "scripted:"

// refusal is a vendor's error.
type refusal struct {
	status  int
	code    string // a vendor's word, not always this one's; "" for its usual
	message string // "" for its usual
	param   string // the parameter that is wrong, if it is one
	details []json.RawMessage
}

// denial is why a request is refused that has nothing wrong with it.
type denial struct {
	kind denialKind
	most int    // tokens
	name string // of a parameter
}

type denialKind int

const (
	noKey denialKind = iota
	wrongKey
	tooLong
	parameter
)

// estimate is how many tokens a request is, for want of a tokenizer.
func (a *asked) estimate() int {
	n := len(a.system)
	for _, m := range a.messages {
		for _, t := range m.texts {
			n += len(t)
		}
		for _, r := range m.results {
			n += len(r.text)
		}
	}
	return n/4 + 1
}

// newest returns the last message; there always is one.
func (a *asked) newest() *message { return &a.messages[len(a.messages)-1] }

// bearer returns the token of a request, "" for none.
func bearer(r *http.Request) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if token == r.Header.Get("Authorization") {
		return ""
	}
	return token
}

// parseJSON parses a body that must be one value.
func parseJSON(body []byte) (any, error) {
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
