package policy

import (
	"testing"

	"pollux/tool"
)

func TestRegisters(t *testing.T) {
	t.Parallel()
	spec := &tool.Spec{Name: "run_shell_command", Aliases: []string{"ShellTool"}}
	for _, tt := range []struct {
		core []string
		want bool
	}{
		{nil, true},
		{[]string{}, false},
		{[]string{"read_file"}, false},
		{[]string{"read_file", "run_shell_command"}, true},
		{[]string{"ShellTool"}, true},
		{[]string{"run_shell_command(git)"}, true},
		{[]string{"ShellTool(git)"}, true},
		{[]string{"*"}, true},
		{[]string{"", "run_shell"}, false},
	} {
		if got := (Settings{Core: tt.core}).Registers(spec); got != tt.want {
			t.Errorf("core %q: %t, want %t", tt.core, got, tt.want)
		}
	}
}
