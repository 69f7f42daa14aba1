package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A project may only tighten protections of the user.
func TestTighten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		user, project string
		path          string
		want          any
		ignored       bool
	}{
		{`{"security":{"disableYoloMode":true}}`, `{"security":{"disableYoloMode":false}}`, "security.disableYoloMode", true, true},
		{`{"security":{"disableYoloMode":true}}`, `{"security":{"disableYoloMode":null}}`, "security.disableYoloMode", true, true},
		{`{"security":{"disableYoloMode":true}}`, `{"security":null}`, "security.disableYoloMode", true, true},
		{`{"security":{"disableYoloMode":true}}`, `{"security.disableYoloMode":false}`, "security.disableYoloMode", true, false},
		{`{"security":{"environmentVariableRedaction":{"enabled":true}}}`, `{"security":{"environmentVariableRedaction":null}}`, "security.environmentVariableRedaction.enabled", true, true},
		{`{}`, `{"security":{"disableYoloMode":true}}`, "security.disableYoloMode", true, false},
		{`{}`, `{"security":{"disableYoloMode":false}}`, "security.disableYoloMode", false, false},
		{`{"pollux":{"trustProjectSafety":true},"security":{"disableYoloMode":true}}`, `{"security":{"disableYoloMode":false}}`, "security.disableYoloMode", false, false},
		{`{"security":{"disableYoloMode":true}}`, `{"pollux":{"trustProjectSafety":true},"security":{"disableYoloMode":false}}`, "security.disableYoloMode", true, true},
		{`{"security":{"disableAlwaysAllow":true}}`, `{"security":{"disableAlwaysAllow":false}}`, "security.disableAlwaysAllow", true, true},
		{`{}`, `{"security":{"enablePermanentToolApproval":true}}`, "security.enablePermanentToolApproval", nil, true},
		{`{"security":{"enablePermanentToolApproval":true}}`, `{"security":{"enablePermanentToolApproval":false}}`, "security.enablePermanentToolApproval", false, false},
		{`{}`, `{"security":{"autoAddToPolicyByDefault":true}}`, "security.autoAddToPolicyByDefault", nil, true},
		{`{}`, `{"security":{"folderTrust":{"enabled":false}}}`, "security.folderTrust.enabled", nil, true},
		{`{"security":{"environmentVariableRedaction":{"enabled":true}}}`, `{"security":{"environmentVariableRedaction":{"enabled":false}}}`, "security.environmentVariableRedaction.enabled", true, true},
		{`{}`, `{"security":{"environmentVariableRedaction":{"allowed":["KEY"]}}}`, "security.environmentVariableRedaction.allowed", nil, true},
		{`{"security":{"environmentVariableRedaction":{"allowed":["KEY","B"]}}}`, `{"security":{"environmentVariableRedaction":{"allowed":["B"]}}}`, "security.environmentVariableRedaction.allowed", "B", false},
		{`{"security":{"environmentVariableRedaction":{"blocked":["A"]}}}`, `{"security":{"environmentVariableRedaction":{"blocked":["B"]}}}`, "security.environmentVariableRedaction.blocked", "A B", false},
		{`{"tools":{"confirmationRequired":["glob"]}}`, `{"tools":{"confirmationRequired":[]}}`, "tools.confirmationRequired", "glob", false},
		{`{}`, `{"tools":{"confirmationRequired":["glob"]}}`, "tools.confirmationRequired", "glob", false},
		{`{"tools":{"confirmationRequired":["glob"]}}`, `{"tools":null}`, "tools.confirmationRequired", "glob", true},
		{`{}`, `{"security":{"allowedExtensions":["a"]}}`, "security.allowedExtensions", "a", false},
		{`{"security":{"allowedExtensions":["a"]}}`, `{"security":{"allowedExtensions":[]}}`, "security.allowedExtensions", "a", true},
		{`{"security":{"allowedExtensions":["a"]}}`, `{"security":{"allowedExtensions":["b"]}}`, "security.allowedExtensions", "a", true},
		{`{"security":{"auth":{"enforcedType":"x"}}}`, `{"security":{"auth":{"enforcedType":"y"}}}`, "security.auth.enforcedType", "x", true},
		{`{}`, `{"security":{"auth":{"enforcedType":"y"}}}`, "security.auth.enforcedType", "y", false},
		{`{}`, `{"pollux":{"buildFiles":"never"}}`, "pollux.buildFiles", nil, true},
		{`{}`, `{"pollux":{"buildFiles":"always"}}`, "pollux.buildFiles", "always", false},
		{`{"pollux":{"buildFiles":"never"}}`, `{"pollux":{"buildFiles":"unlessYolo"}}`, "pollux.buildFiles", "unlessYolo", false},
		{`{"pollux":{"buildFiles":"always"}}`, `{"pollux":{"buildFiles":"unlessYolo"}}`, "pollux.buildFiles", "always", true},
		{`{}`, `{"pollux":{"planThen":"yolo"}}`, "pollux.planThen", nil, true},
		{`{"tools":{"sandbox":true}}`, `{"tools":{"sandbox":false}}`, "tools.sandbox", true, true},
		{`{"tools":{"sandbox":"docker"}}`, `{"tools":{"sandbox":"docker"}}`, "tools.sandbox", "docker", false},
		{`{}`, `{"tools":{"sandbox":false}}`, "tools.sandbox", nil, true},
		{`{}`, `{"tools":{"sandbox":" False "}}`, "tools.sandbox", nil, true},
		{`{}`, `{"tools":{"sandbox":""}}`, "tools.sandbox", nil, true},
		{`{}`, `{"tools":{"sandbox":{"enabled":false}}}`, "tools.sandbox", nil, true},
		{`{}`, `{"tools":{"sandbox":true}}`, "tools.sandbox", true, false},
		{`{}`, `{"tools":{"sandbox":{"networkAccess":false}}}`, "tools.sandbox", map[string]any{"networkAccess": false}, false},
		{`{"tools":{"sandbox":false}}`, `{"tools":{"sandbox":false}}`, "tools.sandbox", false, false},
		{`{}`, `{"security":{"toolSandboxing":false}}`, "security.toolSandboxing", nil, true},
		{`{"security":{"toolSandboxing":false}}`, `{"security":{"toolSandboxing":true}}`, "security.toolSandboxing", true, false},
		{`{}`, `{"pollux":{"sandboxProcesses":8192}}`, "pollux.sandboxProcesses", nil, false}, // as it is
		{`{"pollux":{"sandboxProcesses":50}}`, `{"pollux":{"sandboxProcesses":50}}`, "pollux.sandboxProcesses", 50.0, false},
		{`{"pollux":{"sandboxProcesses":50}}`, `{"pollux":{"sandboxProcesses":60}}`, "pollux.sandboxProcesses", 50.0, true},
		{`{"pollux":{"sandboxProcesses":50}}`, `{"pollux":{"sandboxProcesses":40}}`, "pollux.sandboxProcesses", 50.0, true},
		{`{}`, `{"pollux":{"undo":{"maxMegabytes":1}}}`, "pollux.undo.maxMegabytes", nil, true},
		{`{"pollux":{"undo":{"maxMegabytes":500}}}`, `{"pollux":{"undo":{"maxMegabytes":0}}}`, "pollux.undo.maxMegabytes", 500.0, true},
		{`{"pollux":{"undo":{"maxMegabytes":500}}}`, `{"pollux":{"undo":{"maxMegabytes":5000}}}`, "pollux.undo.maxMegabytes", 500.0, true},
		{`{"advanced":{"ignoreLocalEnv":true}}`, `{"advanced":{"ignoreLocalEnv":false}}`, "advanced.ignoreLocalEnv", true, true},
		// A null clears nothing, wherever it is.
		{`{"tools":{"exclude":["glob"]}}`, `{"tools":{"exclude":null}}`, "tools.exclude", "glob", true},
		{`{"tools":{"exclude":["glob"]}}`, `{"tools":null}`, "tools.exclude", "glob", true},
		{`{"mcp":{"excluded":["a"]}}`, `{"mcp":null}`, "mcp.excluded", "a", true},
		{`{"agents":{"overrides":{"a":{"tools":["glob"]}}}}`, `{"agents":{"overrides":{"a":{"tools":null}}}}`, "agents.overrides.a.tools", "glob", true},
		{`{"agents":{"overrides":{"a":{"enabled":false}}}}`, `{"agents":{"overrides":{"a":null}}}`, "agents.overrides.a.enabled", false, true},
		{`{"ui":{"theme":"x"}}`, `{"model":{"name":null}}`, "ui.theme", "x", false},
		// Settings about a project's own work.
		{`{"tools":{"allowed":["glob"]}}`, `{"tools":{"allowed":["run_shell_command"]}}`, "tools.allowed", "run_shell_command", false},
	} {
		t.Run(tt.project, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.user(t, tt.user)
			p.workspace(t, tt.project)
			s, warnings := p.mustLoad(t)
			got, _ := s.Lookup(tt.path)
			if list, ok := got.([]any); ok {
				got = strings.Join(Texts(list), " ")
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%s and %s: %v, want %v", tt.user, tt.project, got, tt.want)
			}
			if group, _, ok := strings.Cut(tt.project, ":null"); ok { // the warning names the keys that are null
				tt.path = strings.ReplaceAll(strings.Trim(strings.ReplaceAll(group, "{", ""), `"`), `":"`, ".")
			}
			said := slices.ContainsFunc(warnings, func(w Warning) bool {
				return strings.Contains(string(w), "would loosen yours: "+tt.path) || strings.Contains(string(w), ", "+tt.path)
			})
			if said != tt.ignored {
				t.Errorf("%s and %s: %q", tt.user, tt.project, warnings)
			}
		})
	}
}
