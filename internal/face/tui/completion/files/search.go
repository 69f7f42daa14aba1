package files

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"pollux/internal/face/tui/completion"
	"pollux/internal/face/tui/completion/fuzzy"
	"pollux/internal/terminal"
)

// maxFiles is the number of files that are suggested.
const maxFiles = 24

// hit is a path that matches the query.
type hit struct {
	text *fuzzy.Text
	rank uint64
}

func compareHits(a, b hit) int {
	if a.rank != b.rank {
		return cmp.Compare(b.rank, a.rank)
	}
	return strings.Compare(a.text.Shown, b.text.Shown)
}

// search returns the paths of indexes that match a query, the best first.
func search(ctx context.Context, query string, isFuzzy bool, indexes ...*index) []completion.Suggestion {
	if !isFuzzy || strings.Contains(query, "*") {
		return searchGlob(ctx, query, indexes)
	}
	q := fuzzy.New(query)
	top := fuzzy.Top[hit]{Limit: maxFiles, Compare: compareHits}
	each(ctx, indexes, query, func(t *fuzzy.Text) {
		m, ok := q.Match(t)
		if !ok {
			return
		}
		h := hit{t, m.Rank(t)}
		if n := len(top.Items); n < maxFiles || h.rank >= top.Items[n-1].rank { // most hits are worse
			top.Add(h)
		}
	})
	var list []completion.Suggestion
	for _, h := range top.Items {
		list = appendPath(list, h.text.Shown, q.Positions(h.text))
	}
	return list
}

// searchGlob returns the paths of which a part matches a pattern, directories first.
func searchGlob(ctx context.Context, query string, indexes []*index) (list []completion.Suggestion) {
	g, ok := fuzzy.NewGlob(query)
	if !ok {
		return nil
	}
	top := fuzzy.Top[string]{Limit: maxFiles, Compare: compareKind}
	each(ctx, indexes, query, func(t *fuzzy.Text) {
		if g.Match(t) {
			top.Add(t.Shown)
		}
	})
	for _, p := range top.Items {
		list = appendPath(list, p, nil)
	}
	return list
}

// compareKind orders directories before files, then as compareDepth does.
func compareKind(a, b string) int {
	isDir := strings.HasSuffix(a, "/")
	if isDir == strings.HasSuffix(b, "/") {
		return compareDepth(a, b)
	}
	if isDir {
		return -1
	}
	return 1
}

// each calls f for the texts of indexes, each path once, until ctx ends. The directory that the query is already is
// left out.
func each(ctx context.Context, indexes []*index, query string, f func(*fuzzy.Text)) {
	const often = 512
	for n, x := range indexes {
		for i := range x.texts {
			if i%often == 0 && ctx.Err() != nil {
				return
			}
			t := &x.texts[i]
			if t.Shown == query && strings.HasSuffix(query, "/") || n > 0 && indexes[0].has(t.Shown) {
				continue
			}
			f(t)
		}
	}
}

// appendPath appends the suggestion for a path, unless no text can mention it.
func appendPath(list []completion.Suggestion, p string, at []int) []completion.Suggestion {
	text, ok := Mention(p)
	if !ok {
		return list
	}
	label := terminal.Visible(p) // names that differ look different
	if label != p {
		at = nil
	}
	return append(list, completion.Suggestion{Label: label, Insert: text, MatchAt: at})
}

// dirOf returns the absolute path of the directory that a query names so far, and whether it names one.
func (s *Source) dirOf(query string) (string, bool) {
	end := strings.LastIndexByte(query, '/') + 1
	if end == 0 || strings.Contains(query, "*") {
		return "", false
	}
	dir := filepath.FromSlash(query[:end])
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.o.Workspace.Root(), dir)
	}
	return filepath.Clean(dir), true
}
