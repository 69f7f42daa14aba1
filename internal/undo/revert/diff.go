package revert

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"pollux/internal/undo/state"
)

// maxDiffed is the size of the largest content that a diff shows, in bytes.
const maxDiffed = 1 << 20

// Diff returns the changes that the plan would take back, as a unified diff from the state before the operations to the
// one after them. name names a path.
func (p *Plan) Diff(name func(path string) string) string {
	var b strings.Builder
	for _, s := range p.Steps {
		writeDiff(&b, name(s.Path), s.To, s.From)
	}
	return b.String()
}

func writeDiff(b *strings.Builder, name string, before, after Version) {
	from, to := "a/"+name, "b/"+name
	fmt.Fprintf(b, "diff --git %s %s\n", from, to)
	switch {
	case before.State.Kind == state.Absent:
		fmt.Fprintf(b, "new file mode %s\n", mode(after))
		from = "/dev/null"
	case after.State.Kind == state.Absent:
		fmt.Fprintf(b, "deleted file mode %s\n", mode(before))
		to = "/dev/null"
	case mode(before) != mode(after):
		fmt.Fprintf(b, "old mode %s\nnew mode %s\n", mode(before), mode(after))
	}
	x, ok := text(before)
	y, also := text(after)
	switch {
	case !ok || !also:
		fmt.Fprintf(b, "Binary files %s and %s differ\n", from, to)
	case x != y:
		b.WriteString(udiff.Unified(from, to, x, y))
	}
}

// mode returns the mode of a version as git writes it.
func mode(v Version) string {
	switch v.State.Kind {
	case state.Directory:
		return "040000"
	case state.Link:
		return "120000"
	}
	return fmt.Sprintf("100%03o", v.State.Mode&0o777)
}

// text returns the content of a version, which is not ok if it is no text or not there.
func text(v Version) (string, bool) {
	switch v.State.Kind {
	case state.Absent, state.Directory:
		return "", true
	case state.Link:
		return v.Target, true
	}
	if v.State.Size == 0 {
		return "", true
	}
	if v.Place == "" || v.State.Size > maxDiffed {
		return "", false
	}
	data, err := os.ReadFile(v.Place)
	return string(data), err == nil && bytes.IndexByte(data, 0) < 0
}
