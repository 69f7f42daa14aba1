package ellipsis

import "testing"

func TestEllipsis(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		cut  func(string, int) string
		text string
		n    int
		want string
	}{
		{"bytes, whole", Bytes, "abc", 3, "abc"},
		{"bytes", Bytes, "abcd", 3, "abc..."},
		{"bytes, within a character", Bytes, "aé日x", 4, "aé..."},
		{"bytes, none", Bytes, "日", 2, "..."},
		{"bytes, no text", Bytes, "", 0, ""},
		{"runes, whole", Runes, "aé日", 3, "aé日"},
		{"runes", Runes, "aé日x", 3, "aé日..."},
		{"runes, ASCII", Runes, "abcd", 3, "abc..."},
		{"runes, none", Runes, "abc", 0, "..."},
		{"fit, whole", Fit, "aé日xy", 5, "aé日xy"},
		{"fit", Fit, "aé日xyz", 5, "aé..."},
	} {
		if got := c.cut(c.text, c.n); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
