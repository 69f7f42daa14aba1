package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestMembers checks the members of objects: texts that say true or false are booleans, members of a wrong type or name are reported, and as lost if they
// may have restricted something.
func TestMembers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, path, want string // the value at the path, as JSON
		lost, warning    string // "" for none
	}{
		{`{"tools":{"sandbox":{"enabled":"true","networkAccess":"FALSE"}}}`, "tools.sandbox", `{"enabled":true,"networkAccess":false}`, "", ""},
		{`{"tools":{"sandbox":"true"}}`, "tools.sandbox", `"true"`, "", ""},
		{`{"tools":{"sandbox":{"enabled":1}}}`, "tools.sandbox", `{}`, "tools.sandbox.enabled", "Expected boolean, received number"},
		{`{"tools":{"sandbox":{"enabled":"yes","command":"docker"}}}`, "tools.sandbox", `{"command":"docker"}`, "tools.sandbox.enabled", "Expected boolean, received string"},
		{`{"tools":{"sandbox":{"enabled":true,"networkAcces":false}}}`, "tools.sandbox", `{"enabled":true}`, "tools.sandbox.networkAcces", "Unrecognized key(s) in object: 'networkAcces'\n    Did you mean 'networkAccess'?"},
		{`{"tools":{"sandbox":1}}`, "tools.sandbox", `null`, "tools.sandbox", "Expected boolean or string or object, received number"},
		{`{"tools":{"sandbox":["docker"]}}`, "tools.sandbox", `null`, "tools.sandbox", "received array"},

		{`{"agents":{"overrides":{"a":{"enabled":"false","tools":["glob"],"runConfig":{"maxTurns":3}}}}}`, "agents.overrides.a", `{"enabled":false,"tools":["glob"],"runConfig":{"maxTurns":3}}`, "", ""},
		{`{"agents":{"overrides":{"a":{"tools":"glob"}}}}`, "agents.overrides.a", `{"tools":["glob"]}`, "agents.overrides.a.tools", "Expected array, received string"},
		{`{"agents":{"overrides":{"a":{"enabled":"no"}}}}`, "agents.overrides.a", `{}`, "agents.overrides.a.enabled", "Expected boolean, received string"},
		{`{"agents":{"overrides":{"a":{"enabld":false}}}}`, "agents.overrides.a", `{}`, "agents.overrides.a.enabld", "Did you mean 'enabled'?"},
		{`{"agents":{"overrides":{"a.b":{"tools":["glob",5]}}}}`, "agents.overrides", `{"a.b":{"tools":["glob"]}}`, "agents.overrides.a.b.tools", "Error in: agents.overrides.a.b.tools.1\n    Expected string, received number\n    Pollux ignores this entry only."},
		{`{"agents":{"overrides":{"a":{"tools":{"glob":true}}}}}`, "agents.overrides.a", `{}`, "agents.overrides.a.tools", "Expected array, received object"},
		{`{"agents":{"overrides":{"a":{"runConfig":{"maxTurn":3},"modelConfig":{"modle":"x"}}}}}`, "agents.overrides.a", `{"runConfig":{},"modelConfig":{}}`, "", "'modle'\n    Did you mean 'model'?"},
		{`{"agents":{"overrides":{"a":{"runConfig":5}}}}`, "agents.overrides.a", `{}`, "", "Expected object, received number"},
		{`{"agents":{"overrides":{"a":false}}}`, "agents.overrides", `{}`, "agents.overrides.a", "Pollux ignores this entry only."},
		{`{"agents":{"overrides":{"a":{"mcpServers":{"s":{"command":"x","excludTools":["y"]}}}}}}`, "agents.overrides.a.mcpServers", `{"s":{"command":"x"}}`, "agents.overrides.a.mcpServers.s.excludTools", "Did you mean 'excludeTools'?"},
		{`{"agents":{"overrides":{"a":{"bogus":5,"modelConfig":{"model":"m"}}}}}`, "agents.overrides.a", `{"modelConfig":{"model":"m"}}`, "", "'bogus'"},

		{`{"mcpServers":{"s":{"command":"x","ExcludeTools":["y"],"trsut":true}}}`, "mcpServers", `{"s":{"command":"x"}}`, "mcpServers.s.ExcludeTools", "'ExcludeTools', 'trsut'\n    Did you mean 'excludeTools', 'trust'?"},
		{`{"mcpServers":{"s":"x"}}`, "mcpServers", `{}`, "", "Expected object, received string"},

		// Lists that restrict.
		{`{"tools":{"exclude":["a",5]}}`, "tools.exclude", `["a"]`, "tools.exclude", "Error in: tools.exclude.1"},
		{`{"tools":{"exclude":"a"}}`, "tools.exclude", `["a"]`, "", ""},
		{`{"excludeTools":"a"}`, "tools.exclude", `["a"]`, "", ""},
		{`{"tools":{"exclude":{"a":true}}}`, "tools.exclude", `null`, "tools.exclude", "Expected array, received object"},
		{`{"tools":{"confirmationRequired":"a"}}`, "tools.confirmationRequired", `["a"]`, "tools.confirmationRequired", "Expected array, received string"},
		{`{"tools":{"core":"glob"}}`, "tools.core", `["glob"]`, "tools.core", "Expected array, received string"},
		{`{"tools":{"core":[5]}}`, "tools.core", `null`, "tools.core", "Expected string"},
		{`{"tools":{"core":["glob",null,{}]}}`, "tools.core", `["glob"]`, "tools.core", "received null"},
		{`{"mcp":{"excluded":["a",true]}}`, "mcp.excluded", `["a"]`, "mcp.excluded", "received boolean"},
		{`{"tools":{"allowed":["a",5]}}`, "tools.allowed", `null`, "", "Expected string"},
		{`{"tools":{"allowed":"a"}}`, "tools.allowed", `null`, "", "Expected array"},

		// Choices.
		{`{"general":{"defaultApprovalMode":"plann"}}`, "general.defaultApprovalMode", `null`, "general.defaultApprovalMode", "received 'plann'\n    Did you mean 'plan'?"},
		{`{"general":{"defaultApprovalMode":"Default"}}`, "general.defaultApprovalMode", `null`, "general.defaultApprovalMode", "Did you mean 'default'?"},
		{`{"general":{"defaultApprovalMode":"careful"}}`, "general.defaultApprovalMode", `null`, "general.defaultApprovalMode", "received 'careful'"},
		{`{"general":{"defaultApprovalMode":["plan"]}}`, "general.defaultApprovalMode", `null`, "general.defaultApprovalMode", "received array"},
		{`{"general":{"defaultApprovalMode":"autoEdit"}}`, "general.defaultApprovalMode", `null`, "", "Did you mean 'auto_edit'?"},
		{`{"general":{"defaultApprovalMode":"yolo"}}`, "general.defaultApprovalMode", `null`, "", "received 'yolo'"},
		{`{"tools":{"approvalMode":"plann"}}`, "general.defaultApprovalMode", `null`, "general.defaultApprovalMode", "Did you mean 'plan'?"},
		{`{"pollux":{"mcpSampling":"denny"}}`, "pollux.mcpSampling", `null`, "pollux.mcpSampling", "Did you mean 'deny'?"},
		{`{"pollux":{"mcpSampling":"aks"}}`, "pollux.mcpSampling", `null`, "", "Did you mean 'ask'?"},
		{`{"pollux":{"sandboxReads":"wrok"}}`, "pollux.sandboxReads", `null`, "pollux.sandboxReads", "Did you mean 'work'?"},
		{`{"pollux":{"buildFiles":"alwayss"}}`, "pollux.buildFiles", `null`, "pollux.buildFiles", "Did you mean 'always'?"},
		{`{"output":{"format":"jsn"}}`, "output.format", `null`, "", "Did you mean 'json'?"},

		// Values that would switch something off.
		{`{"experimental":{"enableAgents":"no"}}`, "experimental.enableAgents", `null`, "experimental.enableAgents", "Expected boolean"},
		{`{"skills":{"enabled":"no"}}`, "skills.enabled", `null`, "skills.enabled", "Expected boolean"},
		{`{"hooksConfig":{"enabled":"off"}}`, "hooksConfig.enabled", `null`, "hooksConfig.enabled", "Expected boolean"},
		{`{"pollux":{"localServers":"no"}}`, "pollux.localServers", `null`, "pollux.localServers", "Expected boolean"},
		{`{"skills":{"disabled":["deploy",5]}}`, "skills.disabled", `["deploy"]`, "skills.disabled", "Expected string"},
		{`{"experimental":{"directWebFetch":"no"}}`, "experimental.directWebFetch", `null`, "", "Expected boolean"},
	} {
		p := newPlace(t)
		p.user(t, tt.text)
		s, warnings := p.mustLoad(t)
		got, _ := s.Lookup(tt.path)
		if want := parsed(t, tt.want); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", tt.text, got, want)
		}
		lost := ""
		if tt.lost != "" {
			lost = p.paths().UserSettings() + ": " + tt.lost
		}
		if got := strings.Join(s.Lost(), " "); got != lost {
			t.Errorf("%s: lost %q, want %q", tt.text, got, lost)
		}
		if text := joined(warnings); (text != "") != (tt.warning != "") || !strings.Contains(text, tt.warning) {
			t.Errorf("%s: %s", tt.text, text)
		}
	}
}

