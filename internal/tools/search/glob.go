package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"pollux/internal/workspace"
	"pollux/tool"
)

// NewGlob returns the tool glob, which finds files by name in w.
func NewGlob(w *workspace.Workspace) tool.Tool { return &globTool{w} }

type globTool struct{ w *workspace.Workspace }

var globSpec = tool.Spec{
	Name:        "glob",
	DisplayName: "FindFiles",
	Aliases:     []string{"GlobTool"},
	Description: "Finds files whose paths match a glob, such as `**/*.test.ts` or `src/*.go`, and returns their paths, the most recently changed first. " +
		"Use it when you know something of a file's name or place; to find text in files use grep_search. Files that ignore rules hide are left out and counted; symbolic links are not listed.",
	Brief:   "Finds files by glob (`src/**/*.ts`); returns paths, most recently changed first.",
	Compact: compactGlob,
	Schema: json.RawMessage(`{
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "description": "Glob relative to the searched directory. '*' stays within one directory, '**' crosses them: '*.md' is the top directory alone, '**/*.md' everything. '{a,b}' and '[a-z]' work too."},
    "dir_path": {"type": "string", "description": "Directory to search. Left out: the whole workspace."},
    "case_sensitive": {"type": "boolean", "description": "Tell upper from lower case. Default false."},
    "respect_git_ignore": {"type": "boolean", "description": "Leave out what git ignores. Default true."},
    "respect_gemini_ignore": {"type": "boolean", "description": "Leave out what .geminiignore hides. Default true."}
  },
  "required": ["pattern"]
}`),
	Kind: tool.KindSearch,
}

func (*globTool) Spec() *tool.Spec { return &globSpec }

type globArgs struct {
	Pattern             string `json:"pattern"`
	DirPath             string `json:"dir_path"`
	CaseSensitive       bool   `json:"case_sensitive"`
	RespectGitIgnore    *bool  `json:"respect_git_ignore"`
	RespectGeminiIgnore *bool  `json:"respect_gemini_ignore"`
}

func (t *globTool) Build(raw json.RawMessage) (tool.Invocation, error) {
	var a globArgs
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	dir := t.w.Resolve(a.DirPath)
	if err := t.w.CheckRead(dir); err != nil {
		return nil, err
	}
	fi, err := t.w.Disk().Stat(dir)
	if err != nil {
		return nil, tool.Message("Search path does not exist " + dir + t.w.DidYouMean(context.Background(), dir, true))
	}
	if !fi.IsDir() {
		return nil, tool.Message("Search path is not a directory: " + dir)
	}
	if strings.TrimSpace(a.Pattern) == "" {
		return nil, tool.Message("The 'pattern' parameter cannot be empty.")
	}
	dirs, summary := t.w.Dirs(), "'"+a.Pattern+"'"
	if a.DirPath != "" {
		dirs, summary = []string{dir}, summary+" within "+t.w.Rel(dir)
	}
	return &globCall{tool.Described{Title: "Confirm: " + globSpec.DisplayName, Text: summary}, t.w, a, dirs}, nil
}

type globCall struct {
	tool.Described
	w    *workspace.Workspace
	args globArgs
	dirs []string
}

func (c *globCall) Run(ctx context.Context, host tool.Host) *tool.Result {
	var found globResults
	for _, dir := range c.dirs {
		if err := c.w.CheckRead(dir); err != nil {
			return outsideWorkspaceResult(err)
		}
		err := c.search(ctx, dir, &found)
		if out := workspace.Refusal(""); errors.As(err, &out) {
			return outsideWorkspaceResult(out)
		}
		if err != nil {
			return tool.Fail(tool.ErrGlob, "Error during glob search operation: "+err.Error())
		}
	}
	if len(found.files) > 0 || found.ignored > 0 {
		return c.result(&found, host.Limit)
	}
	if second := *c; second.takeBrackets() {
		for _, dir := range c.dirs {
			if second.search(ctx, dir, &found) != nil {
				break
			}
		}
		if len(found.files) > 0 {
			return second.result(&found, host.Limit)
		}
	}
	return c.nothing(ctx)
}

