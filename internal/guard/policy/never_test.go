package policy

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestNever checks which rules are reported because they, or parts of them, can match no call, and that those really
// match none.
func TestNever(t *testing.T) {
	t.Parallel()
	servers := []string{"github", "my-db"}
	for _, tt := range []struct{ rule, want string }{
		{"toolName = \"*\"", ""},
		{"toolName = \"write_file\"", ""},
		{"toolName = \"Bash\"", `warning: No tool is called "Bash": the rule is only about a subagent with this name`},
		{"toolName = \"read_*\"", `warning: toolName "read_*" can never match: * is only for all tools and for MCP servers`},
		{"toolName = \"mcp_*_x_*\"", `can never match`},
		{"toolName = [\"glob\", \"*_file\"]", `toolName "*_file" can never match`},
		{"toolName = \"mcp_*\"", ""},
		{"toolName = \"mcp_github_*\"", ""},
		{"toolName = \"mcp_*_delete\"", ""},
		{"toolName = \"mcp_github_delete\"", ""},
		{"toolName = \"mcp_gihub_delete\"", `warning: No MCP server has a tool like "mcp_gihub_delete" (did you mean "github"?)`},
		{"toolName = \"mcp_other_*\"", `No MCP server has a tool like "mcp_other_*"`},
		{"toolName = \"*\"\nmcpName = \"github\"", ""},
		{"toolName = \"*\"\nmcpName = \"*\"", ""},
		{"toolName = \"x\"\nmcpName = \"gitub\"", `warning: No MCP server is called "gitub" (did you mean "github"?)`},
		{"toolName = \"run_shell_command\"\ncommandPrefix = \"git \"", `error: commandPrefix "git " matches nothing`},
		{"toolName = \"run_shell_command\"\ncommandPrefix = \"git\"", ""},
		{"toolName = \"run_shell_command\"\ncommandRegex = '^rm'", `error: commandRegex "^rm" can never match: it begins at the beginning of the command`},
		{"toolName = \"run_shell_command\"\ncommandRegex = 'rm -rf /$'", `can never match: $ is the end of all arguments`},
		{"toolName = \"run_shell_command\"\ncommandRegex = 'rm -rf /\"'", ""},
		{"toolName = \"run_shell_command\"\ncommandRegex = 'rm .*$'", ""},
		{"toolName = \"run_shell_command\"\ncommandRegex = 'a\\$'", ""},
		{"toolName = \"run_shell_command\"\ncommandRegex = 'a|^b'", ""},
		{"toolName = \"run_shell_command\"\ncommandRegex = 'echo \"x'", `a quote inside a command is \" in JSON`},
		{"toolName = \"run_shell_command\"\ncommandRegex = 'echo \\\\\"x'", ""},
		{"toolName = \"run_shell_command\"\ncommandRegex = 'a\\nb'", `\n is not in JSON`},
		{"toolName = \"run_shell_command\"\ncommandRegex = 'a\\\\nb'", ""},
		{"toolName = \"write_file\"\nargsPattern = '\"file_path\":\"a'", ""},
		{"toolName = \"write_file\"\nargsPattern = '\"file_path\": \"a'", `there is no space between a name and its value`},
		{"toolName = \"write_file\"\nargsPattern = '^/etc'", `^ is the beginning of all arguments, which is {`},
		{"toolName = \"write_file\"\nargsPattern = '^.*a'", ""},
		{"toolName = \"write_file\"\nargsPattern = '^\\{'", ""},
		{"toolName = \"write_file\"\nargsPattern = 'secret.txt$'", `$ is the end of all arguments, which is }`},
		{"toolName = \"write_file\"\nargsPattern = 'x\\}$'", ""},
	} {
		dir := t.TempDir()
		write(t, dir, "a.toml", "[[rule]]\n"+tt.rule+"\ndecision = \"deny\"\npriority = 1\n")
		var got []string
		r := CheckFiles([]File{UserFile(dir)}, servers)
		for _, p := range r.Problems {
			got = append(got, p.String(filepath.Base))
		}
		if text := strings.Join(got, "\n"); !strings.Contains(text, tt.want) || tt.want == "" && text != "" {
			t.Errorf("%s:\n%s, want\n%s", tt.rule, text, tt.want)
		}
	}
	for _, source := range []string{`^rm`, `rm -rf /$`, `echo "x`, `a\nb`} {
		p, err := CommandPattern(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"rm -rf /", "rm", `echo "x"`, "a\nb"} {
			if ok, err := p.found("{\x00" + `"command":` + quote(command) + "\x00}"); ok || err != nil {
				t.Errorf("%s matches %q: %v", source, command, err)
			}
		}
	}
	// A rule that allows calls but never matches is harmless.
	dir := t.TempDir()
	write(t, dir, "a.toml", "[[rule]]\ntoolName = \"run_shell_command\"\ncommandRegex = '^ls'\ndecision = \"allow\"\npriority = 1\n")
	if r := CheckFiles([]File{UserFile(dir)}, nil); r.Failed() || len(r.Problems) != 1 {
		t.Errorf("%+v", r.Problems)
	}
}
