package provider

import (
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/llm/catalog"
	"pollux/llm/openai"
)

// add returns the built-in table with the user's files, in order, and the problems
// of the files.
func add(t *testing.T, files ...string) (*Table, string) {
	t.Helper()
	table := Builtin()
	var all []string
	for _, file := range files {
		var own map[string]json.RawMessage
		if err := json.Unmarshal([]byte(file), &own); err != nil {
			t.Fatal(err)
		}
		for _, err := range table.Add(own) {
			all = append(all, err.Error())
		}
	}
	return table, strings.Join(all, "\n")
}

// TestRefusedLeavesNoTrace checks that a wrong entry changes nothing, in any member that it
// shares with the built-in entry.
func TestRefusedLeavesNoTrace(t *testing.T) {
	t.Parallel()
	table, errs := add(t, `{
		"openai": {"baseUrlVars": ["EVIL"], "keyVars": ["EVIL"], "quirks": {"nonsense": 1}},
		"lmstudio": {"local": {"port": 5, "probe": "/evil"}, "models": [{}]},
		"openrouter": {"headers": {"X-Title": "evil"}, "models": [{}]},
		"xai": {"aliases": ["evil"], "models": [{}]},
		"mistral": {"quirks": {"drop": ["tools"], "nonsense": 1}}}`)
	if strings.Count(errs, "is ignored") != 5 {
		t.Fatal(errs)
	}
	for p := range Builtin().All() {
		if diff := cmp.Diff(p, table.Find(p.ID), cmp.AllowUnexported(Profile{})); diff != "" {
			t.Errorf("%s has changed (-want +got):\n%s", p.ID, diff)
		}
	}
}

// TestLayers checks that a second file changes the provider of the first one, and nothing else.
func TestLayers(t *testing.T) {
	t.Parallel()
	table, errs := add(t,
		`{"openai": {"baseUrl": "http://first/v1", "quirks": {"systemRole": "user"}, "models": [{"match": "m", "window": 1000}]},
		  "deepseek": {"quirks": {"noImages": null, "noPDF": false}, "headers": {"x-a": "1", "X-B": "2"}}}`,
		`{"openai": {"headers": {"X": "y"}, "model": "m"},
		  "deepseek": {"keyVars": [], "headers": {"X-A": "3", "X-B": ""}, "models": [{"match": "m", "window": 1}, {"match": ["m", "n"], "window": 2}]}}`,
		`{"openai": {"baseUrl": "https://FIRST:443/v1"}}`)
	if errs != "" {
		t.Fatal(errs)
	}
	p := table.Find("openai")
	q, err := decodeQuirks[openai.Quirks](p, nil)
	if err != nil || q.SystemRole != "user" || p.Describe("m", catalog.Model{}).Input != 1000 || p.Model != "m" || p.SmallModel != "" || p.Headers["X"] != "y" {
		t.Errorf("openai: %+v %v", p, err)
	}
	p = table.Find("deepseek")
	if q, err = decodeQuirks[openai.Quirks](p, nil); err != nil || q.NoImages || q.NoPDF || !q.NoAudio || q.ReasoningOut != "reasoning_content" {
		t.Errorf("deepseek's quirks: %+v %v", q, err)
	}
	if diff := cmp.Diff(map[string]string{"X-A": "3"}, p.Headers); diff != "" {
		t.Errorf("deepseek's headers (-want +got):\n%s", diff)
	}
	if len(p.KeyVars) != 0 || p.Describe("m", catalog.Model{}).Input != 2 || p.CustomAddress {
		t.Errorf("deepseek: %+v", p)
	}
}

