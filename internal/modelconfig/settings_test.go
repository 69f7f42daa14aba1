package modelconfig

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/llm"
	"pollux/llm/fallback"
)

// Wrong settings are warned about and ignored; the others count.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	const at = "modelConfigs.customAliases.a.modelConfig.generateContentConfig."
	ofA := func(config string) string {
		return `{"customAliases": {"a": {"modelConfig": {"model": "m", "generateContentConfig": {"seed": 1, ` + config + `}}}}}`
	}
	override := func(text string) string {
		return `{"customAliases": {"a": {"modelConfig": {"model": "m", "generateContentConfig": {"seed": 1}}}}, "customOverrides": [` + text + `]}`
	}
	seed := llm.Config{Seed: new(1)}
	ignored := func(path, why string) []string {
		return []string{"Warning: Ignoring the setting \"" + path + "\": " + why + "."}
	}
	for _, tt := range []struct {
		name, settings string
		warnings       []string
		want           llm.Config // of the alias a
	}{
		{"text for a number", ofA(`"temperature": "hot"`), ignored(at+"temperature", `it must be a number, not "hot"`), seed},
		{"object for a number", ofA(`"topP": {}`), ignored(at+"topP", "it must be a number, not an object"), seed},
		{"no number", ofA(`"topP": "NaN"`), ignored(at+"topP", `it must be a number, not "NaN"`), seed},
		{"fraction", ofA(`"maxOutputTokens": 1.5`), ignored(at+"maxOutputTokens", "it must be a whole number from 0, not 1.5"), seed},
		{"negative", ofA(`"maxOutputTokens": -1`), ignored(at+"maxOutputTokens", "it must be a whole number from 0, not -1"), seed},
		{"huge", ofA(`"candidateCount": 1e300`), ignored(at+"candidateCount", "it must be a whole number from 0, not 1e+300"), seed},
		{"number for a text", ofA(`"responseMimeType": 5`), ignored(at+"responseMimeType", "it must be a string, not 5"), seed},
		{"text for a list", ofA(`"stopSequences": "x"`), ignored(at+"stopSequences", `it must be an array of strings, not "x"`), seed},
		{"list of other things", ofA(`"stopSequences": ["x", 1]`), ignored(at+"stopSequences", "it must be an array of strings, not an array"), seed},
		{"text for a schema", ofA(`"responseJsonSchema": "x"`), ignored(at+"responseJsonSchema", `it must be an object, not "x"`), seed},
		{"list for thinking", ofA(`"thinkingConfig": []`), ignored(at+"thinkingConfig", "it must be an object, not an array"), seed},
		{
			"wrong thinking", ofA(`"thinkingConfig": {"thinkingBudget": "much", "thinkingLevel": "LOW"}`),
			ignored(at+"thinkingConfig.thinkingBudget", `it must be a whole number, not "much"`),
			llm.Config{Seed: new(1), Thinking: &llm.Thinking{Level: "LOW"}},
		},
		{"wrong labels", ofA(`"labels": {"a": 1, "b": "x"}`), ignored(at+"labels.a", "it must be a string, not 1"), llm.Config{Seed: new(1), Labels: map[string]string{"b": "x"}}},
		{"no labels", ofA(`"labels": true`), ignored(at+"labels", "it must be an object, not a boolean"), seed},
		{"wrong safety", ofA(`"safetySettings": [1]`), ignored(at+"safetySettings", "it must be an array of objects"), seed},
		{"no tools", ofA(`"tools": {"googleSearch": {}}`), ignored(at+"tools", "it must be an array of objects"), seed},
		{
			"strange tool", ofA(`"tools": [{"codeExecution": {}, "urlContext": {}}]`), ignored(at+"tools.0.codeExecution", `unknown key "codeExecution"`),
			llm.Config{Seed: new(1), Tools: []*llm.ToolSet{{URLContext: true}}},
		},
		{
			"tool with settings", ofA(`"tools": [{"googleSearch": {"excludeDomains": ["x"]}}]`),
			ignored(at+"tools.0.googleSearch", "the tool has no settings in Pollux; they are ignored"),
			llm.Config{Seed: new(1), Tools: []*llm.ToolSet{{GoogleSearch: true}}},
		},
		{"strange key", ofA(`"responseModalities": ["AUDIO"]`), ignored(at+"responseModalities", `unknown key "responseModalities"`), seed},
		{"strange thinking", ofA(`"thinkingConfig": {"depth": 3}`), ignored(at+"thinkingConfig.depth", `unknown key "depth"`), seed},
		{"null is no mistake", ofA(`"temperature": null, "thinkingConfig": null, "tools": null, "labels": null, "stopSequences": null, "safetySettings": null, "responseJsonSchema": null`), nil, seed},

		{"strange field", `{"customAliases": {"a": {"modelconfig": {}, "modelConfig": {"model": "m"}}}}`, ignored("modelConfigs.customAliases.a.modelconfig", `unknown key "modelconfig"`), llm.Config{}},
		{"wrong configuration", `{"customAliases": {"a": {"modelConfig": []}}}`, ignored("modelConfigs.customAliases.a.modelConfig", "it must be an object, not an array"), llm.Config{}},
		{"wrong model", `{"customAliases": {"a": {"modelConfig": {"model": 5, "generateContentConfig": {"seed": 1}}}}}`, ignored("modelConfigs.customAliases.a.modelConfig.model", "it must be a string, not a number"), llm.Config{}},
		{"wrong alias", `{"customAliases": {"b": "c"}}`, ignored("modelConfigs.customAliases.b", "it must be an object, not a string"), llm.Config{}},
		{"wrong extends", `{"customAliases": {"b": {"extends": ["c"]}}}`, ignored("modelConfigs.customAliases.b", "extends must be a string, not an array"), llm.Config{}},
		{"an alias taken back", `{"customAliases": {"b": null}}`, nil, llm.Config{}},

		{"wrong override", override(`"x"`), ignored("modelConfigs.customOverrides.0", "it must be an object, not a string"), seed},
		{"no match", override(`{"modelConfig": {"generateContentConfig": {"seed": 2}}}`), ignored("modelConfigs.customOverrides.0.match", "it must be an object, not null"), seed},
		{"empty match", override(`{"match": {}, "modelConfig": {"generateContentConfig": {"seed": 2}}}`), ignored("modelConfigs.customOverrides.0", "its match is empty; set model, overrideScope or isRetry"), seed},
		{"match of another type", override(`{"match": {"model": 1}, "modelConfig": {"generateContentConfig": {"seed": 2}}}`), ignored("modelConfigs.customOverrides.0", "model must be a string, not a number"), seed},
		{"match of no retry", override(`{"match": {"model": "a", "isRetry": "maybe"}, "modelConfig": {"generateContentConfig": {"seed": 2}}}`), ignored("modelConfigs.customOverrides.0", "isRetry must be a boolean, not a string"), seed},
		{"match of null", override(`{"match": {"model": null}, "modelConfig": {"generateContentConfig": {"seed": 2}}}`), ignored("modelConfigs.customOverrides.0", "model must be a string, not null"), seed},
		{"strange match", override(`{"match": {"model": "a", "agent": "x"}, "modelConfig": {"generateContentConfig": {"seed": 2}}}`), ignored("modelConfigs.customOverrides.0", `unknown match key "agent"`), seed},
		{"the next override counts", override(`1, {"match": {"model": "a"}, "modelConfig": {"generateContentConfig": {"topK": 2}}}`), ignored("modelConfigs.customOverrides.0", "it must be an object, not a number"), llm.Config{Seed: new(1), TopK: new(2.0)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var warnings []string
			r := New(settings(t, tt.settings), Options{RunsHostedTools: always, Warn: func(w string) { warnings = append(warnings, w) }})
			if diff := cmp.Diff(tt.warnings, warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			res, err := r.Resolve(Key{Model: "a"})
			if err != nil && !strings.HasPrefix(err.Error(), "Could not resolve") {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, res.Config, sameConfig); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWarningsAreFew(t *testing.T) {
	t.Parallel()
	entries := map[string]any{}
	for i := range 1000 {
		entries[fmt.Sprintf("a%d\x1b[31m%s", i, strings.Repeat("é", 1000))] = map[string]any{
			"modelConfig": map[string]any{"generateContentConfig": map[string]any{"same": 1, "temperature": "\a" + strings.Repeat("x", 1000)}},
		}
	}
	text, err := json.Marshal(map[string]any{"customAliases": entries})
	if err != nil {
		t.Fatal(err)
	}
	var warnings []string
	New(settings(t, string(text)), Options{Warn: func(w string) { warnings = append(warnings, w) }})
	all := strings.Join(warnings, "\n")
	if len(warnings) != mostWarnings+1 || len(all) > 8000 || strings.ContainsAny(all, "\x1b\a") || strings.Count(all, `"same"`) != 1 {
		t.Errorf("%d warnings of %d bytes:\n%.2000s", len(warnings), len(all), all)
	}
	if want := "Warning: Ignoring 991 more settings in modelConfigs."; warnings[len(warnings)-1] != want {
		t.Errorf("%s, want %s", warnings[len(warnings)-1], want)
	}
}

func TestChains(t *testing.T) {
	t.Parallel()
	var warnings []string
	warn := func(w string) { warnings = append(warnings, w) }
	if got := Chains(unchecked(t, `{}`), nil, warn); got != nil {
		t.Errorf("chains from nowhere: %v", got)
	}
	resolve := func(name string) (string, error) {
		if name == "m3" {
			return "", errors.New("no account")
		}
		return "at/" + name, nil
	}
	chains := Chains(unchecked(t, `{"modelChains": {
		"mine": [
			{"model": "m1", "maxAttempts": 3, "actions": {"transient": "silent"}, "stateTransitions": {"transient": "sticky_retry", "unknown": "none"}},
			{"model": "m2", "isLastResort": true, "maxAttempts": -1, "actions": {"terminal": "shout", "boredom": "prompt", "unknown": null}, "colour": 1},
			{"isLastResort": true}, 5, {"model": "m3"}],
		"none": {"model": "m"}, "gone": null}}`), resolve, warn)
	if len(chains) != 1 || len(chains["mine"]) != 2 {
		t.Fatalf("%+v", chains)
	}
	m1, m2 := chains["mine"][0], chains["mine"][1]
	if m1.Model != "at/m1" || m1.MaxAttempts != 3 || m1.LastResort ||
		m1.Action(fallback.Transient) != fallback.Silent || m1.Action(fallback.Terminal) != fallback.Ask ||
		m1.State(fallback.Transient) != fallback.StickyRetry || m1.State(fallback.Unknown) != fallback.Available || m1.State(fallback.NotFound) != fallback.Unavailable {
		t.Errorf("%+v", m1)
	}
	if m2.Model != "at/m2" || m2.MaxAttempts != 0 || !m2.LastResort || m2.Action(fallback.Terminal) != fallback.Ask {
		t.Errorf("%+v", m2)
	}
	const at = "modelConfigs.modelChains.mine."
	want := []string{
		`Warning: Ignoring the setting "` + at + `1.colour": unknown key "colour".`,
		`Warning: Ignoring the setting "` + at + `1.maxAttempts": it must be a whole number from 0, not -1.`,
		`Warning: Ignoring the setting "` + at + `1.actions.boredom": unknown key "boredom".`,
		`Warning: Ignoring the setting "` + at + `1.actions.terminal": it must be one of ["prompt" "silent"], not "shout".`,
		`Warning: Ignoring the setting "` + at + `2": it must name a model.`,
		`Warning: Ignoring the setting "` + at + `3": it must be an object, not a number.`,
		`Warning: Ignoring the setting "` + at + `4": cannot use m3: no account.`,
		`Warning: Ignoring the setting "modelConfigs.modelChains.none": it must be an array, not an object.`,
	}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
