package foreign

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/transfer"
	"pollux/llm/provider"
)

const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"

// read returns the report about the providers in a file, in lines, and the entries by name.
func read(t *testing.T, agent, text string, there map[string]any) (report string, entries map[string]map[string]any, model string) {
	t.Helper()
	a := Agents(agent)
	var tree map[string]any
	var err error
	if agent == "codex" {
		tree, err = transfer.ParseTOML([]byte(text))
	} else {
		tree, err = config.ParseObject([]byte(text))
	}
	if err != nil {
		t.Fatal(err)
	}
	if there == nil {
		there = map[string]any{}
	}
	list, model := a.Providers([]transfer.File{{Object: tree}}, there)
	var lines []string
	entries = map[string]map[string]any{}
	for _, p := range list {
		line := string(p.Result) + " " + p.Name
		if p.Detail != "" {
			line += ": " + p.Detail
		}
		if len(p.Notes) > 0 {
			line += " (" + strings.Join(p.Notes, "; ") + ")"
		}
		lines = append(lines, line)
		if p.Entry != nil {
			entries[p.ID] = p.Entry
		}
	}
	return strings.Join(lines, "\n"), entries, model
}

// TestProviders checks the reports and the entries for providers of each agent.
func TestProviders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, agent, file, report, entries, model string }{
		{
			"codex", "codex", `
model = "big"
model_provider = "w"
[model_providers.w]
name = "Work"
base_url = "https://w.example/v1"
env_key = "W_KEY"
wire_api = "chat"
env_key_instructions = "Ask"
http_headers = {X-A = "b"}
env_http_headers = {X-B = "BEE", X-C = "not a name"}
stream_idle_timeout_ms = 1500
stream_max_retries = 3
`, `changed w: https://w.example/v1, key: W_KEY, headers: X-A X-B (without env_http_headers.X-C, which is not the name of a variable; without stream_max_retries)`,
			`{"w":{"baseUrl":"https://w.example/v1","headers":{"X-A":"b","X-B":"${BEE}"},"idleTimeout":1.5,"keyVars":["W_KEY"],"model":"big","name":"Work","protocol":"openai"}}`, "w/big",
		},
		{
			"codex without a key", "codex", "[model_providers.l]\nbase_url = 'http://127.0.0.1:9/v1'\nwire_api = 'responses'\nquery_params = {a = 'b', n = 5}",
			"changed l: http://127.0.0.1:9/v1?a=b (without query_params.n, which is not a plain text)",
			`{"l":{"baseUrl":"http://127.0.0.1:9/v1?a=b","keyless":true,"protocol":"openai-responses"}}`, "",
		},
		{
			"codex keys", "codex", "[model_providers.a]\nbase_url = 'https://a.example'\nwire_api = 'chat'\nexperimental_bearer_token = '" + key + "'\nhttp_headers = {Authorization = 'Bearer " + key + "', X-Api-Key = 'secret-value-1'}",
			"changed a: https://a.example, key: A_API_KEY, headers: Authorization X-Api-Key (experimental_bearer_token is a key, which is not copied: set the variable A_API_KEY; http_headers.Authorization is a key, which is not copied: set the variable A_AUTHORIZATION; http_headers.X-Api-Key is a key, which is not copied: set the variable A_X_API_KEY)",
			`{"a":{"baseUrl":"https://a.example","headers":{"Authorization":"Bearer ${A_AUTHORIZATION}","X-Api-Key":"${A_X_API_KEY}"},"keyVars":["A_API_KEY"],"protocol":"openai"}}`, "",
		},
		{
			"codex refused", "codex", "[model_providers.a]\nbase_url = 'https://u:p@a.example'\nwire_api = 'chat'\n[model_providers.b]\nbase_url = 'https://b.example/$X'\nwire_api = 'chat'\n[model_providers.c]\nbase_url = 'https://c.example'\nwire_api = 'grpc'\n[model_providers.d]\nbase_url = 'ftp://d'\nwire_api = 'chat'\n[model_providers.e]\nname = 'x'\n[model_providers.'f/g']\nbase_url = 'https://f.example'\nwire_api = 'chat'\n[model_providers.h]\nbase_url = 'https://h.example'\nwire_api = 'chat'\nenv_key = 'not a name'\n[model_providers.i]\nbase_url = 'https://i.example'\nwire_api = 'chat'\nquery_params = {key = 'abcdef123456'}",
			"left out a (its address has a key: write it as modelProviders, with a variable in place of the key, see /docs models)\n" +
				"left out b (its base_url: it has a $ that Pollux would read as a variable)\nleft out c (Pollux does not know its wire_api grpc)\n" +
				"left out d (the baseUrl \"ftp://d\" is not a URL; write https://host/path)\nleft out e (it has no address: Codex has it in a list of its own)\n" +
				"left out f/g (a name has at most 64 characters, without slashes and spaces)\nleft out h (its env_key is not the name of a variable)\n" +
				"left out i (query_params.key is a key: write it as modelProviders, see /docs models)",
			`{}`, "",
		},
		{
			"codex program", "codex", "[model_providers.a]\nbase_url = 'https://a.example'\nwire_api = 'chat'\nauth = {command = 'pass'}",
			"changed a: https://a.example, key: A_API_KEY (without auth, which runs a program: set the variable A_API_KEY)",
			`{"a":{"baseUrl":"https://a.example","keyVars":["A_API_KEY"],"protocol":"openai"}}`, "",
		},
		{"codex model of OpenAI", "codex", "model = 'gpt-9'", "", `{}`, "openai/gpt-9"},
		{"codex odd model", "codex", "model = 'x; rm -rf ~'", "", `{}`, ""},
		{
			"names of Pollux", "opencode", `{"model": "openai/x", "provider": {"openai": {"npm": "@ai-sdk/openai", "options": {"baseURL": "https://proxy.example/v1", "apiKey": "{env:PROXY_KEY}"}}, "gateway": {"options": {"baseURL": "https://g.example", "apiKey": "{env:G}"}}}}`,
			"changed gateway: https://g.example, key: G (it is called opencode-gateway, because Pollux has another provider with its name)\n" +
				"changed openai: https://proxy.example/v1, key: PROXY_KEY (it is called opencode-openai, because Pollux has another provider with its name)",
			`{"opencode-gateway":{"baseUrl":"https://g.example","keyVars":["G"],"protocol":"openai"},"opencode-openai":{"baseUrl":"https://proxy.example/v1","keyVars":["PROXY_KEY"],"model":"x","protocol":"openai-responses"}}`, "opencode-openai/x",
		},
		{
			"opencode", "opencode", `{"small_model": "o/tiny", "provider": {"o": {"name": "O", "npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "https://o.example/v1", "headers": {"X-A": "{env:A}", "X-F": "{file:~/x}"}, "timeout": 5, "headerTimeout": 2000, "chunkTimeout": 3000},
				"models": {"a/b": {"limit": {"context": 100, "output": 10}, "cost": {"input": 1, "output": 2, "cache_read": 0.5}, "tool_call": false, "options": {"x": 1}}, "alias": {"id": "real"}}, "whitelist": ["a/b"]}}}`,
			"changed o: https://o.example/v1, key: O_API_KEY, headers: X-A, models: a/b real (without options.headers.X-F, which is not a plain text; without options.timeout; it has no key: set the variable O_API_KEY; without options of its model a/b; its model alias is called real; without whitelist)",
			`{"o":{"baseUrl":"https://o.example/v1","headers":{"X-A":"${A}"},"idleTimeout":3,"keyVars":["O_API_KEY"],"models":[{"match":"a/b","maxOutput":10,"price":{"cacheRead":0.5,"input":1,"output":2},"tools":false,"window":100}],"name":"O","protocol":"openai","router":true,"smallModel":"tiny","startTimeout":2}}`, "",
		},
		{
			"opencode files and packages", "opencode", `{"provider": {"f": {"options": {"baseURL": "https://f.example", "apiKey": "{file:~/key}"}}, "p": {"npm": "@x/y", "options": {"baseURL": "https://p.example"}}, "deepseek": {"options": {"apiKey": "` + key + `"}}, "l": {"options": {"baseURL": "http://localhost:11434/v1"}}, "m": {"options": {"baseURL": "http://localhost:77/v1"}}}}`,
			"present deepseek (Pollux has it as deepseek: set DEEPSEEK_API_KEY, or run pollux auth set deepseek)\n" +
				"changed f: https://f.example, key: F_API_KEY (options.apiKey is not copied, because it is in a file: set the variable F_API_KEY)\n" +
				"present l (Pollux has it as ollama: set OLLAMA_API_KEY, or run pollux auth set ollama)\ncopied m: http://localhost:77/v1\nleft out p (Pollux does not know the protocol of its package)",
			`{"f":{"baseUrl":"https://f.example","keyVars":["F_API_KEY"],"protocol":"openai"},"m":{"baseUrl":"http://localhost:77/v1","keyless":true,"protocol":"openai"}}`, "",
		},
		{
			"qwen", "qwen", `{"model": {"name": "m2"}, "modelProviders": {"openai": [{"id": "m1", "name": "M1", "baseUrl": "https://api.q.example/v1", "envKey": "Q", "generationConfig": {"contextWindowSize": 5, "modalities": {"image": true}}}, {"id": "m2", "baseUrl": "https://api.q.example/v1", "envKey": "Q", "generationConfig": {"timeout": 1}}, {"id": "m3", "baseUrl": "https://api.q.example/v1", "envKey": "Q2"}, {"baseUrl": "https://n.example", "envKey": "N"}],
				"anthropic": [{"id": "c", "envKey": "ANTHROPIC_API_KEY"}], "odd": [], "gemini": [{"id": "g", "envKey": "GEMINI_API_KEY", "baseUrl": "https://generativelanguage.googleapis.com"}]}}`,
			"present anthropic (Pollux has it as anthropic: set ANTHROPIC_API_KEY, or run pollux auth set anthropic)\npresent generativelanguage.googleapis.com (Pollux has it as gemini: set GEMINI_API_KEY, or run pollux auth set gemini)\n" +
				"changed api.q.example: https://api.q.example/v1, key: Q, models: m1 m2 (without generationConfig.timeout)\ncopied api.q.example: https://api.q.example/v1, key: Q2, models: m3\nleft out n.example (it is a model without an id)\nleft out odd (Pollux has no such sign-in)",
			`{"q-example":{"baseUrl":"https://api.q.example/v1","keyVars":["Q"],"model":"m2","models":[{"images":true,"match":"m1","window":5}],"protocol":"openai"},"q-example-2":{"baseUrl":"https://api.q.example/v1","keyVars":["Q2"],"model":"m3","protocol":"openai"}}`, "q-example/m2",
		},
		{
			"known address, other key", "qwen", `{"modelProviders": {"openai": [{"id": "qwen3", "baseUrl": "https://dashscope.aliyuncs.com/compatible-mode/v1", "envKey": "DASHSCOPE_API_KEY", "generationConfig": {"extra_body": {"a": 1}}}]}}`,
			"copied dashscope.aliyuncs.com: https://dashscope.aliyuncs.com/compatible-mode/v1, key: DASHSCOPE_API_KEY, models: qwen3",
			`{"dashscope-aliyuncs-com":{"baseUrl":"https://dashscope.aliyuncs.com/compatible-mode/v1","keyVars":["DASHSCOPE_API_KEY"],"model":"qwen3","models":[{"match":"qwen3","quirks":{"extra":{"a":1}}}],"protocol":"openai","quirks":{"reasoningOut":"reasoning_content","schema":"object","thinking":"enable","topK":true}}}`, "",
		},
		{
			"crush", "crush", `{"models": {"large": {"model": "b", "provider": "c"}, "small": {"model": "s", "provider": "c"}}, "providers": {"c": {"type": "openai-compat", "base_url": "https://c.example/v1", "api_key": "$C_KEY", "extra_headers": {"X": "${V}"}, "extra_body": {"y": 1}, "system_prompt_prefix": "hi",
				"models": [{"id": "b", "cost_per_1m_in": 1, "cost_per_1m_out": 2, "cost_per_1m_in_cached": 0, "cost_per_1m_out_cached": 0.1, "context_window": 10, "default_max_tokens": 5, "can_reason": true}, {"id": "s[1]", "context_window": 7}]},
				"p": {"base_url": "https://p.example", "api_key": "$(pass)"}, "q": {"base_url": "https://$(x)"}, "off": {"disable": true}, "t": {"type": "vertex"}}}`,
			"changed c: https://c.example/v1, key: C_KEY, headers: X, models: b s[1] (without system_prompt_prefix)\nleft out off (it is disabled)\n" +
				"changed p: https://p.example, key: P_API_KEY (api_key is not copied, because it comes from a program: set the variable P_API_KEY)\nleft out q (its base_url: it comes from a program)\nleft out t (Pollux does not know its type vertex)",
			`{"c":{"baseUrl":"https://c.example/v1","headers":{"X":"${V}"},"keyVars":["C_KEY"],"model":"b","models":[{"match":"b","maxOutput":5,"price":{"cacheRead":0.1,"input":1,"output":2},"thinking":true,"window":10},{"match":"s\\[1]","window":7}],"protocol":"openai","quirks":{"extra":{"y":1}},"smallModel":"s"},"p":{"baseUrl":"https://p.example","keyVars":["P_API_KEY"],"protocol":"openai"}}`, "c/b",
		},
		{
			"variables and keys in other places", "crush", `{"providers": {"a": {"base_url": "https://a.example", "api_key": "$A", "models": [{"id": "$X"}]}, "b": {"base_url": "https://b.example", "api_key": "$B", "extra_body": {"k": "` + key + `"}}, "c": {"base_url": "https://c.example?key=abcdef1234", "api_key": "$C"}, "d": {"base_url": "https://d.example?api-version=1", "api_key": "$D"}, "e": 5}}`,
			"left out a (it has a $ that Pollux would read as a variable)\nleft out b (it has a key: write it as modelProviders, with a variable in place of the key, see /docs models)\n" +
				"left out c (its address has a key: write it as modelProviders, with a variable in place of the key, see /docs models)\ncopied d: https://d.example?api-version=1, key: D\nleft out e (it is not an object)",
			`{"d":{"baseUrl":"https://d.example?api-version=1","keyVars":["D"],"protocol":"openai"}}`, "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			report, entries, model := read(t, test.agent, test.file, nil)
			if report != test.report {
				t.Errorf("the report is\n%s\nwant\n%s", report, test.report)
			}
			if got := strings.ReplaceAll(encoded(entries), `\u0026`, "&"); got != test.entries {
				t.Errorf("the entries are\n%s\nwant\n%s", got, test.entries)
			}
			if model != test.model {
				t.Errorf("the model is %q, want %q", model, test.model)
			}
			if strings.Contains(report+encoded(entries), key) {
				t.Error("the key is there")
			}
			for id, entry := range entries { // a second time
				report, again, _ := read(t, test.agent, test.file, map[string]any{id: entry})
				if encoded(again) != encoded(entries) || !strings.Contains(report, "present ") {
					t.Errorf("the second time: %s", report)
				}
				report, _, _ = read(t, test.agent, test.file, map[string]any{id: map[string]any{}})
				if !strings.Contains(report, "(your settings have another provider with this name)") {
					t.Errorf("another provider is replaced: %s", report)
				}
			}
		})
	}
}

