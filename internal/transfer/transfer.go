// Package transfer describes imports from other agents, in the same words for servers, permissions, hooks, commands and
// subagents. The packages that translate these report an [Item] for each of them; report.go prints the items.
package transfer

import (
	"fmt"
	"slices"
)

// Result is the result for an item.
type Result string

// The results.
const (
	Copied  Result = "copied"
	Changed Result = "changed" // copied, with differences that the notes name
	Present Result = "present" // there already, by an earlier import, or because Pollux reads the other agent's file
	LeftOut Result = "left out"
)

// Item is the report about one thing of another agent. New items are copied, until a method says otherwise.
type Item struct {
	Name   string `json:"name"` // as the other agent has it
	Result Result `json:"result"`
	// Detail is the program that it runs, if any.
	Detail string `json:"detail,omitempty"`
	// Notes name the differences, or the reason to leave it out, each as a clause.
	Notes []string `json:"notes,omitempty"`
	// Restricts reports whether it may have refused something in the other agent.
	Restricts bool `json:"restricts,omitempty"`
}

// New returns an item that is copied as it is.
func New(name string) *Item { return &Item{Name: name, Result: Copied} }

// Change notes a difference of the copy. The item stays left out if it is.
func (i *Item) Change(format string, args ...any) {
	if i.Result == LeftOut {
		return
	}
	i.Result = Changed
	if note := fmt.Sprintf(format, args...); !slices.Contains(i.Notes, note) {
		i.Notes = append(i.Notes, note)
	}
}

// Leave leaves the item out, for one reason.
func (i *Item) Leave(format string, args ...any) {
	i.Result, i.Notes = LeftOut, []string{fmt.Sprintf(format, args...)}
}

// Keep marks an item that is there already. The notes about differences stay.
func (i *Item) Keep() { i.Result = Present }

// IsWritten reports whether an import writes the item.
func (i *Item) IsWritten() bool { return i.Result == Copied || i.Result == Changed }

// IsLost reports whether the item may have refused something, and nothing does it instead.
func (i *Item) IsLost() bool { return i.Restricts && i.Result == LeftOut }

// Part has the items of one kind.
type Part struct {
	// Kind is the singular of the kind, such as "server".
	Kind string `json:"kind"`
	// Files are the files and directories that the items are in, and Target is the file or directory to write.
	Files  []string `json:"files"`
	Target string   `json:"target,omitempty"`
	Items  []*Item  `json:"items"`
	// Notes are sentences about the part.
	Notes []string `json:"notes,omitempty"`
	// Write writes the items. It is not called if there are none to write. Settings is the settings file that it changes, "" for none.
	Write    func() error `json:"-"`
	Settings string       `json:"-"`
	// Next is a sentence about the next step after Write, "" for none.
	Next string `json:"-"`
	// isWritten is set after Write.
	isWritten bool
}

// Count returns the number of items to write.
func (p *Part) Count() (n int) {
	for _, i := range p.Items {
		if i.IsWritten() {
			n++
		}
	}
	return n
}

// Add adds an item and returns it.
func (p *Part) Add(i *Item) *Item {
	p.Items = append(p.Items, i)
	return i
}

// Report is the report about an import.
type Report struct {
	Agent string `json:"agent"` // as users name it
	Scope string `json:"scope"` // user or project
	// IsApplied reports whether the items are written.
	IsApplied bool    `json:"applied"`
	Parts     []*Part `json:"parts"`
	// Backups are the copies of the settings files before the import.
	Backups []string `json:"backups,omitempty"`
	// HowToApply ends the sentence about an import that writes nothing: "add --apply".
	HowToApply string `json:"-"`
}

// Apply writes the items of all parts. Before, it copies each settings file that these change.
func (r *Report) Apply() error {
	r.IsApplied = true
	var parts []*Part
	var settings []string
	for _, p := range r.Parts {
		if p.Count() == 0 || p.Write == nil {
			continue
		}
		parts = append(parts, p)
		if p.Settings != "" && !slices.Contains(settings, p.Settings) {
			settings = append(settings, p.Settings)
		}
	}
	for _, file := range settings {
		backup, err := keep(file)
		if err != nil {
			return err
		}
		if backup != "" {
			r.Backups = append(r.Backups, backup)
		}
	}
	for _, p := range parts {
		if err := p.Write(); err != nil {
			return err
		}
		p.isWritten = true
	}
	return nil
}
