package scriptmodel

import (
	"encoding/json"
	"time"
)

// Script is what a model will say, and what it expects to be asked.
type Script struct {
	Turns []Turn
	// Key is the only API key that is let in; "" lets any in. Open lets
	// requests without a key in as well.
	Key  string
	Open bool
	// Context is how many tokens a request may have; 0 is no limit.
	Context int
	// Refuse are parameters of which the server wants to know nothing.
	Refuse []Refusal
	// Accept are names of fields that the vendor does not know.
	Accept []string
	// Models are listed to who asks for the models.
	Models []string
}

// Refusal is of a parameter, with this text, "" for the vendor's own.
type Refusal struct{ Name, Text string }

// Turn answers one request, or Times of them.
type Turn struct {
	Line   int // where the script says so, for messages
	When   []Condition
	Expect []Condition
	Steps  []Step
	Times  int // 0 is once, negative is always
	Sending
}

// Sending is how an answer goes over the wire; the zero Sending is how the
// vendor does it.
type Sending struct {
	Newline string // ends a line of the stream; "" is CR LF
	Split   int    // bytes in a write; 0 is a chunk in a write
	Pace    time.Duration
	// Thoughts is the field for them on Chat Completions, "tags" for none; ""
	// is reasoning_content.
	Thoughts string
	// Interleave sends the arguments of calls that follow each other by turns.
	Interleave bool
}

// Condition is something that a request may be or not.
type Condition struct {
	Line int
	Not  bool
	Kind string // "prompt", "result" ..., see the package's doc
	Name string // an id or a header
	Text string
}

// Step is something that the model does in a turn. The kinds are the types below.
type Step interface{ step() }

// Text is a chunk of the answer.
type Text struct{ Text string }

// Think is a chunk of reasoning.
type Think struct{ Text string }

// Call is a function call. Args is a JSON object, in which {{...}} may stand.
type Call struct {
	ID        string // "" is none
	EmptyID   bool   // an id is sent, and is ""
	Name      string
	Args      string
	Signature string
	Form      string // of the arguments, see below
}

// The forms in which arguments are sent; the zero form is the vendor's.
const (
	argsObject = "object" // where a string belongs
	argsBroken = "broken" // half of them
	argsEmpty  = "empty"  // an empty string
)

// Fill is a chunk of Size bytes of text.
type Fill struct {
	Size int
	Text string // repeated; "" is x
}

// Finish ends the answer with this reason, "" with none.
type Finish struct{ Reason string }

// Usage sets the token counts of the answer.
type Usage struct {
	None                                        bool
	Prompt, Candidates, Cached, Thoughts, Tools int
}

func (u *Usage) tokens() *tokens {
	if u.None {
		return nil
	}
	return &tokens{u.Prompt, u.Candidates, u.Cached, u.Thoughts, u.Tools}
}

// Null is a chunk that says null where something should be.
type Null struct{}

// Comment is a comment of the stream.
type Comment struct{ Text string }

// End ends the response as it stands.
type End struct{}

// Delay waits.
type Delay struct{ For time.Duration }

// Hang waits until the client has gone.
type Hang struct{}

// Drop breaks the connection.
type Drop struct{}

// Cut breaks the connection in the middle of what was said before it.
type Cut struct{}

// Fail is the vendor's error.
type Fail struct {
	Status  int
	Code    string // "" is the vendor's usual
	Message string // "" is the vendor's usual
	Details []json.RawMessage
}

// Page is a response that no vendor wrote.
type Page struct {
	Status int
	HTML   string
}

// Header adds a header to the response.
type Header struct{ Name, Value string }

// Frame is one frame of the stream with this data, JSON or not.
type Frame struct{ Data string }

// Raw is bytes as they are.
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
