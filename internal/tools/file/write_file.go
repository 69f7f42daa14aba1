package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"syscall"

	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// NewWrite returns the tool write_file. If fix is nil, content is not corrected. It replaces no file that the model
// has not seen, and no changes that it has not seen.
func NewWrite(w *workspace.Workspace, fix Corrector, seen *Seen) tool.Tool {
	return &writeFile{w: w, fix: fix, seen: seen, spec: tool.Spec{
		Name:        "write_file",
		DisplayName: "WriteFile",
		Aliases:     []string{"WriteFileTool"},
		Kind:        tool.KindEdit,
		Description: "Writes a whole file: creates it, with the directories it needs, or replaces all that is in it. To change a part of a file, " +
			"use replace. The content must be complete: never put a comment like 'rest of code ...' where code belongs, it would be lost.",
		Brief:      "Writes a whole file: creates it, or replaces all that is in it. Nothing is left out with a comment like 'rest of code ...'. To change a part, use replace.",
		Compact:    compactWrite,
		WholeTexts: []string{"content"},
		Schema: json.RawMessage(`{"type":"object","properties":{` +
			`"file_path":{"type":"string","description":"The file, absolute or relative to the working directory."},` +
			`"content":{"type":"string","description":"All that the file will contain."}` +
			`},"required":["file_path","content"]}`),
	}}
}

type writeFile struct {
	w    *workspace.Workspace
	fix  Corrector
	seen *Seen
	spec tool.Spec
}

func (t *writeFile) Spec() *tool.Spec { return &t.spec }

// Effect implements [tool.Foreseeable].
func (t *writeFile) Effect(raw json.RawMessage) tool.Effect { return changesFile(t.w, raw) }

func (t *writeFile) Build(raw json.RawMessage) (tool.Invocation, error) {
	args, err := parseArguments(raw)
	if err != nil {
		return nil, err
	}
	path := args.str("file_path")
	if blank(path) {
		return nil, fail(tool.ErrInvalidParams, `Missing or empty "file_path"`)
	}
	c := &writeFileCall{w: t.w, fix: t.fix, seen: t.seen, args: args, abs: t.w.Resolve(path), content: args.str("content")}
	if err := t.w.CheckWrite(c.abs); err != nil {
		return nil, err
	}
	if info, err := t.w.Disk().Stat(c.abs); err == nil && info.IsDir() {
		return nil, fail(tool.ErrInvalidParams, "Path is a directory, not a file: %s", c.abs)
	}
	if omits(c.content) {
		return nil, fail(tool.ErrInvalidParams, "`content` contains an omission placeholder (for example 'rest of methods ...'). Provide complete file content.")
	}
	c.modified, c.proposed = args.modification()
	return c, nil
}

// modification returns the hidden arguments about changes by the user.
func (a arguments) modification() (modified bool, proposed *string) {
	return a.flag("modified_by_user"), value[*string](a, "ai_proposed_content")
}

type writeFileCall struct {
	w        *workspace.Workspace
	fix      Corrector // nil after its first use
	seen     *Seen
	newer    *newer // nil if the model knows the file as it is
	args     arguments
	abs      string
	content  string
	modified bool
	proposed *string
	// shown is the file's version when the user was asked. hopeless is the error because of
	// which the user was not asked.
	shown    *document
	hopeless error
}

func (c *writeFileCall) Summary() string { return "Writing to " + shorten(c.w.Rel(c.abs), 35) }

func (c *writeFileCall) Locations() []tool.Location { return []tool.Location{{Path: c.abs}} }

func (c *writeFileCall) Confirmation(ctx context.Context) (tool.Confirmation, error) {
	r, err := c.plan(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		c.hopeless = err
		return nil, nil
	}
	c.shown = r.before
	d, _ := r.display(proposedLabels)
	return &tool.EditConfirmation{Title: "Confirm Write: " + shorten(c.w.Rel(c.abs), 35), DiffDisplay: *d}, nil
}

// WithContent implements [tool.Modifiable].
func (c *writeFileCall) WithContent(content string) (json.RawMessage, error) {
	return c.args.with(map[string]any{"content": content, "modified_by_user": true, "ai_proposed_content": c.content})
}

// with returns a copy of the arguments with some replaced.
func (a arguments) with(changes map[string]any) (json.RawMessage, error) {
	a = maps.Clone(a)
	for name, value := range changes {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", name, err)
		}
		a[name] = raw
	}
	return json.Marshal(a)
}

