package telemetry

import (
	"crypto/rand"
	"slices"
	"time"
)

// place is where in a trace something happened.
type place struct {
	trace  [16]byte
	span   [8]byte
	parent [8]byte // zero for none
}

func (p place) known() bool { return p.trace != [16]byte{} }

// placeOf returns where in its trace a prompt's own span is.
func (t *Telemetry) placeOf(promptID string) place {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.places[promptID]
}

// below returns the place of a new span within a prompt's.
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
	_, _ = rand.Read(p.trace[:]) // it never fails
	_, _ = rand.Read(p.span[:])
	return p
}

// ended tells of a span that ends now.
func (t *Telemetry) ended(name string, in place, start time.Time, failure string, more attrs) {
	t.put(&span{name: name, in: in, start: start, end: time.Now(), failure: failure, attrs: slices.Concat(attrs{{"gen_ai.operation.name", name}, {"gen_ai.agent.name", "gemini-cli"}, {"gen_ai.conversation.id", t.o.Session()}}, more)})
}
