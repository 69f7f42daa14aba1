package file

import "testing"

// White space at brackets and separators does not hide the one place that old_string means.
func TestSpaced(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, old, new, want string }{
		{"arguments", "x\nfoo( a,b )\ny\n", "foo(a, b)", "foo(a, b, c)", "x\nfoo(a, b, c)\ny\n"},
		{"another name", "x\nfoo( a,b )\ny\n", "foo(a, b)", "bar(a, b)", "x\nbar( a,b )\ny\n"},
		{"within a line", "\tz = foo( a,b );\n", "foo(a, b)", "foo(a, c)", "\tz = foo(a, c);\n"},
		{"within a line, another name", "\tz = foo( a,b );\n", "foo(a, b)", "bar(a, b)", "\tz = bar( a,b );\n"},
		{"the whole line is nearer", "foo( a,b )\nz = foo( a,b )\n", "foo(a, b)", "g()", "g()\nz = foo( a,b )\n"},
		{"a part of a name", "z = xfoo( a,b );\n", "foo(a, b)", "g()", ""},
		{"two places", "y = foo( a,b );\nz = foo( a,b );\n", "foo(a, b)", "g()", ""},
		{"two places in a line", "y = foo( a,b ) + foo( a,b );\n", "foo(a, b)", "g()", ""},
		{"in quotes", "z = \"foo( a,b )\";\n", "\"foo(a, b)\"", "\"foo(b)\"", ""},
		{"after a quote", "z = g('it', \"\\\"( a\" )\n", "g('it', \"\\\"(a\")", "g(1)", ""},
		{"operators", "z = a - -b + c(d)\n", "a--b + c(d)", "a", ""},
		{"several lines", "z = foo( a,b );\n", "foo(a, b)", "foo(a,\n  b)", ""},
		{"two elements", "z = foo( );\n", "foo (", "g(", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := find(tt.text, tt.old, tt.new, never)
			if tt.want == "" {
				if err == nil && len(m.changes) > 0 {
					t.Errorf("%+v", m.changes)
				}
				return
			}
			if err != nil || len(m.changes) != 1 || !m.differences.any() {
				t.Fatalf("%+v, %v", m, err)
			}
			c := m.changes[0]
			if got := tt.text[:c.start] + c.text + tt.text[c.end:]; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
