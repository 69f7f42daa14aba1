package sessions

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"pollux/internal/journal"
	"pollux/internal/sessions/textindex"
	"pollux/internal/terminal"
)

// Found is a session that contains a text.
type Found struct {
	Info
	Excerpts []Excerpt
}

// Excerpt is a place in a session where the text is.
type Excerpt struct {
	Kind string    `json:"type"` // user, gemini or tool
	Time time.Time `json:"timestamp"`
	Text string    `json:"text"` // on one line
}

// Bounds of the excerpts of a search.
const (
	maxExcerpts   = 3  // of a session
	excerptBefore = 40 // characters before the text
	excerptAfter  = 80 // characters from its beginning on
)

// Search returns the sessions whose text contains a text, the one used last first, at most limit of
// them, and whether there are more. 0 is no limit. It takes upper and lower case for the same. It reads
// the parts of the files that can contain the text by the index (see [IndexTexts]), and stops where it
// knows enough.
func Search(ctx context.Context, infos []Info, text string, limit int) (found []Found, hasMore bool, err error) {
	needle := textindex.Fold(nil, []byte(strings.TrimSpace(text)))
	if len(needle) == 0 {
		return nil, false, nil
	}
	candidates := make([]textindex.Candidates, len(infos))
	for _, p := range places(infos) {
		for n, c := range p.index().Candidates(ctx, p.files, needle) {
			candidates[p.numbers[n]] = c
		}
	}
	order := lastUsedFirst(infos)
	var mu sync.Mutex
	excerptsOf := map[int][]Excerpt{}
	isEnough := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return limit > 0 && len(excerptsOf) > limit
	}
	inParallel(ctx, len(order), func(n int) {
		i := order[n]
		if isEnough() {
			return // those before it have been searched, or are about to be
		}
		if list := excerpts(ctx, infos[i], candidates[i], needle); len(list) > 0 {
			mu.Lock()
			defer mu.Unlock()
			excerptsOf[i] = list
		}
	})
	for _, i := range order {
		if list, ok := excerptsOf[i]; ok {
			found = append(found, Found{infos[i], list})
		}
	}
	if limit > 0 && len(found) > limit {
		found, hasMore = found[:limit], true
	}
	return found, hasMore, ctx.Err()
}

// IndexTexts brings the index for [Search] up to date with sessions of [Store.List], which are all of
// their projects. isSlow makes it use little of the processor. When ctx ends, it keeps files indexed by
// then.
func IndexTexts(ctx context.Context, infos []Info, isSlow bool) error {
	for _, p := range places(infos) {
		if err := p.index().Update(ctx, p.dir, p.files, isSlow); err != nil {
			return err
		}
	}
	return nil
}

// place is the session files in a directory, the one used last first.
type place struct {
	dir     string
	files   []textindex.File
	numbers []int // of the sessions that they belong to
}

func places(infos []Info) map[string]*place {
	all := map[string]*place{}
	for _, i := range lastUsedFirst(infos) {
		f := &infos[i].files[0]
		dir := filepath.Dir(f.path)
		if all[dir] == nil {
			all[dir] = &place{dir: dir}
		}
		all[dir].files = append(all[dir].files, textindex.File{Name: f.Name, State: f.state})
		all[dir].numbers = append(all[dir].numbers, i)
	}
	return all
}

// index returns the index for searches of the files.
func (p *place) index() *textindex.Index { return textIndex(p.dir) }

// textIndex returns the index for searches of the session files in a directory.
func textIndex(dir string) *textindex.Index {
	return &textindex.Index{Dir: filepath.Join(dir, ".pollux-text")}
}

// lastUsedFirst returns the numbers of sessions in the order of their last use.
func lastUsedFirst(infos []Info) []int {
	order := make([]int, len(infos))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return infos[b].Updated.Compare(infos[a].Updated) })
	return order
}

// excerpts returns the first places in a session where a folded text is; none if the file cannot be
// read.
func excerpts(ctx context.Context, i Info, candidates textindex.Candidates, needle []byte) (list []Excerpt) {
	if candidates.IsNone(i.files[0].Size) {
		return nil
	}
	f, err := os.OpenFile(i.Path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if textindex.StateOf(info) != i.files[0].state {
		candidates = textindex.Candidates{} // it was changed since: all lines
	}
	var folded []byte
	for line := range candidates.Lines(f, info.Size()) {
		for t := range journal.Texts(line) {
			folded = textindex.Fold(folded[:0], t.Text)
			at := bytes.Index(folded, needle)
			if at < 0 {
				continue
			}
			e := Excerpt{t.Kind, t.Time, excerpt(t.Text, textindex.Unfold(t.Text, at))}
			if !slices.ContainsFunc(list, func(other Excerpt) bool { return other.Text == e.Text }) {
				list = append(list, e)
			}
			if len(list) == maxExcerpts {
				return list
			}
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	return list
}

// excerpt returns the text around an offset, on one line.
func excerpt(text []byte, at int) string {
	const most = 4 // bytes of a character
	before, after := text[max(0, at-excerptBefore*most):at], text[at:min(len(text), at+excerptAfter*most)]
	head, tail := []rune(strings.ToValidUTF8(string(before), "")), []rune(strings.ToValidUTF8(string(after), ""))
	first, last := "", ""
	if len(head) > excerptBefore {
		head, first = head[len(head)-excerptBefore:], "..."
	}
	if len(tail) > excerptAfter {
		tail, last = tail[:excerptAfter], "..."
	}
	return first + terminal.Line(string(head)+string(tail)) + last
}
