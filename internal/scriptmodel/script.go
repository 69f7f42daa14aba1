package scriptmodel

import (
	"encoding/json"
	"time"

	"pollux/internal/scriptmodel/protocol"
)

// Script is a parsed script: the answers of a model, and the requests that it expects.
type Script struct {
	Turns []Turn
	// Key is the only valid API key; "" accepts any key. Open also accepts requests
	// without a key.
	Key  string
	Open bool
	// Context limits the tokens of a request; 0 is no limit.
	Context int
	// Refuse are the parameters that the server refuses.
	Refuse []Refusal
	// Accept are fields that the server accepts although the vendor does not know them.
	Accept []string
	// Models are the names in the list of models.
	Models []string
}

// Refusal refuses a parameter with an error text; "" is the vendor's own text.
type Refusal struct{ Name, Text string }

// Turn answers one request, or Times of them.
type Turn struct {
	Line   int // line in the script, for messages
	When   []Condition
	Expect []Condition
	Steps  []Step
	Times  int // 0 means once, negative means any number
	Transport
}

// Transport is how an answer is sent; the zero value is the vendor's way.
type Transport struct {
	Newline string // line ending of the stream; "" is the vendor's
	Split   int    // bytes per write; 0 writes each chunk at once
	Pace    time.Duration
	Rate    int // chunks per second, on average; 0 is no limit
	// Thoughts is the field for thoughts in Chat Completions; "tags" writes them into the
	// text, "" is reasoning_content.
	Thoughts string
	// Interleave sends the deltas of consecutive calls in turn.
	Interleave bool
}

// Condition is a condition on a request.
type Condition struct {
	Line int
	Not  bool
	Kind string // "prompt", "result" ..., see the package's doc
	Name string // an id or a header
	Text string
}

// Step is a step of a turn: one of the types Text, Think, Call and so on in this package.
type Step interface{ step() }

// Text is a chunk of the answer.
type Text struct{ Text string }

// Think is a chunk of reasoning.
type Think struct{ Text string }

// Call is a function call. Args is a JSON object, which may contain {{...}}.
type Call struct {
	ID        string // "" is none
	EmptyID   bool   // sends the ID ""
	Name      string
	Args      string
	Signature string
	Form      string // form of the arguments: "", object, broken or empty
}

// Fill is a chunk of Size bytes of text.
type Fill struct {
	Size int
	Text string // repeated; "" is x
}

// Finish ends the answer with a reason; "" sends none.
type Finish struct{ Reason string }

// Usage sets the token counts of the answer.
type Usage struct {
	None                                        bool
	Prompt, Candidates, Cached, Thoughts, Tools int
}

func (u *Usage) tokens() *protocol.Tokens {
	if u.None {
		return nil
	}
	return &protocol.Tokens{Prompt: u.Prompt, Candidates: u.Candidates, Cached: u.Cached, Thoughts: u.Thoughts, Tools: u.Tools}
}

// Null is a chunk with null instead of a delta.
type Null struct{}

// Comment is a comment in the stream.
type Comment struct{ Text string }

// End ends the response without finish reason and usage.
type End struct{}

// Delay waits.
type Delay struct{ For time.Duration }

// Hang waits until the client closes the connection.
type Hang struct{}

// Drop breaks the connection.
type Drop struct{}

// Cut breaks the connection in the middle of the step before it.
type Cut struct{}

// Fail is an error of the vendor.
type Fail struct {
	Status  int
	Code    string // "" is the vendor's usual
	Message string // "" is the vendor's usual
	Details []json.RawMessage
}

// Page is an HTML response, as proxies send it.
type Page struct {
	Status int
	HTML   string
}

// Header adds a header to the response.
type Header struct{ Name, Value string }

// Frame is one frame of the stream with this data, JSON or not.
type Frame struct{ Data string }

// Raw is bytes that are sent unchanged.
type Raw struct{ Data []byte }

func (Text) step()    {}
func (Think) step()   {}
func (Call) step()    {}
func (Fill) step()    {}
func (Finish) step()  {}
func (Usage) step()   {}
func (Null) step()    {}
func (Comment) step() {}
func (End) step()     {}
func (Delay) step()   {}
func (Hang) step()    {}
func (Drop) step()    {}
func (Cut) step()     {}
func (Fail) step()    {}
func (Page) step()    {}
func (Header) step()  {}
func (Frame) step()   {}
func (Raw) step()     {}
