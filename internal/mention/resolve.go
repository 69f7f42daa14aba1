package mention

import (
	"cmp"
	"context"
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

// A prompt may be a large file from a pipe. At most maxMentions of its mentions are checked,
// and at most maxSearched that are not paths are searched for.
const (
	maxMentions = 1000
	maxSearched = 50
	maxTries    = 2000 // of other endings
)

// target is the meaning of a mention.
type target struct {
	include string // pattern for the files; "" if it is not a mention
	text    string // text after the @ in the resulting prompt
	// isSkipped reports whether there is such a file, and it is left out.
	isSkipped bool
}

type resolver struct {
	w       *workspace.Workspace
	known   map[string]target // by mention
	include []string
	named   map[string]bool // absolute paths of explicitly named files
	skipped []tool.Skipped
	near    map[string]nearFile // the files with the most similar names, by mention
}

func (r *resolver) resolve(ctx context.Context, mentions []mention) error {
	r.named = map[string]bool{}
	var missing []string
	for _, m := range mentions {
		if _, ok := r.known[m.path]; ok {
			continue
		}
		if len(r.known) == maxMentions {
			r.skip(m.path, fmt.Sprintf("only the first %d mentions are looked at", maxMentions))
			break
		}
		r.known[m.path] = target{}
		if !r.path(m.path) && len(missing) < maxSearched && isSearchable(m.path) {
			missing = append(missing, m.path)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return r.search(ctx, missing)
}

func (r *resolver) skip(path, reason string) {
	r.skipped = append(r.skipped, tool.Skipped{Path: path, Reason: reason})
	r.known[path] = target{isSkipped: true}
}

// choose sets the end of each mention so that its name is the longest one that exists. Other mentions
// stay as they are.
func (r *resolver) choose(mentions []mention) {
	tries := 0
	for i := range mentions {
		m := &mentions[i]
		all := append(slices.Clone(m.endings), ending{m.end, m.path})
		slices.SortFunc(all, func(a, b ending) int { return cmp.Compare(b.end, a.end) })
		for _, e := range all {
			if tries++; tries > maxTries {
				return
			}
			if r.exists(e.path) {
				m.path, m.end = e.path, e.end
				break
			}
		}
	}
}

// exists reports whether a workspace directory has a file or directory of this name.
func (r *resolver) exists(name string) bool {
	return slices.ContainsFunc(r.w.Dirs(), func(dir string) bool {
		if filepath.IsAbs(name) {
			dir = ""
		}
		_, err := r.w.Disk().Stat(filepath.Join(dir, name))
		return err == nil
	})
}

// path resolves a mention of an existing path, and reports whether the path exists.
func (r *resolver) path(name string) bool {
	for _, dir := range r.w.Dirs() {
		abs := name
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(dir, name)
		}
		abs = r.w.Spelled(abs)
		info, err := r.w.Disk().Stat(abs)
		if out := workspace.Refusal(""); errors.As(err, &out) {
			r.skip(name, err.Error())
			return true
		}
		if err != nil {
			continue
		}
		filter := r.w.DefaultFilter()
		switch err := r.w.CheckRead(abs); {
		case err != nil:
			r.skip(name, err.Error())
		case r.w.Ignored(abs, info.IsDir(), filter):
			r.skip(name, "ignored by the project's ignore files")
		case info.IsDir():
			all := strings.TrimSuffix(name, "/") + "/**"
			r.known[name] = target{include: workspace.EscapeGlob(abs) + "/**", text: all}
			r.include = append(r.include, workspace.EscapeGlob(abs)+"/**")
		default:
			r.named[abs] = true
			r.known[name] = target{include: abs, text: name}
			r.include = append(r.include, abs)
		}
		return true
	}
	return false
}

// isSearchable reports whether a name that is not a path may be a part of one. Names without
// letters would match everything.
func isSearchable(name string) bool {
	return len(name) <= 4096 && !filepath.IsAbs(name) && strings.ContainsFunc(name, func(r rune) bool {
		return r != '.' && r != '/' && r != '*' && r != '~'
	}) && !strings.HasPrefix(name, "../") && !strings.HasPrefix(name, "~/")
}

// search resolves names that are not paths: globs, and the last parts of paths. It walks each
// directory once for all names.
func (r *resolver) search(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	var mu sync.Mutex
	best := map[string]hit{}
	r.near = map[string]nearFile{}
	now := time.Now()
	for _, dir := range r.w.Dirs() {
		o := workspace.WalkOptions{Filter: r.w.DefaultFilter(), Prune: func(_, name string) bool {
			return name == "node_modules" || name == ".git"
		}}
		err := r.w.Walk(ctx, dir, o, func(e workspace.Entry) error {
			if !e.Type.IsRegular() {
				return nil
			}
			rel := e.Rel()
			for _, name := range names {
				h := hit{rel: rel, abs: e.Path(), rank: rank(name, rel)}
				if h.rank == 0 {
					if hasFileExtension(filepath.ToSlash(name)) {
						mu.Lock()
						noteNear(r.near, name, rel)
						mu.Unlock()
					}
					continue
				}
				if isGlob(name) {
					info, err := r.w.Disk().Stat(h.abs)
					if err != nil || r.w.CheckRead(h.abs) != nil {
						continue
					}
					h.modified = info.ModTime()
				}
				mu.Lock()
				if old, ok := best[name]; !ok || h.before(old, now) {
					best[name] = h
				}
				mu.Unlock()
			}
			return nil
		})
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		// Any other error means that the directory is gone: it contains no matches.
	}
	for _, name := range names {
		if h, ok := best[name]; ok && r.w.CheckRead(h.abs) == nil {
			r.named[h.abs] = true
			r.known[name] = target{include: h.abs, text: r.w.Rel(h.abs)}
			r.include = append(r.include, h.abs)
		}
	}
	return nil
}

// hit is a file that matches a name.
type hit struct {
	rel, abs string
	rank     int
	modified time.Time // zero unless the name is a glob
}

// before reports whether h is the better match. Of files that match a glob equally well, it is
// the one that the tool glob lists first.
func (h hit) before(o hit, now time.Time) bool {
	if h.rank == o.rank && !h.modified.IsZero() && !o.modified.IsZero() {
		return workspace.CompareAge(now, h.modified, o.modified, h.abs, o.abs) < 0
	}
	return cmp.Or(cmp.Compare(h.rank, o.rank), cmp.Compare(strings.Count(h.rel, "/"), strings.Count(o.rel, "/")),
		cmp.Compare(len(h.rel), len(o.rel)), cmp.Compare(h.rel, o.rel)) < 0
}

func isGlob(name string) bool { return strings.ContainsAny(name, "*?[{") }

// rank returns how well a name matches the file at rel: 1 is best, 0 means no match. Matches
// that differ in case are worse, except those of globs, which ignore case.
func rank(name, rel string) int {
	if !isGlob(name) {
		if n := rankExact(name, rel); n > 0 {
			return n
		}
	}
	n := rankExact(strings.ToLower(name), strings.ToLower(rel))
	if n > 0 && !isGlob(name) {
		n += 3
	}
	return n
}

func rankExact(name, rel string) int {
	if isGlob(name) {
		for i, pattern := range []string{name, "**/" + name, "**/*" + name + "*"} {
			if ok, _ := doublestar.Match(pattern, rel); ok {
				return i + 1
			}
		}
		return 0
	}
	at := strings.LastIndex(rel, name)
	switch {
	case at < 0 || strings.Contains(rel[at+len(name):], "/"):
		return 0
	case at > 0 && rel[at-1] == '/' && at+len(name) == len(rel):
		return 1
	}
	return 2
}

// rewrite returns the prompt for the model: it replaces mentions with their targets and
// separates them from the preceding text.
func (r *resolver) rewrite(prompt string, mentions []mention) string {
	var b strings.Builder
	from := 0
	for _, m := range mentions {
		t := r.known[m.path]
		if t.include == "" {
			continue
		}
		b.WriteString(prompt[from:m.start])
		if m.start > 0 && !slices.Contains([]byte(" \t\n\r"), prompt[m.start-1]) {
			b.WriteByte(' ')
		}
		b.WriteString("@" + t.text)
		from = m.end
	}
	return b.String() + prompt[from:]
}
