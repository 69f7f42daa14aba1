package container

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAddLine checks the lines for the user, which replace others with the number.
func TestAddLine(t *testing.T) {
	t.Parallel()
	const users = "root:x:0:0::/root:/bin/sh\nubuntu:x:1000:1000::/home/ubuntu:/bin/bash\n"
	for _, c := range []struct{ doc, number, want string }{
		{"a known number", "1000", "me:x:1000:\nroot:x:0:0::/root:/bin/sh\n"},
		{"a new number", "1001", "me:x:1001:\n" + users},
	} {
		file := filepath.Join(t.TempDir(), "passwd")
		if err := os.WriteFile(file, []byte(users), 0o644); err != nil {
			t.Fatal(err)
		}
		addLine(file, c.number, "me:x:"+c.number+":", false)
		if text, _ := os.ReadFile(file); string(text) != c.want {
			t.Errorf("%s: %q", c.doc, text)
		}
	}
	for _, creates := range []bool{true, false} {
		file := filepath.Join(t.TempDir(), "group")
		addLine(file, "1000", "me:x:1000:", creates)
		if _, err := os.Stat(file); (err == nil) != creates {
			t.Errorf("a file that is not there, creates %v: %v", creates, err)
		}
	}
}