// TestProtocols: any provider can use any protocol; the quirks of the
// one that it spoke are gone.
func TestProtocols(t *testing.T) {
	t.Parallel()
	for p := range Builtin().All() {
		for _, protocol := range protocols {
			if _, errs := add(t, `{"`+p.ID+`": {"protocol": "`+string(protocol)+`", "baseUrl": "http://h"}}`); errs != "" {
				t.Error(errs)
			}
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	const there = `{"baseUrl": "http://h", "keyless": true`
	for own, want := range map[string]string{
		`{"": ` + there + `}}`:                                                   "at most 64 characters",
		`{"a b": ` + there + `}}`:                                                "without slashes and spaces",
		`{"a\u001b[": ` + there + `}}`:                                           "without slashes and spaces",
		`{"models": ` + there + `}}`:                                             "Google's models",
		`{"` + strings.Repeat("n", 65) + `": ` + there + `}}`:                    "at most 64",
		`{"mine": ` + there + `, "aliases": "qwen"}}`:                            `the alias "qwen" is a name of alibaba-singapore`,
		`{"mine": ` + there + `, "aliases": ["groq"]}}`:                          `the alias "groq" is a name of groq`,
		`{"mine": ` + there + `, "aliases": ["a/b"]}}`:                           `the alias "a/b"`,
		`{"mine": ` + there + `, "headers": {"A B": "1"}}}`:                      `headers: "A B" is not a valid header`,
		`{"mine": ` + there + `, "headers": {"A": "x\r\nB: y"}}}`:                `headers: "A" is not a valid header`,
		`{"mine": ` + there + `, "keyHeader": "a:"}}`:                            `"a:" is not a valid header name`,
		`{"mine": {"baseUrl": "http://u:hunter2@:1/"}}`:                          `"http://***@:1/" is not a URL`,
		`{"mine": {"baseUrl": "u:hunter2@host/"}}`:                               `"***@host/" is not a URL`,
		`{"mine": ` + there + `, "local": {"port": 70000}}}`:                     "local.port",
		`{"mine": ` + there + `, "models": [{"match": "", "window": 1}]}}`:       "models[0] has no match",
		`{"mine": ` + there + `, "models": [{"match": "m", "window": -1}]}}`:     "models[0]: a number of tokens is below 0",
		`{"mine": ` + there + `, "name": "` + strings.Repeat("x", 2<<20) + `"}}`: "larger than 1 MB",
		`{"mine": {"` + strings.Repeat("x", 500_000) + `": 1}}`:                  "unknown field",
	} {
		table, errs := add(t, own)
		if !strings.Contains(errs, want) || strings.Contains(errs, "hunter2") || len(errs) > 300 {
			t.Errorf("%.60s: %.400s, want %s", own, errs, want)
		}
		if table.Find("mine") != nil {
			t.Errorf("%.60s was added", own)
		}
	}
}

// TestAliasChanges checks that an entry named like an alias changes the provider with that
// alias, and that the user's own aliases find their providers.
func TestAliasChanges(t *testing.T) {
	t.Parallel()
	table, errs := add(t, `{"claude": {"model": "mine"}, "own": {"baseUrl": "http://h", "aliases": ["o", "p"], "keyless": true}, "p": {"model": "m"}}`)
	if errs != "" {
		t.Fatal(errs)
	}
	if p := table.Find("anthropic"); p.Model != "mine" || table.Find("claude") != p {
		t.Errorf("anthropic is %+v", p)
	}
	if p := table.Find("o"); p == nil || p.ID != "own" || p.Model != "m" {
		t.Errorf("o is %+v", p)
	}
	n := 0
	for range table.All() {
		n++
	}
	for range Builtin().All() {
		n--
	}
	if n != 1 {
		t.Errorf("there are %d more providers", n)
	}
}

// TestTableIsShared reads a table from several goroutines.
func TestTableIsShared(t *testing.T) {
	t.Parallel()
	table, _ := add(t, `{"own": {"baseUrl": "http://h", "keyless": true}, "xai": {"model": "m"}}`)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if table.Find("together") == nil || table.Find("own") == nil || table.Find("unknown") != nil {
				t.Error("not found")
			}
			if p := table.FindByAddress("https://api.x.ai/v1"); p == nil || p.Model != "m" {
				t.Errorf("api.x.ai is %+v", p)
			}
			last := ""
			for p := range table.All() {
				last = p.ID
			}
			if last != "own" {
				t.Errorf("the last is %s", last)
			}
		})
	}
	all.Wait()
}