// FuzzProviders checks that no file makes a translation panic, and that its copy is an entry that Pollux takes, without keys,
// programs and contents of files.
func FuzzProviders(f *testing.F) {
	f.Add("codex", `{"model_providers": {"a": {"base_url": "https://a.example", "query_params": {"k": "v"}, "http_headers": {"Authorization": "`+key+`"}, "env_http_headers": 5, "stream_idle_timeout_ms": 1e308}}}`)
	f.Add("opencode", `{"model": "a/b", "provider": {"a": {"npm": 5, "options": {"baseURL": "{env:A}/{file:x}", "apiKey": "`+key+`", "headers": []}, "models": {"b": {"limit": 5, "cost": {"input": -1}}}}}}`)
	f.Add("qwen", `{"modelProviders": {"openai": [{"id": "a*", "baseUrl": "https://a.example", "envKey": "`+key+`"}, 5], "gemini": {}}}`)
	f.Add("crush", `{"providers": {"a": {"base_url": "$(x)", "api_key": "`+"`x`"+`", "extra_body": {"k": "`+key+`"}, "models": [5, {"id": "x"}]}}}`)
	f.Fuzz(func(t *testing.T, agent, text string) {
		a := Agents(agent)
		tree, err := config.ParseObject([]byte(text))
		if a == nil || err != nil {
			return
		}
		before := encoded(tree)
		list, model := a.Providers([]transfer.File{{Object: tree}}, map[string]any{})
		if encoded(tree) != before {
			t.Errorf("the file is changed: %s", before)
		}
		if strings.ContainsAny(model, " ;&|$`\n\"'") {
			t.Errorf("the model is %q", model)
		}
		own := map[string]json.RawMessage{}
		for _, p := range list {
			switch {
			case p.Result == transfer.LeftOut && len(p.Notes) != 1, p.IsWritten() != (p.Entry != nil):
				t.Fatalf("%+v", p)
			case p.Entry == nil:
				continue
			}
			data := encoded(p.Entry)
			if transfer.HasKey(data) || strings.Contains(data, "$(") || strings.Contains(data, "{file:") {
				t.Errorf("copied: %s", data)
			}
			for member := range p.Entry {
				if !slices.Contains([]string{"name", "protocol", "baseUrl", "keyVars", "keyless", "headers", "startTimeout", "idleTimeout", "model", "smallModel", "models", "quirks", "router"}, member) {
					t.Errorf("%s is copied", member)
				}
			}
			if own[p.ID] != nil {
				t.Errorf("%s is there twice", p.ID)
			}
			if !strings.Contains(p.Entry["baseUrl"].(string), "$") {
				own[p.ID] = json.RawMessage(data)
			}
		}
		for _, err := range provider.Builtin().Add(own) {
			t.Error(err)
		}
	})
}
