package container

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAddLine checks the lines for the user: in a container of the session's own they replace others with the number, in one of the user they do not.
func TestAddLine(t *testing.T) {
	t.Parallel()
	const users = "root:x:0:0::/root:/bin/sh\nubuntu:x:1000:1000::/home/ubuntu:/bin/bash\n"
	for _, c := range []struct {
		doc, number string
		keeps       bool
		want        string
	}{
		{"a known number", "1000", false, "me:x:1000:\nroot:x:0:0::/root:/bin/sh\n"},
		{"a known number in the user's container", "1000", true, users},
		{"a new number", "1001", false, "me:x:1001:\n" + users},
		{"a new number in the user's container", "1001", true, "me:x:1001:\n" + users},
	} {
		file := filepath.Join(t.TempDir(), "passwd")
		if err := os.WriteFile(file, []byte(users), 0o644); err != nil {
			t.Fatal(err)
		}
		addLine(file, c.number, "me:x:"+c.number+":", c.keeps)
		if text, _ := os.ReadFile(file); string(text) != c.want {
			t.Errorf("%s: %q", c.doc, text)
		}
	}
}
