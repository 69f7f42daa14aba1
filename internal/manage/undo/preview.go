package undo

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/internal/project"
	"pollux/internal/undo/history"
	"pollux/internal/undo/report"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/store"
	"pollux/tool"
)

// Change is an operation of the log that a person can choose to undo.
type Change struct {
	Number   int
	Title    string // on one line
	Ended    time.Time
	IsOther  bool // of another session
	IsUndone bool
}

// Name is the argument of undo for the change.
func (c Change) Name() string { return "#" + strconv.Itoa(c.Number) }

// Changes returns the newest changes of the project, at most most of them, the newest first. Undos are left out. session is the id of the session that the person works in.
func Changes(ctx context.Context, p *project.Project, session string, most int) (list []Change, err error) {
	l, err := read(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, h := range slices.Backward(l.All()) {
		if h.Kind == store.Undo {
			continue
		}
		if len(list) == most {
			break
		}
		list = append(list, Change{
			Number: h.Number, Title: title(h), Ended: h.Ended, IsOther: h.Session != session, IsUndone: l.IsUndone(h.Number),
		})
	}
	return list, nil
}

// Preview is the effect of an undo.
type Preview struct {
	// Summary counts the changes that are taken back. Files has a row for each file, as a diffstat, and Patch is the unified
	// diff of the changes, which ends early if it is long.
	Summary string
	Files   [][]string
	Patch   string
	Paths   int // that change
	// Stays are the paths that stay as they are, with the reasons. CanOverwrite reports that some of them were changed since,
	// and can be brought back at the price of that.
	Stays        []string
	CanOverwrite bool
	Notes        []string // sentences about the effect
}

// maxPreview is the longest patch of a [Preview], in bytes.
const maxPreview = 256 << 10

// Look returns the effect of an undo of a change. It changes nothing.
func Look(ctx context.Context, p *project.Project, c Change) (*Preview, error) {
	l, err := read(ctx, p)
	if err != nil {
		return nil, err
	}
	operations, err := l.Undo(history.Selection{Call: c.Name()})
	if err != nil {
		return nil, err
	}
	plan, err := revert.Make(ctx, l.store, operations)
	if err != nil {
		return nil, err
	}
	patch := head{most: maxPreview}
	summary, err := plan.Patch(&patch, l.names(""))
	if err != nil {
		return nil, err
	}
	v := &Preview{Files: summary.Rows(), Patch: patch.String(), Paths: len(plan.Changes())}
	var changes *tool.Changes
	for _, o := range operations {
		changes = changes.Plus((&report.Reporter{Store: l.store, Root: p.Paths.Dir()}).Changes(o))
	}
	if changes != nil {
		v.Summary = changes.String()
	}
	if text := l.warning(); text != "" {
		v.Notes = append(v.Notes, text)
	}
	if patch.isCut {
		v.Notes = append(v.Notes, "The diff is longer. To see all of it, run pollux undo diff '"+c.Name()+"'.")
	}
	for _, s := range plan.Problems() {
		v.Stays = append(v.Stays, l.name(s.Path)+": "+s.Problem)
		v.CanOverwrite = v.CanOverwrite || s.IsOverwritable
	}
	if text := others(operations); text != "" {
		v.Notes = append(v.Notes, strings.TrimSuffix(text, "\n"))
	}
	return v, nil
}

// head is a writer that keeps the first whole lines of a text, at most most bytes of them.
type head struct {
	strings.Builder
	most  int
	isCut bool
}

func (h *head) Write(data []byte) (int, error) {
	n := len(data)
	switch room := h.most - h.Len(); {
	case h.isCut:
		return n, nil
	case n > room:
		data, h.isCut = data[:bytes.LastIndexByte(data[:room], '\n')+1], true
	}
	h.Builder.Write(data)
	return n, nil
}

// read reads the log of a project.
func read(ctx context.Context, p *project.Project) (*log, error) {
	s, unsettled := Settled(ctx, p, p.Paths)
	if s == nil {
		return &log{&history.History{}, p, nil, nil}, unsettled
	}
	h, err := history.Read(s)
	return &log{h, p, s, unsettled}, err
}
