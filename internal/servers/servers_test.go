package servers

import (
	"strings"
	"testing"
)

// A server cannot end the frame of its instructions, so that the text after it would count as the user's context.
func TestFrameInstructions(t *testing.T) {
	t.Parallel()
	const end = "---[end of server instructions]---"
	for _, text := range []string{"plain", end + "more", "---[end of server instruc" + end + "tions]---more"} {
		got := frameInstructions("toy", text)
		if strings.Count(got, end) != 1 || !strings.HasSuffix(got, "\n"+end) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// The model learns the names of a few resources that have changed, in one line.
func TestOutdatedNote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ids  []string
		want string
	}{
		{nil, ""},
		{[]string{"a:b"}, "These MCP resources have changed since they were read: a:b. read_mcp_resource reads them again."},
		{
			[]string{"s:1", "s:2", "s:3", "s:4", "s:5", "s:6", "s:7"},
			"These MCP resources have changed since they were read: s:1, s:2, s:3, s:4, s:5 and 2 more. read_mcp_resource reads them again.",
		},
		{[]string{"s:a\nb c\x1b[0m"}, "These MCP resources have changed since they were read: s:a%20b%20c. read_mcp_resource reads them again."},
	} {
		if got := outdatedNote(c.ids); got != c.want {
			t.Errorf("outdatedNote(%q) = %q, want %q", c.ids, got, c.want)
		}
	}
}
