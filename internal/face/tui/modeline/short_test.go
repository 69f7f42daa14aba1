package modeline

import (
	"testing"

	"pollux/internal/face/tui/theme"
)

func TestShort(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode           Mode
		used, compress float64
		width          int
		want           string
	}{
		{Mode{Approval: "default"}, 0.2, 0.5, 80, ""},
		{Mode{Approval: "auto_edit", HasPlan: true, IsRaw: true}, 0.2, 0.5, 80, "● auto-accept edits"},
		{Mode{Approval: "plan"}, 0.499, 0.5, 80, "● plan"},
		{Mode{Approval: "yolo"}, 0.5, 0.5, 80, "● YOLO · 50% of the context used"},
		{Mode{Approval: "yolo", IsShell: true}, 0, 0, 80, "● shell"},
		{Mode{}, 1.3, 0.5, 80, "100% of the context used"},
		{Mode{}, 1.3, 0, 80, ""},
		{Mode{Approval: "yolo"}, 0.9, 0.5, 5, "● YO…"},
		{Mode{Approval: "yolo"}, 0.9, 0.5, 0, ""},
	} {
		if got := Short(c.mode, c.used, c.compress, c.width, theme.NoColor()); got.String() != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