// TestManyMistakes checks that the names of lost restrictions are safe to print and few, and that a file with very many unknown names is
// read in part.
func TestManyMistakes(t *testing.T) {
	t.Parallel()
	var names strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&names, `"exclude%dTools\u001b[31m": ["a"], `, i)
	}
	for _, text := range []string{
		`{` + names.String() + `"ui": {}}`,
		`{"tool": {` + names.String() + `"x": 1}}`,
		`{"mcpServers": {"s": {` + names.String() + `"command": "c"}}}`,
		`{"agents": {"overrides": {"a": {` + names.String() + `"enabled": true}}}}`,
	} {
		p := newPlace(t)
		p.user(t, text)
		s, _ := p.mustLoad(t)
		if lost := strings.Join(s.Lost(), "\n"); lost == "" || len(s.Lost()) > 21 || strings.Contains(lost, "\x1b") || len(lost) > 10_000 {
			t.Errorf("%.40s: %d lost: %.500q", text, len(s.Lost()), lost)
		}
	}
	p := newPlace(t)
	p.user(t, `{"ui": {"customThemes": {"t": {`+names.String()+`"name": "t"}}}}`)
	if s, _ := p.mustLoad(t); s.Lost() != nil {
		t.Errorf("colors of a theme are lost restrictions: %.500q", s.Lost())
	}
}

