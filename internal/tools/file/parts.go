package file

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/tool"
)

// lineRange is a range of lines of a file, from 1.
type lineRange struct{ first, last int }

// parts are the lines of a file that a model has got: sorted, with other lines between them. Of a nil parts, it has all.
type parts []lineRange

// with returns the lines of both. It returns nil if these are all lines of a file with so many.
func (p parts) with(more parts, total int) parts {
	if p == nil || more == nil {
		return nil
	}
	all := slices.Concat(p, more)
	slices.SortFunc(all, func(a, b lineRange) int { return cmp.Compare(a.first, b.first) })
	joined := parts{}
	for _, next := range all {
		if n := len(joined); n > 0 && next.first <= joined[n-1].last+1 {
			joined[n-1].last = max(joined[n-1].last, next.last)
			continue
		}
		joined = append(joined, next)
	}
	if joined.missing(total) == 0 {
		return nil
	}
	return joined
}

// missing returns how many lines of a file with so many the parts leave out.
func (p parts) missing(total int) int {
	if p == nil {
		return 0
	}
	for _, one := range p {
		total -= max(0, one.last-one.first+1)
	}
	return max(0, total)
}

func (p parts) String() string {
	if len(p) == 0 {
		return "none of them"
	}
	texts := make([]string, len(p))
	for i, one := range p {
		texts[i] = fmt.Sprintf("%d-%d", one.first, one.last)
	}
	return "only lines " + strings.Join(texts, ", ")
}

// noteWindow stores that the model of the conversation of ctx has got a window of a version of the file at abs.
func (s *Seen) noteWindow(ctx context.Context, abs string, v *version, w *window) {
	if v == nil {
		return
	}
	v.total = w.total
	if w.first > 1 || w.hasMore() {
		v.parts = parts{{w.first, w.last}}
	}
	s.note(ctx, abs, v)
}

// noteEdit stores that the model of the conversation of ctx has changed a part of the file at abs. Of the rest, it has the lines that it had before.
func (s *Seen) noteEdit(ctx context.Context, abs string, e *edit) {
	v := versionOf(e.now().data)
	v.total = len(splitLines(e.now().text))
	if c, ok := tool.ConversationOf(ctx); ok && s != nil && e.before.exists {
		known, _, isFull := s.version(sightingOf(c, abs))
		switch {
		case known != nil:
			v.parts = known.parts.with(parts{}, v.total)
		case !c.IsContinued && !isFull:
			v.parts = parts{}
		}
	}
	s.note(ctx, abs, v)
}
