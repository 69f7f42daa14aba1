package file

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"syscall"

	"pollux/internal/workspace"
	"pollux/tool"
)

// NewReplace returns the tool replace. If fix is nil, failed edits are not corrected. Its results describe changes
// of the file that the model has not seen.
func NewReplace(w *workspace.Workspace, fix Corrector, seen *Seen, watch EditObserver) tool.Tool {
	return &replace{w: w, fix: fix, seen: seen, watch: watch, made: &madeEdits{}, spec: tool.Spec{
		Name:        "replace",
		DisplayName: "Edit",
		Aliases:     []string{"EditTool"},
		Kind:        tool.KindEdit,
		Description: "Changes a part of a file: puts new_string where old_string is. Read the file first. old_string must be the text as it stands " +
			"in the file, white space and indentation included, with enough lines around the change (three before and after are a good measure) to be " +
			"found exactly once; with allow_multiple every occurrence is replaced. new_string must be all that is to stand there, as literal text: " +
			"nothing is escaped, nothing is left out with a comment like 'rest of code ...'. An empty old_string creates a new file.",
		Brief: "Puts new_string where old_string is. Read the file first. old_string must be the text as it stands in the file, white space included, with " +
			"enough lines around the change to be found exactly once. new_string is literal text: nothing is left out with a comment like 'rest of code ...'. " +
			"An empty old_string creates a file.",
		Compact: compactReplace,
		Schema: json.RawMessage(`{"type":"object","properties":{` +
			`"file_path":{"type":"string","description":"The file, absolute or relative to the working directory."},` +
			`"instruction":{"type":"string","description":"What the change is for, so precise that someone who sees only this sentence and the file could make it: what changes, where, why."},` +
			`"old_string":{"type":"string","description":"The text to replace, exactly as it is in the file; empty for a new file."},` +
			`"new_string":{"type":"string","description":"The text to put in its place."},` +
			`"allow_multiple":{"type":"boolean","description":"Replace every occurrence; without it there must be exactly one."}` +
			`},"required":["file_path","old_string","new_string"]}`),
	}}
}

// EditObserver receives reports about edits. Functions that are nil are not called; the others
// must be safe for concurrent use.
type EditObserver struct {
	// Made is called for each edit with the name of the strategy that found its place:
	// "exact", "flexible", "regex" or "fuzzy".
	Made func(how string)
	// Corrected is called with the result of applying a [Corrector]'s proposal.
	Corrected func(works bool)
}

type replace struct {
	w     *workspace.Workspace
	fix   Corrector
	seen  *Seen
	watch EditObserver
	made  *madeEdits
	spec  tool.Spec
}

func (t *replace) Spec() *tool.Spec { return &t.spec }

// Effect implements [tool.Foreseeable].
func (t *replace) Effect(raw json.RawMessage) tool.Effect { return changesFile(t.w, raw) }

func (t *replace) Build(raw json.RawMessage) (tool.Invocation, error) {
	args, err := parseArguments(raw)
	if err != nil {
		return nil, err
	}
	c := &replaceCall{w: t.w, fix: t.fix, seen: t.seen, watch: t.watch, made: t.made, args: args, path: args.str("file_path"), multiple: args.flag("allow_multiple")}
	if blank(c.path) {
		return nil, fail(tool.ErrInvalidParams, "The 'file_path' parameter must be non-empty.")
	}
	c.old, c.new = lf(args.str("old_string")), lf(args.str("new_string"))
	known := omissions(c.old)
	for words := range omissions(c.new) {
		if !known[words] {
			return nil, fail(tool.ErrInvalidParams, "`new_string` contains an omission placeholder (for example 'rest of methods ...'). Provide exact literal replacement text.")
		}
	}
	c.abs = locate(t.w, c.path)
	if err := t.w.CheckWrite(c.abs); err != nil {
		return nil, err
	}
	c.modified, c.proposed = args.modification()
	c.key = keyOf(c.abs, c.old, c.new)
	return c, nil
}

