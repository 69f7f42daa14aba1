package buffer

import (
	"slices"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, want string // tokens with the first letter of their kind
	}{
		{"", ""},
		{"/help me", "C/help"},
		{"/mcp:list", "C/mcp:list"},
		{" /help", ""},
		{"/", ""},
		{"//x", ""},
		{"/usr/bin is", ""},
		{"/plan @a.go", "C/plan P@a.go"},
		{"see @src/a.go, (@b) and @c.", "P@src/a.go P@b P@c"},
		{`@my\ file.txt x`, `P@my\ file.txt`},
		{`@my\`, `P@my\`},
		{"@a\\\nb", "P@a\\"},
		{`@"my file" x`, `P@"my file"`},
		{`@"my file`, ``},
		{`@"" x`, ``},
		{"@\"a\nb\"", ``},
		{`me@example.com \@x @`, ""},
		{"@. @.. @a/.. @a...", "P@. P@.. P@a/.. P@a"},
		{"@a: b", "P@a"},
		{"@a/. b", "P@a/."},
		{"看@a。", "P@a"},
		{"@a@b", "P@a@b"},
		{"é@b", ""},
		{"x [Image clip.png] y", "I[Image clip.png]"},
		{"[Image a\n]", ""},
		{"[Image ", ""},
		{"[Image [Image a]", "I[Image a]"},
		{"[Imagex]", ""},
		{"[Image " + strings.Repeat("x", 300) + "]", ""},
		{"[Pasted Text: 6 lines]", ""},
	} {
		b := filled(tt.text)
		var got []string
		for _, token := range b.Tokens() {
			got = append(got, "CPIT"[token.Kind:token.Kind+1]+b.Text(token.Range))
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestPastedTokens checks that a path ends at a placeholder, and that edits change the tokens.
func TestPastedTokens(t *testing.T) {
	t.Parallel()
	b := filled("/x @a|")
	b.Paste(lines(6))
	want := []Token{{Range{0, 2}, Command}, {Range{3, 5}, Path}, {Range{5, 27}, Pasted}}
	if got := b.Tokens(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	b.Expand()
	if got := b.Tokens(); len(got) != 2 || got[1] != (Token{Range{3, 9}, Path}) {
		t.Errorf("%v", got)
	}
	b.Undo()
	if got := b.Tokens(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	b.Clear()
	if got := b.Tokens(); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
