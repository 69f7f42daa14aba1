package tool

import "encoding/json"

// Effect is the extent of the changes that a call may make. The zero value is that of a call that may
// change anything.
type Effect struct {
	// Reads is true for a call that changes nothing.
	Reads bool
	// Paths are the only files that a call may change, absolute and without links; an empty list is that of a call that
	// changes something else, such as a list of tasks. If it is nil and Reads is false, the call may change anything. Of a call that reads, they are files that no other call may have at the
	// same time.
	Paths []string
}

// Foreseeable is implemented by a [Tool] whose calls differ in their effect. Find it with [As], because the
// tool may be wrapped.
type Foreseeable interface {
	// Effect returns the effect of a call with these arguments, which need not match the schema. It is called
	// before the calls that precede this one have run.
	Effect(args json.RawMessage) Effect
}

// ChangesNoFile is embedded in a [Tool] whose calls change something, but no file. Such calls run alone only if the tool
// is Serial, see [Spec].
type ChangesNoFile struct{}

// Effect implements [Foreseeable].
func (ChangesNoFile) Effect(json.RawMessage) Effect { return Effect{Paths: []string{}} }

// EffectOf returns the effect of a call: that which a [Foreseeable] tool foresees, else that of the tool's kind.
// A tool that does not declare that it only reads, such as a tool of an MCP server without a readOnlyHint,
// may change anything.
func EffectOf(t Tool, args json.RawMessage) Effect {
	if f, ok := As[Foreseeable](t); ok {
		return f.Effect(args)
	}
	switch t.Spec().Kind {
	case KindRead, KindSearch, KindFetch, KindThink, KindCommunicate:
		return Effect{Reads: true}
	case KindOther:
		server, ok := As[Remote](t)
		return Effect{Reads: ok && server.Annotations()["readOnlyHint"] == true}
	}
	return Effect{}
}
