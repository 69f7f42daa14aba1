package file

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestChangeLabel(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("the same words ", 9)
	for _, tt := range []struct{ before, after, want string }{
		{"one", "two", "one => two"},
		{"one\ntwo", "One\ntwo", "one... => One..."},
		{"", "new", " => new"},
		{"A sentence that ends here.\nmore", "x", "A sentence that ends here... => x"},
		{"...\nx", "y", "... => y"},
		{"func a() {\n\treturn 1\n}", "func a() {\n\treturn 2\n}", "...return 1 } => ...return 2 }"},
		{long + "red", long + "green", "...words red => ...words green"},
		{long + "red " + long, long + "green " + long, "...words red the same words the s... => ...words green the same words the..."},
		{"a\nb", "a\nb\nc", "a b => a b c"},
		{"a", "a\nb", "a => a b"},
		{long + "\x00" + long + "1", long + "\x00" + long + "2", "...words 1 => ...words 2"},
		{"keep\n\tthis line and\n\tdrop", "keep\n\tthis line and", "...line and drop => ...line and"},
		{strings.Repeat("x", 40) + "1", strings.Repeat("x", 40) + "2", "...xxxxxxxxxx1 => ...xxxxxxxxxx2"},
		{strings.Repeat("é", 40) + "è", strings.Repeat("é", 40) + "ê", "...éééééè => ...éééééê"},
		{"if x {\n  y\n}", "if x {\n    y\n}", "white space of if x {..."},
		{"same\ntext", "same\ntext", "same... => same..."},
	} {
		got := changeLabel(tt.before, tt.after)
		if got != tt.want || !utf8.ValidString(got) {
			t.Errorf("%q, %q: %q, want %q", tt.before, tt.after, got, tt.want)
		}
	}
}
