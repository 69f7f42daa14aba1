package install

import (
	"strings"
	"testing"

	"pollux/internal/config"
)

func TestEditDotEnv(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, value, want string }{
		{"", "1", "A=1\n"},
		{"", "", ""},
		{"B=2", "1", "B=2\nA=1\n"},
		{"# c\nA=0 # d\nB=2\n", "1", "# c\nA=1\nB=2\n"},
		{"export A = 0\nA: 3\nAA=4\n", "1", "A=1\nAA=4\n"},
		{"A=0\nB=2\n", "", "B=2\n"},
		{"", "two words", "A=\"two words\"\n"},
		{"", "a#b", "A=\"a#b\"\n"},
		{"", `say "hi" \n`, "A='say \"hi\" \\n'\n"},
		{"", `it's "so"`, "A=`it's \"so\"`\n"},
		{"", "$HOME=x", "A=$HOME=x\n"},
	} {
		got, err := editDotEnv(test.text, "A", test.value)
		if err != nil || got != test.want {
			t.Errorf("editDotEnv(%q, A, %q) = %q, %v, want %q", test.text, test.value, got, err, test.want)
		}
		if read := config.ParseDotEnv([]byte(got))["A"]; read != test.value {
			t.Errorf("%q is read as %q, want %q", got, read, test.value)
		}
	}
	for text, value := range map[string]string{"A=\"1\n2\"\n": "3", "": "1\n2", "B=1": "a\rb", "C=1": "'\"`", "D=1": "\x00"} {
		if got, err := editDotEnv(text, "A", value); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("editDotEnv(%q, A, %q) = %q, %v", text, value, got, err)
		}
	}
	if _, err := editDotEnv("", "A-B", "1"); err == nil {
		t.Error("A-B is accepted as the name of a variable")
	}
}