// TestMisspeltRestrictions checks that a restriction under a name that is no setting is reported as lost.
func TestMisspeltRestrictions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{ // a part of the warning, "!" before it if something is lost
		`{"tools":{"Exclude":["a"]}}`:                     `!Unknown setting "tools.Exclude" in FILE is ignored. Did you mean "tools.exclude"?`,
		`{"tool":{"exclude":["a"]}}`:                      `!Unknown setting "tool" in FILE is ignored. Did you mean "tools"?`,
		`{"Tools":{"Exclud":["a"]}}`:                      `!Did you mean "tools"?`,
		`{"tool":{"allowed":["a"]}}`:                      `Did you mean "tools"?`,
		`{"excludedTools":["a"]}`:                         `!Did you mean "tools.exclude"?`,
		`{"ExcludeTools":["a"]}`:                          `!Did you mean "tools.exclude"?`,
		`{"excludMCPServers":["a"]}`:                      `!Did you mean "mcp.excluded"?`,
		`{"Sandbox":true}`:                                `!Did you mean "tools.sandbox"?`,
		`{"security":{"disableYolomode":true}}`:           `!Did you mean "security.disableYoloMode"?`,
		`{"securty":{"folderTrust":{"enabled":true}}}`:    `!Did you mean "security"?`,
		`{"tools.exclude":["a"]}`:                         `!Unknown setting "tools.exclude" in FILE is ignored. Write each of its names as an object in the one before.`,
		`{"tools":{"shell.pager":"cat"}}`:                 `Write each of its names as an object`,
		`{"Hooks":{"BeforeTool":[]}}`:                     `!Did you mean "hooks"?`,
		`{"tools":{"Exclude":null}}`:                      ``,
		`{"general":{"defaultAprovalMode":"plan"}}`:       `!Did you mean "general.defaultApprovalMode"?`,
		`{"general":{"defaultAprovalMode":"auto_edit"}}`:  `Did you mean "general.defaultApprovalMode"?`,
		`{"experimental":{"blockFileUplaods":true}}`:      `Unknown setting`, // of a part that is not there yet
		`{"general":{"vimmode":true},"modle":{"n":1}}`:    `Did you mean "model"?`,
		`{"mcpServer":{"a":{"excludeTools":["b"]}}}`:      `Did you mean "mcpServers"?`, // nothing of the server is used
		`{"ui":{"qqqqqqqq":true}}`:                        `Unknown setting "ui.qqqqqqqq"`,
		`{"agent":{"overrides":{"a":{"enabled":false}}}}`: `!Did you mean "agents"?`,
	} {
		p := newPlace(t)
		p.user(t, text)
		s, warnings := p.mustLoad(t)
		want, isLost := strings.CutPrefix(want, "!")
		if (len(s.Lost()) > 0) != isLost {
			t.Errorf("%s: lost %q", text, s.Lost())
		}
		if got := joined(warnings); (got != "") != (want != "") || !strings.Contains(got, strings.ReplaceAll(want, "FILE", p.paths().UserSettings())) {
			t.Errorf("%s: %s", text, got)
		}
	}
}
