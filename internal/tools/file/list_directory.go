package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// NewList returns the tool list_directory.
func NewList(w *workspace.Workspace) tool.Tool {
	return &list{w: w, spec: tool.Spec{
		Name:        "list_directory",
		DisplayName: "ReadFolder",
		Aliases:     []string{"LSTool"},
		Kind:        tool.KindSearch,
		Description: "Lists what is directly in a directory: subdirectories first, then files with their sizes; hidden ones too. Files that ignore rules " +
			"hide, and .git, are counted, not listed; directories are listed.",
		Compact: compactList,
		Schema: json.RawMessage(`{"type":"object","properties":{` +
			`"dir_path":{"type":"string","description":"The directory, absolute or relative to the working directory."},` +
			`"ignore":{"type":"array","items":{"type":"string"},"description":"Names to leave out, with * and ? as wildcards. Optional."},` +
			filteringSchema +
			`},"required":["dir_path"]}`),
	}}
}

// filteringSchema is the property that enables and disables ignore rules.
const filteringSchema = `"file_filtering_options":{"type":"object","description":"Which ignore files count, if not those of the settings. Optional.","properties":{` +
	`"respect_git_ignore":{"type":"boolean","description":"Whether .gitignore does."},` +
	`"respect_gemini_ignore":{"type":"boolean","description":"Whether .geminiignore does."}}}`

type list struct {
	w    *workspace.Workspace
	spec tool.Spec
}

func (t *list) Spec() *tool.Spec { return &t.spec }

func (t *list) Build(raw json.RawMessage) (tool.Invocation, error) {
	args, err := parseArguments(raw)
	if err != nil {
		return nil, err
	}
	c := &listCall{w: t.w, abs: t.w.Resolve(args.str("dir_path")), leaveOut: args.list("ignore"), filter: args.filter(t.w)}
	c.Described = tool.Described{Title: "Confirm: ReadFolder", Text: t.w.Rel(c.abs)}
	if err := t.w.CheckRead(c.abs); err != nil {
		return nil, err
	}
	return c, nil
}

type listCall struct {
	tool.Described
	w        *workspace.Workspace
	abs      string
	leaveOut []string
	filter   workspace.Filter
}

func (c *listCall) Run(ctx context.Context, _ tool.Host) *tool.Result {
	if err := c.w.CheckRead(c.abs); err != nil {
		return outside(err)
	}
	disk := c.w.Disk()
	info, err := disk.Stat(c.abs)
	if isRefusal(err) {
		return outside(err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return listFailed(c.abs + " does not exist" + c.w.DidYouMean(ctx, c.abs, true))
	}
	if err != nil {
		return listFailed(describe(err, "stat", c.abs))
	}
	if !info.IsDir() {
		r := tool.Fail(tool.ErrPathIsNotDirectory, "Error: Path is not a directory: "+c.abs)
		r.Display = tool.TextDisplay("Error: Path is not a directory.")
		return r
	}
	names, err := disk.ReadDir(c.abs)
	if isRefusal(err) {
		return outside(err)
	}
	if err != nil {
		return listFailed(describe(err, "scandir", c.abs))
	}
	if len(names) == 0 {
		r := tool.Text(fmt.Sprintf("Directory %s is empty.", c.abs))
		r.Display = tool.TextDisplay("Directory is empty.")
		return r
	}
	slices.SortFunc(names, func(a, b fs.DirEntry) int { return compareEntries(a.IsDir(), b.IsDir(), a.Name(), b.Name()) })
	more := max(0, len(names)-maxListed)
	names = names[:len(names)-more]
	var found []listed
	ignored := 0
	for _, name := range names {
		path := filepath.Join(c.abs, name.Name())
		// The ignore rules are applied as for a file: "dist/" hides the content of dist, but
		// not dist itself. A link out of the workspace counts as ignored too.
		link := name.Type()&fs.ModeSymlink != 0
		if name.Name() == ".git" && c.filter.Git || c.w.Ignored(path, false, c.filter) || link && !c.w.Contains(path) {
			ignored++
			continue
		}
		if slices.ContainsFunc(c.leaveOut, func(p string) bool { return wildcard(p, name.Name()) }) {
			continue
		}
		// Omit files that file tools cannot access: secrets, dependencies, and names with line ends.
		if c.w.CheckRead(path) != nil {
			continue
		}
		if ctx.Err() != nil {
			return listFailed(ctx.Err().Error())
		}
		switch info, err := disk.Stat(path); {
		case err == nil:
			found = append(found, listed{name: name.Name(), dir: info.IsDir(), size: info.Size()})
		case link:
			found = append(found, listed{name: name.Name(), isBroken: true})
		} // otherwise it is gone
	}
	slices.SortFunc(found, func(a, b listed) int { return compareEntries(a.dir, b.dir, a.name, b.name) })
	return listing(c.abs, found, ignored, more)
}

// maxListed is the number of entries of a directory that are looked at. The rest is counted: each entry costs
// several system calls, and no model reads more names.
const maxListed = 10_000

// compareEntries compares two entries of a directory: directories come first.
func compareEntries(aDir, bDir bool, a, b string) int {
	if aDir != bDir {
		if aDir {
			return -1
		}
		return 1
	}
	return workspace.CompareNames(a, b)
}

// listed is one entry of a directory.
type listed struct {
	name     string
	dir      bool
	size     int64
	isBroken bool // a link to nothing
}

func (l listed) String() string {
	switch {
	case l.dir:
		return "[DIR] " + l.name
	case l.isBroken:
		return l.name + " (broken link)"
	}
	return fmt.Sprintf("%s (%d bytes)", l.name, l.size)
}

func listing(abs string, found []listed, ignored, more int) *tool.Result {
	items := make([]string, len(found))
	for i, l := range found {
		items[i] = strings.ToValidUTF8(l.String(), "\uFFFD")
	}
	text := fmt.Sprintf("Directory listing for %s:\n%s", abs, strings.Join(items, "\n"))
	summary := fmt.Sprintf("Found %d item(s).", len(found))
	if ignored > 0 {
		text += fmt.Sprintf("\n\n(%d ignored)", ignored)
		summary += fmt.Sprintf(" (%d ignored)", ignored)
	}
	if more > 0 {
		text += fmt.Sprintf("\n\n(%d more entries are not listed. To find some of them, use glob with a pattern.)", more)
		summary += fmt.Sprintf(" (%d more not listed)", more)
	}
	return &tool.Result{
		Content: []llm.Part{llm.Text(text)},
		Display: &tool.ListDisplay{Summary: summary, Items: items},
		Summary: summary,
	}
}

func listFailed(why string) *tool.Result {
	r := tool.Fail(tool.ErrList, "Error listing directory: "+why)
	r.Display = tool.TextDisplay("Error: Failed to list directory.")
	return r
}

// wildcard reports whether name matches pattern, in which * matches any text and ? one
// character.
func wildcard(pattern, name string) bool {
	ok, _ := path.Match(strings.NewReplacer(`\`, `\\`, "[", `\[`).Replace(pattern), name) // always valid
	return ok
}