// plan determines the change to the current file.
func (c *writeFileCall) plan(ctx context.Context) (*revision, error) {
	c.correct(ctx)
	before, err := open(ctx, c.w, c.abs)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case isRefusal(err):
		return nil, err
	case errors.Is(err, syscall.EISDIR):
		return nil, fail(tool.ErrTargetIsDirectory, "Target is a directory, not a file: %s (EISDIR)", c.abs)
	case err != nil:
		why := describe(err, "open", c.abs)
		var e *tool.Error
		if errors.As(err, &e) {
			why = e.Message
		} else if name := code(err); name != "" {
			why += " (" + name + ")"
		}
		return nil, fail(tool.ErrFileWrite, "Error checking existing file '%s': %s", c.abs, why)
	}
	content, err := c.reconcile(ctx, before)
	if err != nil {
		return nil, err
	}
	after, err := before.rewrite(content)
	if err != nil {
		return nil, notEncoded(err, c.abs)
	}
	return &revision{path: c.abs, before: before, after: after, proposed: c.proposed}, nil
}

// reconcile returns the content to write: that of the model, with what has changed in the file since the model
// has seen it. A small unread file is replaced: the result shows what was in it. The error tells the model what it does not know; a second call then replaces the file.
func (c *writeFileCall) reconcile(ctx context.Context, before *document) (string, error) {
	c.newer = c.seen.compare(ctx, c.w, c.abs, before)
	if c.newer == nil || c.modified || lf(c.content) == before.text {
		c.newer = nil
		return c.content, nil
	}
	switch {
	case c.newer.isUnread && c.newer.isSmall():
		return c.content, nil
	case c.newer.isUnread:
		return "", c.newer.refuse(c.abs)
	case c.newer.parts != nil:
		return "", c.newer.refusePart(c.abs, c.content)
	}
	if merged, ok := c.newer.merge(lf(c.content)); ok {
		return merged, nil
	}
	return "", fail(tool.ErrFileWrite, "%s, and this content would undo that. Nothing was written. "+
		"Send the content with these changes in it, or repeat this call to undo them. %s", c.newer.subject(c.abs, "has"), c.newer.changes())
}

// correct lets the model correct content that may be escaped once too often. If that fails,
// the content stays unchanged.
func (c *writeFileCall) correct(ctx context.Context) {
	fix := c.fix
	c.fix = nil
	if fix == nil || c.modified || jsonLike(c.abs) || unescape(c.content) == c.content {
		return
	}
	if text, err := fix.Unescape(ctx, c.content); err == nil {
		c.content = text
	}
}

func (c *writeFileCall) Run(ctx context.Context, _ tool.Host) *tool.Result {
	if err := c.w.CheckWrite(c.abs); err != nil {
		return outside(err)
	}
	r, err := (*revision)(nil), c.hopeless
	if err == nil {
		r, err = c.plan(ctx)
	}
	if err != nil {
		if c.newer != nil {
			c.seen.note(ctx, c.abs, versionOf(c.newer.now.data)) // the error describes it
		}
		return failed(err)
	}
	if c.shown != nil && !c.shown.same(r.before) {
		return tool.Fail(tool.ErrFileWrite, fmt.Sprintf(
			"Error writing to file '%s': it was changed by someone else after this change was shown for approval. Read it again, then decide what to write.", c.abs))
	}
	if err := r.save(ctx, c.w); err != nil {
		return failed(err)
	}
	c.seen.note(ctx, c.abs, versionOf(r.now().data))
	return r.result(c.report(r), writtenLabels)
}

// report describes the written file for the model, which knows the content that it proposed.
func (c *writeFileCall) report(r *revision) string {
	text := fmt.Sprintf("Successfully overwrote file: %s (%s in place of %d%s).", c.abs, r.lineCount(), len(splitLines(r.before.text)), r.after.encodingNote())
	if !r.before.exists {
		text = fmt.Sprintf("Successfully created and wrote to new file: %s (%s).", c.abs, r.lineCount())
	}
	switch {
	case c.newer == nil:
	case c.newer.isUnread:
		text += " You had not read it. It had:\n" + strings.TrimSuffix(c.newer.now.text, "\n")
	default:
		text += " " + c.newer.subject("The file", "had") + "; your content was merged with that. " + c.newer.changes()
	}
	proposed, by := c.args.str("content"), "Escape sequences in the `content` were corrected."
	if c.modified {
		by = "User modified the `content`."
		if c.proposed == nil {
			code, _ := r.snippet()
			return text + " " + by + " Here is the updated code:\n" + code
		}
		proposed = *c.proposed
	}
	if diff := r.review(proposed); diff != "" && (c.modified || c.content != proposed) {
		text += " " + by + " The difference from your version:\n" + diff
	}
	return text
}

// result returns the result of a completed change.
func (r *revision) result(text string, labels diffLabels) *tool.Result {
	display, lines := r.display(labels)
	return &tool.Result{
		Content: []llm.Part{llm.Text(text + r.formatNote())},
		Display: display,
		Summary: changeSummary(lines),
		Lines:   lines,
	}
}