// TestOwnElsewhere checks that the user's entries apply at any address, and that the
// vendor's own models and quirks apply at the vendor's only.
func TestOwnElsewhere(t *testing.T) {
	t.Parallel()
	const own = `{"openai": {"smallModel": "little", "quirks": {"systemRole": "user", "extra": {"a": 1}}, "models": [{"match": "gpt-5*", "window": 9000}]}}`
	for _, c := range []struct {
		name    string
		entries []string
		env     map[string]string

		base, model, small, role string
		protocol                 Protocol
		window                   int
	}{
		{
			"at the vendor",
			[]string{own},
			nil,
			"https://api.openai.com/v1", "gpt-5.6-sol", "little", "user", Responses, 9000,
		},
		{
			"the address of a variable",
			[]string{own},
			map[string]string{"OPENAI_BASE_URL": "http://h/v1"},
			"http://h/v1", "", "little", "user", Chat, 9000,
		},
		{
			"the model of a variable",
			[]string{own},
			map[string]string{"OPENAI_BASE_URL": "http://h/v1", "OPENAI_MODEL": "m"},
			"http://h/v1", "m", "little", "user", Chat, 9000,
		},
		{
			"the model of an entry",
			[]string{own, `{"openai": {"model": "mine"}}`},
			map[string]string{"OPENAI_BASE_URL": "http://h/v1"},
			"http://h/v1", "mine", "little", "user", Chat, 9000,
		},
		{
			"an address of an entry",
			[]string{own, `{"openai": {"baseUrl": "http://own"}}`},
			map[string]string{"OPENAI_BASE_URL": "http://h/v1"},
			"http://own", "", "little", "user", Chat, 9000,
		},
		{
			"an address and its variable",
			[]string{own, `{"openai": {"baseUrl": "http://own", "baseUrlVars": "U"}}`},
			map[string]string{"U": "http://h", "OPENAI_BASE_URL": "http://other"},
			"http://h", "", "little", "user", Chat, 9000,
		},
		{
			"no entry", nil,
			map[string]string{"OPENAI_BASE_URL": "http://h/v1"},
			"http://h/v1", "", "", "", Chat, 400_000,
		},
	} {
		table, errs := add(t, c.entries...)
		if errs != "" {
			t.Fatal(errs)
		}
		a, _ := table.Find("openai").Access(func(name string) string { return c.env[name] })
		q, err := decodeQuirks[openai.Quirks](a.Profile, a.rules("gpt-5"))
		if err != nil {
			t.Fatal(err)
		}
		if a.BaseURL != c.base || a.Model != c.model || a.SmallModel != c.small || q.SystemRole != c.role ||
			a.ProtocolFor("gpt-5") != c.protocol || a.Profile.Describe("gpt-5", catalog.Model{}).Input != c.window {
			t.Errorf("%s: at %s %q, %q, role %q, %s, window %d", c.name, a.BaseURL, a.Model, a.SmallModel, q.SystemRole,
				a.ProtocolFor("gpt-5"), a.Profile.Describe("gpt-5", catalog.Model{}).Input)
		}
	}
}

// TestNullQuirks checks that quirks which are null change nothing, in whichever layer they are.
func TestNullQuirks(t *testing.T) {
	t.Parallel()
	const some, null = `{"mine": {"baseUrl": "http://x/v1", "quirks": {"systemRole": "user"}}}`, `{"mine": {"baseUrl": "http://x/v1", "quirks": null}}`
	for _, layers := range [][]string{{null, some}, {some, null}, {null, some, null}, {null, null, some}} {
		table, errs := add(t, layers...)
		if errs != "" {
			t.Errorf("%s: %s", layers, errs)
		}
		if q, err := decodeQuirks[openai.Quirks](table.Find("mine"), nil); err != nil || q.SystemRole != "user" {
			t.Errorf("%s: %+v, %v", layers, q, err)
		}
	}
	table, errs := add(t, null, null)
	if q, err := decodeQuirks[openai.Quirks](table.Find("mine"), nil); errs != "" || err != nil {
		t.Errorf("%+v, %s, %v", q, errs, err)
	}
}

// TestGeminiEndpoint checks the order of the variables for the address of the Gemini API.
func TestGeminiEndpoint(t *testing.T) {
	t.Parallel()
	env := map[string]string{"GEMINI_API_KEY": "k", "GEMINI_API_ENDPOINT": "https://one.example"}
	for want, variable := range map[string]string{"https://one.example": "GEMINI_API_ENDPOINT", "https://two.example": "GOOGLE_GEMINI_BASE_URL"} {
		env := maps.Clone(env)
		env[variable] = want
		a, found := Builtin().Find("gemini").Access(func(name string) string { return env[name] })
		if !found || a.BaseURL != want || a.AddressVar != variable || a.APIKey != "k" {
			t.Errorf("%s: %q from %s", variable, a.BaseURL, a.AddressVar)
		}
	}
}
