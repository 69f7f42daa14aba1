package rows

import (
	"strings"
	"testing"

	"pollux/internal/face/tui/viewer/conversation"
)

func TestCode(t *testing.T) {
	t.Parallel()
	source := "func f() {\n\tif x {\n\n\t\treturn \"a  b\"\n\t}\n}"
	quoted := "> " + strings.ReplaceAll(source, "\n", "\n> ")
	long := strings.TrimSuffix(strings.Repeat("\tx := `long` // and so on\n", 1000), "\n")
	text := "First:\n\n```go\n" + source + "\n```\n\n- item:\n\n  ```\n  " + strings.ReplaceAll(strings.ReplaceAll(source, "\n", "\n  "), "\n  \n", "\n\n") + "\n  ```\n\n" +
		"> ```sh\n" + quoted + "\n> ```\n\nIndented:\n\n    one\n    \ttwo\n\n    three\n\n~~~\n" + long + "\n~~~\n```\nlast\n```\n"
	d := Open(item(conversation.Answer, text), false)
	for n, want := range map[int]string{0: "", 1: source, 2: source, 3: source, 4: "one\n\ttwo\n\nthree", 5: long, 6: "last", 7: ""} {
		if got := d.Code(n); got != want {
			t.Errorf("block %d is %q, not %q", n, got, want)
		}
	}
	rows := map[int]int{}
	for _, r := range all(d, &Look{Width: 200}) {
		rows[r.Code]++
	}
	for n, want := range map[int]int{1: 6, 2: 6, 3: 6, 4: 4, 5: 1000, 6: 1, 7: 0} {
		if rows[n] != want {
			t.Errorf("block %d has %d rows, not %d", n, rows[n], want)
		}
	}
	if d.Len() < 10 {
		t.Errorf("%d pieces", d.Len())
	}
	escaped := Open(item(conversation.Answer, "```\na\x1b[201~b\n```"), false)
	if got := escaped.Code(1); got != "ab" {
		t.Errorf("the code is %q", got)
	}
	first := Open(item(conversation.Answer, "1. ```\n   x\n   ```\n2. y"), false)
	if got := first.Code(1); got != "x" {
		t.Errorf("the first code is %q", got)
	}
}

func TestLastCode(t *testing.T) {
	t.Parallel()
	long := strings.TrimSuffix(strings.Repeat("\tx := `long` // and so on\n", 1000), "\n")
	for answer, want := range map[string]string{
		"": "", "none": "", "```\na\n```\n- b\n\n  ```\n  c\n    d\n  ```\ne": "c\n  d", "```go\n" + long + "\n```": long, "```\na\x1b[31mb": "ab",
	} {
		if got := LastCode(answer); got != want {
			t.Errorf("%.40q: %.80q", answer, got)
		}
	}
}