func lf(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

type replaceCall struct {
	w        *workspace.Workspace
	fix      Corrector // nil after its first use
	seen     *Seen
	newer    *newer // nil if the model knows the file as it is
	watch    EditObserver
	made     *madeEdits
	key      editKey // of the call as the model made it
	args     arguments
	path     string // as given by the model
	abs      string
	old, new string // with "\n" line ends
	multiple bool
	modified bool
	proposed *string
	// shown is the edit that the user was asked about. hopeless is the error because of which
	// the user was not asked.
	shown    *edit
	hopeless error
}

func (c *replaceCall) Summary() string {
	short := shorten(c.w.Rel(c.abs), 35)
	if c.old == "" {
		return "Create " + short
	}
	return short + ": " + changeLabel(c.old, c.new)
}

func (c *replaceCall) Locations() []tool.Location { return []tool.Location{{Path: c.abs}} }

func (c *replaceCall) Confirmation(ctx context.Context) (tool.Confirmation, error) {
	e, err := c.plan(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		c.hopeless = err
		return nil, nil
	}
	c.shown = e
	d, _ := e.display(proposedLabels)
	return &tool.EditConfirmation{Title: "Confirm Edit: " + shorten(c.w.Rel(c.abs), 35), DiffDisplay: *d}, nil
}

// WithContent implements [tool.Modifiable]: the new call replaces the whole text of the file.
func (c *replaceCall) WithContent(content string) (json.RawMessage, error) {
	e := c.shown
	if e == nil {
		var err error
		if e, err = c.plan(context.Background()); err != nil {
			return nil, err
		}
	}
	return c.args.with(map[string]any{
		"old_string": e.before.text, "new_string": content,
		"modified_by_user": true, "ai_proposed_content": e.after.text,
	})
}

// edit is a call applied to one version of the file.
type edit struct {
	revision
	match
}

// plan applies the edit to the current file. If that fails, the corrector may propose other
// strings once.
func (c *replaceCall) plan(ctx context.Context) (*edit, error) {
	before, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	e, err := c.apply(ctx, before)
	fix := c.fix
	c.fix = nil
	if err == nil || fix == nil || c.modified || !correctable(err) || jsonLike(c.abs) {
		return e, err
	}
	if strings.TrimSpace(c.old) == "" { // the intent is unknown
		return nil, fail(tool.ErrInvalidParams, "The 'old_string' parameter is required. White space alone does not say where %s is to be changed: "+
			"read the lines with read_file, and give them as they are.", c.path)
	}
	return c.corrected(ctx, fix, err)
}

// corrected tries the edit again with the corrector's strings. If that fails too, it returns
// the first error.
func (c *replaceCall) corrected(ctx context.Context, fix Corrector, first error) (*edit, error) {
	before, err := c.open(ctx) // the current version: asking the model takes time
	if err != nil {
		return nil, first
	}
	got, err := fix.FixEdit(ctx, EditFailure{
		Instruction: c.args.str("instruction"), Path: c.path,
		Old: c.old, New: c.new, Content: before.text, Problem: first.Error(),
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, first
	}
	if got.NoChange {
		return nil, fail(tool.ErrEditNoChangeModelVerdict,
			"No change was made: a second look at %s found that it already is what the instruction asks for. %s", c.path, got.Explanation)
	}
	again := *c
	again.old, again.new = lf(got.Search), lf(got.Replace)
	if before, err = c.open(ctx); err != nil {
		return nil, first
	}
	e, err := again.apply(ctx, before)
	if c.watch.Corrected != nil && ctx.Err() == nil {
		c.watch.Corrected(err == nil)
	}
	if err != nil {
		return nil, first
	}
	c.old, c.new = again.old, again.new
	return e, nil
}

// correctable reports whether other strings may help against err.
func correctable(err error) bool {
	var e *tool.Error
	if errors.Is(err, errMade) {
		return false
	}
	if errors.As(err, &e) {
		switch e.Type {
		case tool.ErrEditNoOccurrence, tool.ErrEditOccurrenceMismatch, tool.ErrEditNoChange:
			return true
		}
	}
	return false
}

func (c *replaceCall) open(ctx context.Context) (*document, error) {
	d, err := open(ctx, c.w, c.abs)
	var e *tool.Error
	switch {
	case err == nil || ctx.Err() != nil || isRefusal(err) || errors.As(err, &e):
		return d, err
	case errors.Is(err, syscall.EISDIR):
		return nil, fail(tool.ErrEditPreparation, "Path is a directory, not a file: %s", c.abs)
	}
	return nil, fail(tool.ErrEditPreparation, "Error preparing edit: %s", describe(err, "open", c.abs))
}

func (c *replaceCall) apply(ctx context.Context, before *document) (*edit, error) {
	e := &edit{revision: revision{path: c.abs, before: before, proposed: c.proposed}}
	switch {
	case !before.exists && c.old != "":
		return nil, fail(tool.ErrFileNotFound, "File not found: %s%s%s", c.abs, c.w.AsLink(c.path, c.abs), c.w.DidYouMean(ctx, c.abs, false))
	case !before.exists:
		var err error
		e.after, err = before.rewrite(c.new)
		return e, err
	case c.old == "":
		return nil, fail(tool.ErrCreateExisting, "File already exists, cannot create: %s. Nothing was changed. "+
			"Give the lines to replace as old_string, or replace the whole file with write_file.", c.abs)
	}
	if !before.isExact {
		return nil, fail(tool.ErrEditPreparation, "%s cannot be edited as text: it has bytes that are not valid in its encoding, %s, and an edit would change them. "+
			"Nothing was changed. Edit it with a program that preserves bytes, or replace the whole file with write_file.", c.path, before.enc.Name())
	}
	if c.newer = c.seen.compare(ctx, c.w, c.abs, before); c.newer != nil && (c.newer.isUnread || c.newer.parts != nil || c.modified) {
		c.newer = nil // old_string shows what the model knows
	}
	q := &query{text: before.text, old: c.old, new: c.new, multiple: c.multiple, stop: func() bool { return ctx.Err() != nil }}
	var err error
	e.match, err = q.find()
	there := ""
	if err != nil || e.count == 0 || len(e.differences.words) > 0 { // else old_string is there
		if made := c.isMade(q); made != nil {
			return nil, made
		}
		there = q.there()
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, c.notExact(err, there)
	case e.count == 0:
		return nil, fail(tool.ErrEditNoOccurrence, "Failed to edit, 0 occurrences found for old_string in %s. Nothing was changed.%s %s", c.path, there, q.nearest())
	case e.count != 1 && !c.multiple:
		return nil, fail(tool.ErrEditOccurrenceMismatch, "old_string is there %d times in %s, at %s; nothing was changed. "+
			"Add lines that only the one you mean has, or set allow_multiple to change all.", e.count, c.path, atLines(e.lines, e.count))
	case (c.newer != nil || there != "") && len(e.differences.words) > 0:
		return nil, fail(tool.ErrEditNoOccurrence, "Failed to edit, old_string is not in %s, only similar text at %s. Nothing was changed.%s", c.path, atLines(e.lines, e.count), there)
	case c.old == c.new:
		return nil, fail(tool.ErrEditNoChange, "No changes to apply. The old_string and new_string are identical in file: %s", c.path)
	case e.tooMuch():
		return nil, fail(tool.ErrEditPreparation, "Failed to edit, the %d replacements in %s would be more than one edit may make.", e.count, c.path)
	}
	if isLineEnd := strings.TrimSuffix(c.old, "\n") == strings.TrimSuffix(c.new, "\n"); !c.modified && !isLineEnd {
		keepLastNewline(before.text, e.changes)
	}
	if e.after, err = before.change(e.changes); err != nil {
		return nil, notEncoded(err, c.path)
	}
	if e.after.text == before.text {
		return nil, fail(tool.ErrEditNoChange, "No changes to apply. The edit leaves the content as it is in file: %s", c.path)
	}
	return e, nil
}

// keepLastNewline makes the last change preserve a line end, or its absence, at the end of the
// text. A file that becomes empty has none.
func keepLastNewline(text string, changes []change) {
	last := &changes[len(changes)-1]
	if last.end < len(text) || last.text == "" {
		return
	}
	had, has := strings.HasSuffix(text, "\n"), strings.HasSuffix(last.text, "\n")
	switch {
	case had && !has:
		last.text += "\n"
	case !had && has:
		last.text = strings.TrimSuffix(last.text, "\n")
	}
}

func (c *replaceCall) Run(ctx context.Context, _ tool.Host) *tool.Result {
	if err := c.w.CheckWrite(c.abs); err != nil {
		return outside(err)
	}
	e, err := c.shown, c.hopeless
	if e == nil && err == nil {
		e, err = c.plan(ctx)
	}
	// The file may have changed since then: apply the edit to the current version.
	for tries := 0; err == nil; tries++ {
		var now *document
		if now, err = c.open(ctx); err != nil {
			break
		}
		if now.same(e.before) {
			err = e.save(ctx, c.w)
			break
		}
		if tries == 10 {
			err = fail(tool.ErrEditPreparation, "Failed to edit %s: it keeps changing.", c.path)
			break
		}
		e, err = c.apply(ctx, now)
	}
	if err != nil {
		return c.failure(ctx, err)
	}
	c.seen.noteEdit(ctx, c.abs, e)
	if !c.modified {
		c.made.add(c.key)
	}
	if c.watch.Made != nil && e.how != "" {
		c.watch.Made(e.how)
	}
	return c.report(e)
}

// Rehearse implements [tool.Rehearsable].
func (c *replaceCall) Rehearse(ctx context.Context, draft tool.Draft) *tool.Result {
	if err := c.w.CheckWrite(c.abs); err != nil {
		return outside(err)
	}
	e, err := c.shown, c.hopeless
	switch before, isChanged := draft[c.abs].(*document); {
	case err != nil:
	case isChanged:
		after := *c
		after.seen = nil // it has the files on the disk
		e, err = after.apply(ctx, before)
	case e == nil:
		e, err = c.plan(ctx)
		c.shown = e
	}
	if err != nil {
		return c.failure(ctx, err)
	}
	draft[c.abs] = e.after
	return nil
}

// failure returns the result for err, with what has changed in the file since the model has seen it.
func (c *replaceCall) failure(ctx context.Context, err error) *tool.Result {
	r := c.failed(err)
	if c.newer != nil {
		r.Error.Message += c.newer.after(r.Error.Message)
		c.seen.note(ctx, c.abs, versionOf(c.newer.now.data))
	}
	return r
}
