package telemetry

import (
	"crypto/rand"
	"slices"
	"time"
)

// place is a position in a trace.
type place struct {
	trace  [16]byte
	span   [8]byte
	parent [8]byte // zero if there is none
}

func (p place) known() bool { return p.trace != [16]byte{} }

// placeOf returns the position of a prompt's span.
func (t *Telemetry) placeOf(promptID string) place {
	if w := t.prompt(promptID); w != nil {
		return w.in
	}
	return place{}
}

// below returns the position of a new span below a prompt's span.
func (t *Telemetry) below(promptID string) place {
	parent := t.placeOf(promptID)
	p := newPlace()
	if parent.known() {
		p.trace, p.parent = parent.trace, parent.span
	}
	return p
}

func newPlace() place {
	var p place
	_, _ = rand.Read(p.trace[:]) // never fails
	_, _ = rand.Read(p.span[:])
	return p
}

// ended records a span that ends now.
func (t *Telemetry) ended(name string, in place, start time.Time, failure string, more attrs) {
	t.put(&span{name: name, in: in, start: start, end: time.Now(), failure: failure, attrs: slices.Concat(attrs{{"gen_ai.operation.name", name}, {"gen_ai.agent.name", "gemini-cli"}, {"gen_ai.conversation.id", t.o.Session()}}, more)})
}
