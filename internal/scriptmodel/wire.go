package scriptmodel

import (
	"encoding/json"
	"net/http"
)

// wire is a vendor's protocol.
type wire interface {
	// route says whether a request speaks this protocol, and what it asks for.
	route(r *http.Request) (asked, bool)
	// read checks a request as the vendor would and says what is in it.
	read(a *asked, r *http.Request, body []byte) *refusal
	// frames returns the data of the stream's frames that say p.
	frames(a *asked, p piece) [][]byte
	// whole returns the answer that is not streamed.
	whole(a *asked, ps []piece) []byte
	// refusal returns the body of an error, and failed the same as a frame.
	refusal(f *refusal) []byte
	// count and embed return the answers to those two requests.
	count(a *asked) []byte
	embed(a *asked) []byte
}

// asked is what any protocol's request comes down to.
type asked struct {
	verb     verb
	name     string // the protocol's word for the verb
	model    string
	system   string
	tools    []string
	messages []message
	inputs   []string // to embed
	key      string   // the API key or token, "" for none
	size     int      // of the body
}

type verb int

const (
	generate verb = iota
	stream
	count
	embed
)

// message is one message of the conversation.
type message struct {
	model   bool // who says it
	texts   []string
	calls   []call
	results []result
}

type call struct {
	id, name, signature string
}

type result struct {
	id, name string
	text     string // the output or the error, else the whole as JSON
	failed   bool
}

// piece is a part of an answer, ready to be encoded. More than one field may be set.
type piece struct {
	text    string
	thought string
	call    *sentCall
	finish  string
	usage   *tokens
}

type sentCall struct {
	id, name, signature string
	args                json.RawMessage
}

type tokens struct{ prompt, candidates, cached, thoughts, tools int }

// refusal is a vendor's error.
type refusal struct {
	status  int
	code    string
	message string
	details []json.RawMessage
}

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
