package config

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestMigrate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ from, want string }{
		{`{"theme": "GitHub", "vimMode": true}`, `{"general":{"vimMode":true},"ui":{"theme":"GitHub"}}`},
		{`{"model": "m"}`, `{"model":{"name":"m"}}`},
		{`{"model": "m", "maxSessionTurns": 3}`, `{"model":{"maxSessionTurns":3,"name":"m"}}`},
		{`{"disableAutoUpdate": true}`, `{"general":{"enableAutoUpdate":false}}`},
		{`{"disableUpdateNag": "TRUE"}`, `{"general":{"enableAutoUpdateNotification":false}}`},
		{`{"autoAccept": true}`, `{}`},
		{`{"coreTools": ["ls"], "tools": {"core": ["glob"]}}`, `{"tools":{"core":["glob"]}}`},
		{
			`{"fileFiltering": {"respectGitIgnore": false}, "context": {"fileFiltering": {"respectGeminiIgnore": false}}}`,
			`{"context":{"fileFiltering":{"respectGeminiIgnore":false,"respectGitIgnore":false}}}`,
		},
		{
			`{"accessibility": {"disableLoadingPhrases": true}}`,
			`{"ui":{"accessibility":{"enableLoadingPhrases":false},"loadingPhrases":"off"}}`,
		},
		{`{"checkpointing": {"enabled": true}}`, `{"general":{"checkpointing":{"enabled":true}}}`},
		{
			`{"sandbox": "docker", "selectedAuthType": "vertex-ai", "folderTrust": true}`,
			`{"security":{"auth":{"selectedType":"vertex-ai"},"folderTrust":{"enabled":true}},"tools":{"sandbox":"docker"}}`,
		},
		{`{"general": {"disableAutoUpdate": true, "enableAutoUpdate": true}}`, `{"general":{"enableAutoUpdate":true}}`},
		{
			`{"tools": {"approvalMode": "plan"}, "experimental": {"plan": false}}`,
			`{"experimental":{},"general":{"defaultApprovalMode":"plan","plan":{"enabled":false}},"tools":{}}`,
		},
		{
			`{"experimental": {"cliHelpAgentSettings": {"enabled": false}}}`,
			`{"agents":{"overrides":{"cli_help":{"enabled":false}}},"experimental":{}}`,
		},
		{
			`{"experimental": {"codebaseInvestigatorSettings": {"enabled": false, "maxNumTurns": 5, "maxTimeMinutes": 2, "thinkingBudget": 100, "model": "m"}}}`,
			`{"agents":{"overrides":{"codebase_investigator":{"enabled":false,"modelConfig":{"generateContentConfig":{"thinkingConfig":{"thinkingBudget":100}},"model":"m"},` +
				`"runConfig":{"maxTimeMinutes":2,"maxTurns":5}}}},"experimental":{}}`,
		},
		{
			`{"experimental": {"codebaseInvestigatorSettings": {"maxNumTurns": 5}}, "agents": {"overrides": {"codebase_investigator": {"enabled": true, "runConfig": {"maxTurns": 7}}}}}`,
			`{"agents":{"overrides":{"codebase_investigator":{"enabled":true,"runConfig":{"maxTurns":7}}}},"experimental":{}}`,
		},
		{
			`{"experimental": {"codebaseInvestigatorSettings": 5}}`,
			`{"agents":{"overrides":{"codebase_investigator":5}},"experimental":{}}`,
		},
		{`{"context": {"fileFiltering": {"disableFuzzySearch": true}}}`, `{"context":{"fileFiltering":{"enableFuzzySearch":false}}}`},
		{
			`{"memoryDiscoveryMaxDirs": 30, "retryFetchErrors": false, "debugKeystrokeLogging": true, "hasSeenIdeIntegrationNudge": true}`,
			`{"context":{"discoveryMaxDirs":30},"general":{"debugKeystrokeLogging":true,"retryFetchErrors":false},"ide":{"hasSeenNudge":true}}`,
		},
		{`{"telemetry": true}`, `{"telemetry":{"enabled":true}}`},
		{`{"ui": {"theme": "VS"}}`, `{"ui":{"theme":"Default Light"}}`},
		{`{"ui": {"theme": "VS2015"}}`, `{"ui":{"theme":"Default"}}`},
		{`{"theme": "x", "ui": 5}`, `{"ui":5}`},
		{`{"general": 7, "vimMode": true}`, `{"general":7}`},
	} {
		tree, err := ParseObject([]byte(tt.from))
		if err != nil {
			t.Fatal(err)
		}
		migrate(tree, User)
		got, err := json.Marshal(tree)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s\n becomes %s\n    want %s (%v)", tt.from, got, tt.want, err)
		}
	}
}

// TestMovesLead holds that every old name leads to a key of today.
func TestMovesLead(t *testing.T) {
	t.Parallel()
	for _, m := range append(flat[:], renamed[:]...) {
		to := strings.TrimPrefix(m.to, "!")
		if _, ok := KeyOf(to); !ok && to != "" && !IsGroup(to) && !strings.HasPrefix(to, "agents.overrides.") {
			t.Errorf("%s leads to %s, which is no key", m.from, to)
		}
		if _, ok := KeyOf(m.from); ok {
			t.Errorf("%s is a key of today", m.from)
		}
	}
}

func TestMigrationWarnings(t *testing.T) {
	t.Parallel()
	tree := func() map[string]any {
		return map[string]any{"theme": "x", "autoAccept": true, "tools": map[string]any{"approvalMode": "plan"}}
	}
	flat := []string{"theme (ui.theme)", "autoAccept (gone)"}
	names, _, _, warnings := migrate(tree(), User)
	if !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(flat))) || len(warnings) > 0 {
		t.Errorf("user: %q, %q", names, warnings)
	}
	const system = "The system default configuration contains deprecated settings: [tools.approvalMode]. " +
		"These could not be migrated automatically as system settings are read-only. " +
		"Please update the system configuration manually.\n--\n"
	if _, _, _, warnings := migrate(tree(), SystemDefaults); joined(warnings) != system {
		t.Errorf("system defaults: %q", warnings)
	}

	var old flatNames
	old.add("none", nil)
	if got := old.warning(); got != nil {
		t.Errorf("no file: %q", got)
	}
	old.add("f", flat)
	if got := joined(old.warning()); got != "f uses old names of settings, which Pollux reads as the current ones: autoAccept (gone), theme (ui.theme)\n--\n" {
		t.Errorf("one file: %q", got)
	}
	old.add("g", []string{"theme (ui.theme)", "vimMode (general.vimMode)"})
	if got := joined(old.warning()); got != "f and g use old names of settings, which Pollux reads as the current ones: autoAccept (gone), theme (ui.theme), vimMode (general.vimMode)\n--\n" {
		t.Errorf("two files: %q", got)
	}
}
