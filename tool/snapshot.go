package tool

import (
	"sync"

	"pollux/llm"
)

// Snapshot is the tools that a model may use at one moment: those of a
// [Registry] that are not hidden. It does not change, so that the calls in a
// model's response are looked up among the tools that its request declared.
// It may be used from several goroutines at once.
type Snapshot struct {
	version    uint64
	registered []*registered
	tools      []Tool

	naming sync.Once
	byName map[string]Tool // names and aliases; made when first needed

	spare func(Form, *Spec) bool // see Registry.Spare; may be nil
	forms [Compact + 1]declared

	finder *Finder  // nil if all tools are always declared
	loaded []string // see Registry.Load
	fit    sync.Mutex
	fitted map[fitting]*llm.ToolSet // made when first needed
}

// Form is the level of detail of the declarations of tools.
type Form int

// The forms of declarations.
const (
	Full    Form = iota // for model families that need many words
	Brief               // for all others
	Compact             // for models with little room: see Spec.Compact and Registry.Spare
)

// declared is the declarations of a snapshot's tools, made when first needed.
type declared struct {
	once   sync.Once
	set    *llm.ToolSet
	remote int // tokens of the tools of servers, as far as they can be left out
}

func (s *Snapshot) index() map[string]Tool {
	s.naming.Do(func() {
		s.byName = make(map[string]Tool, len(s.tools))
		for _, t := range s.tools {
			s.byName[t.Spec().Name] = t
		}
		if s.finder != nil {
			s.byName[s.finder.Tool.Spec().Name] = s.finder.Tool
		}
		for _, t := range s.tools {
			for _, alias := range t.Spec().Aliases {
				if _, found := s.byName[alias]; !found {
					s.byName[alias] = t
				}
			}
		}
	})
	return s.byName
}

// Version numbers the snapshots of a registry. Two snapshots with the same
// version are the same; a later one has a higher version.
func (s *Snapshot) Version() uint64 { return s.version }

// Tools returns the tools in the order of their declaration. The caller must
// not modify the slice.
func (s *Snapshot) Tools() []Tool { return s.tools }

// Lookup returns the tool with this name or alias. A name has precedence over
// an alias of another tool.
func (s *Snapshot) Lookup(name string) (Tool, bool) {
	t, found := s.index()[name]
	return t, found
}

// Declarations returns the declarations of the tools in one form. All calls return the same
// value for the same form, so that adapters encode it once.
func (s *Snapshot) Declarations(form Form) *llm.ToolSet { return s.declared(form).set }

func (s *Snapshot) declared(form Form) *declared {
	d := &s.forms[form]
	d.once.Do(func() {
		d.set = s.declare(form)
		if s.finder != nil {
			d.remote = s.remoteTokens(d.set)
		}
	})
	return d
}

func (s *Snapshot) declare(form Form) *llm.ToolSet {
	set := &llm.ToolSet{}
	for _, t := range s.tools {
		spec := t.Spec()
		if s.spare != nil && s.spare(form, spec) {
			continue
		}
		d := llm.FunctionDeclaration{Name: spec.Name, Description: spec.Description, Parameters: spec.Schema, WholeTexts: spec.WholeTexts}
		switch {
		case form == Compact && spec.Compact != nil:
			d.Description, d.Parameters = spec.Compact.Description, spec.Compact.Schema
		case form != Full && spec.Brief != "":
			d.Description = spec.Brief
		}
		set.Functions = append(set.Functions, d)
	}
	return set
}