// takeBrackets makes the brackets of the pattern literal. It returns false if there are none.
func (c *globCall) takeBrackets() (ok bool) {
	c.args.Pattern, ok = literalBrackets(c.args.Pattern)
	return ok
}

// literalBrackets returns a glob in which brackets are literal, as in app/[id]/page.tsx. It returns false if there are none,
// or if the glob escapes characters itself.
func literalBrackets(glob string) (escaped string, ok bool) {
	if !strings.Contains(glob, "[") || strings.Contains(glob, `\`) {
		return glob, false
	}
	return strings.NewReplacer("[", `\[`, "]", `\]`).Replace(glob), true
}

// nothing returns the tool result without matches, with the pattern's matches in directories
// below.
func (c *globCall) nothing(ctx context.Context) *tool.Result {
	r := c.result(&globResults{}, 0)
	deep := *c
	deep.args.Pattern = "**/" + strings.TrimPrefix(c.args.Pattern, "./")
	if strings.HasPrefix(c.args.Pattern, "**") || filepath.IsAbs(c.args.Pattern) {
		return r
	}
	var found globResults
	for _, dir := range c.dirs {
		if deep.search(ctx, dir, &found) != nil {
			return r
		}
	}
	if len(found.files) > 0 {
		r.Content[0].Text += fmt.Sprintf(". %q matches %s.", deep.args.Pattern, plural(len(found.files), "file", "files"))
	}
	return r
}

// globResults collects the results of a search.
type globResults struct {
	mu      sync.Mutex
	files   []globFile
	ignored int
}

type globFile struct {
	path     string
	modified time.Time
}

func (c *globCall) search(ctx context.Context, dir string, found *globResults) error {
	g, err := compileGlob(c.w, dir, c.args.Pattern, c.args.CaseSensitive)
	if err != nil {
		return err
	}
	disk := c.w.Disk()
	o := workspace.WalkOptions{
		Filter:  c.w.DefaultFilter().With(c.args.RespectGitIgnore, c.args.RespectGeminiIgnore),
		Ignored: true, // the result counts ignored files
		Prune:   func(rel, name string) bool { return slices.Contains(coreDirs, name) || !g.mayContainMatches(rel) },
	}
	return c.w.Walk(ctx, dir, o, func(e workspace.Entry) error {
		if !e.Type.IsRegular() || !g.match(e.Dir(), e.Name) { // no links, as in Gemini CLI
			return nil
		}
		path := e.Path()
		fi, err := disk.Stat(path)
		if err != nil || !fi.Mode().IsRegular() {
			return nil // deleted meanwhile, or replaced
		}
		found.mu.Lock()
		defer found.mu.Unlock()
		if e.Ignored {
			found.ignored++
		} else {
			found.files = append(found.files, globFile{path, fi.ModTime()})
		}
		return nil
	})
}

// result returns the tool result with the matches. limit is the number of bytes that the paths
// may have, 0 for maxText.
func (c *globCall) result(found *globResults, limit int) *tool.Result {
	if limit <= 0 {
		limit = maxText
	}
	where := "within " + c.dirs[0]
	if len(c.dirs) > 1 {
		where = fmt.Sprintf("across %d workspace directories", len(c.dirs))
	}
	if len(found.files) == 0 {
		text := fmt.Sprintf("No files found matching pattern \"%s\" %s", c.args.Pattern, where)
		if found.ignored > 0 {
			text += fmt.Sprintf(" (%d files were ignored)", found.ignored)
		}
		return &tool.Result{Content: tool.Text(text).Content, Display: tool.TextDisplay("No files found"), Summary: "No files found"}
	}
	now := time.Now()
	slices.SortFunc(found.files, func(a, b globFile) int { return workspace.CompareAge(now, a.modified, b.modified, a.path, b.path) })
	// Workspace directories may contain each other, so that a file is found twice.
	found.files = slices.CompactFunc(found.files, func(a, b globFile) bool { return a.path == b.path })
	paths := make([]string, len(found.files))
	for i, f := range found.files {
		paths[i] = displayPath(c.w, f.path)
	}
	listed := listedPaths(paths, len(paths), limit)
	text := fmt.Sprintf("Found %d file(s) matching \"%s\" %s", len(paths), c.args.Pattern, where)
	if found.ignored > 0 {
		text += fmt.Sprintf(" (%d additional files were ignored)", found.ignored)
	}
	text += ", sorted by modification time (newest first):\n" + strings.Join(paths[:listed], "\n")
	if listed < len(paths) {
		text += "\n---\n" + notListed(paths[listed:]) + "To see them, narrow the search with dir_path or a more precise pattern."
	}
	summary := fmt.Sprintf("Found %d matching file(s)", len(paths))
	return &tool.Result{
		Content: tool.Text(text).Content,
		Display: tool.TextDisplay(summary),
		Summary: summary,
	}
}

// glob is a compiled pattern. The directories before the first wildcard limit the walk; the
// last part is matched first, because that is cheaper than the whole pattern.
type glob struct {
	pattern    string
	except     string // paths that match it do not match; "" for none
	ignoreCase bool
	prefixDirs []string // literal directory names that every match starts with
	depth      int      // maximum number of directories above a match; -1 for any
	last       string   // pattern of the file name; "" if unknown
	anyDir     bool     // the pattern is **/last, so that last decides alone
}

// compileGlob compiles a pattern relative to dir. If the pattern is the path of an existing
// file, it matches that file only, even if it contains wildcard characters.
func compileGlob(w *workspace.Workspace, dir, pattern string, caseSensitive bool) (*glob, error) {
	pattern, _ = workspace.CutDir(filepath.ToSlash(pattern), dir)
	for strings.HasPrefix(pattern, "./") {
		pattern = pattern[2:]
	}
	if _, err := w.Disk().Lstat(filepath.Join(dir, filepath.FromSlash(pattern))); err == nil {
		pattern = workspace.EscapeGlob(pattern)
	}
	g := &glob{ignoreCase: !caseSensitive, depth: -1}
	g.pattern, g.except = workspace.ExpandGlob(pattern)
	if g.ignoreCase {
		g.pattern, g.except = strings.ToLower(g.pattern), strings.ToLower(g.except)
	}
	if !doublestar.ValidatePattern(g.pattern) || !doublestar.ValidatePattern(g.except) {
		return nil, errors.New("the pattern is malformed: a bracket or brace is not closed, or it ends in a backslash")
	}
	if workspace.HasManyAlternatives(g.pattern) || workspace.HasManyAlternatives(g.except) {
		return nil, errors.New("the pattern has too many alternatives in braces")
	}
	if strings.ContainsAny(g.pattern, `{\`) { // a slash may be inside them
		return g, nil
	}
	parts := strings.Split(g.pattern, "/")
	if last := parts[len(parts)-1]; last != "**" {
		g.last = last
		g.anyDir = len(parts) == 2 && parts[0] == "**"
	}
	if !slices.Contains(parts, "**") {
		g.depth = len(parts) - 1
	}
	for _, p := range parts[:len(parts)-1] {
		if strings.ContainsAny(p, "*?[") {
			break
		}
		g.prefixDirs = append(g.prefixDirs, p)
	}
	return g, nil
}

// mayContainMatches reports whether files in a directory can match.
func (g *glob) mayContainMatches(rel string) bool {
	if g.depth < 0 && len(g.prefixDirs) == 0 {
		return true
	}
	depth := 0
	for name := range strings.SplitSeq(rel, "/") {
		if depth < len(g.prefixDirs) && g.foldCase(name) != g.prefixDirs[depth] {
			return false
		}
		depth++
	}
	return g.depth < 0 || depth <= g.depth
}

// match reports whether the path dir+name matches.
func (g *glob) match(dir, name string) bool {
	name = g.foldCase(name)
	if g.last != "" && !doublestar.MatchUnvalidated(g.last, name) {
		return false
	}
	if g.except != "" && doublestar.MatchUnvalidated(g.except, g.foldCase(dir)+name) {
		return false
	}
	return g.anyDir || doublestar.MatchUnvalidated(g.pattern, g.foldCase(dir)+name)
}

func (g *glob) foldCase(s string) string {
	if g.ignoreCase {
		return strings.ToLower(s)
	}
	return s
}
