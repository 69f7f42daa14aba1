package modelconfig

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// names are few, so that aliases meet.
var names = rapid.SampledFrom([]string{"a", "b", "c", "base", "chat-base", "gemini-2.5-pro", "flash-lite", "classifier"})

// configs draws configurations as a parser returns them: a name has the same
// kind everywhere.
var configs = rapid.Custom(func(t *rapid.T) tree {
	number := rapid.Custom(func(t *rapid.T) any {
		if rapid.Bool().Draw(t, "null") {
			return nil
		}
		return rapid.Float64Range(-2, 2).Draw(t, "number")
	})
	c := tree{}
	for _, name := range []string{"temperature", "topP", "seed"} {
		if rapid.Bool().Draw(t, name) {
			c[name] = number.Draw(t, name)
		}
	}
	if rapid.Bool().Draw(t, "thinking") {
		own := tree{}
		for _, name := range []string{"thinkingBudget", "includeThoughts"} {
			if rapid.Bool().Draw(t, name) {
				own[name] = number.Draw(t, name)
			}
		}
		c["thinkingConfig"] = own
	}
	if rapid.Bool().Draw(t, "stop") {
		c["stopSequences"] = []any{rapid.String().Draw(t, "stop")}
	}
	return c
})

// Merging may be done in any grouping, and changes nothing that it is given.
func TestMergeIsAssociative(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := configs.Draw(t, "a"), configs.Draw(t, "b"), configs.Draw(t, "c")
		before := fmt.Sprint(a, b, c)
		if left, right := merge(merge(a, b), c), merge(a, merge(b, c)); !cmp.Equal(left, right) {
			t.Fatalf("%v\n%v", left, right)
		}
		if !cmp.Equal(merge(tree{}, a), a) || !cmp.Equal(merge(a, nil), a) || !cmp.Equal(merge(a, a), a) {
			t.Fatal("nothing, or the same again, makes a difference")
		}
		if after := fmt.Sprint(a, b, c); after != before {
			t.Fatalf("it was %s and is %s", before, after)
		}
	})
}

// Whatever aliases build on, there is an answer: one of the errors, or the words
// of all of them from the one that all build on.
func TestAnyGraphOfAliases(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := map[string]*alias{}
		for range rapid.IntRange(0, 10).Draw(t, "aliases") {
			a := &alias{config: configs.Draw(t, "config")}
			if rapid.Bool().Draw(t, "extends") {
				a.extends = names.Draw(t, "extends")
			}
			if rapid.Bool().Draw(t, "model") {
				a.model = names.Draw(t, "model")
			}
			table[names.Draw(t, "name")] = a
		}
		r := New(nil, Options{Resolve: google})
		r.idle, r.aliases = false, table
		key := Key{Model: names.Draw(t, "key"), Chat: rapid.Bool().Draw(t, "chat")}
		res, err := r.Resolve(key)
		if err != nil {
			for _, text := range []string{"Alias \"", "Circular alias dependency: ", "Could not resolve a model name for alias \""} {
				if strings.HasPrefix(err.Error(), text) {
					return
				}
			}
			t.Fatal(err)
		}
		if _, ok := table[key.Model]; !ok {
			return // a bare model
		}
		want, model := tree{}, ""
		for name := key.Model; name != ""; name = table[name].extends {
			want = merge(table[name].config, want)
			if model == "" {
				model = table[name].model
			}
		}
		if model, _ = google(model); res.Model != model || !cmp.Equal(res.Config, decode(want), sameConfig) {
			t.Fatalf("got %+v, want %s %v", res, model, want)
		}
	})
}

// FuzzSettings reads any JSON as modelConfigs. Whatever it is, every question has an answer or
// one of the errors, the answer is the same each time and holds only fields that can be sent,
// and the number of warnings is small.
func FuzzSettings(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"aliases": {"a": {"extends": "b"}, "b": {"extends": "a"}}}`,
		`{"customAliases": {"chat-base": {"modelConfig": {"generateContentConfig": {"temperature": "x", "thinkingConfig": {"thinkingBudget": 1e9}}}}}}`,
		`{"overrides": [{"match": {"isRetry": true, "model": "classifier"}, "modelConfig": {"model": "m", "generateContentConfig": {"seed": 1.5, "tools": [{"googleSearch": {}}]}}}]}`,
		`{"aliases": [], "customAliases": 1, "overrides": {}, "customOverrides": [[], {"match": {}}], "modelChains": {"a": [{"model": "m", "actions": {"terminal": "silent"}}]}}`,
		`{"customAliases": {"": {"extends": "", "modelConfig": {"model": "", "generateContentConfig": null}}}}`,
	} {
		f.Add([]byte(seed), "classifier")
	}
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		if !json.Valid(data) || data[0] != '{' {
			return
		}
		s := unchecked(t, string(data))
		warnings := 0
		r := New(s, Options{Resolve: google, RunsHostedTools: always, Warn: func(w string) {
			if warnings++; strings.ContainsAny(w, "\n\r\x1b") || len(w) > 4000 {
				t.Fatalf("a warning of %d bytes: %.1000q", len(w), w)
			}
		}})
		Chains(s, nil, func(string) {})
		if warnings > mostWarnings+1 {
			t.Fatalf("%d warnings", warnings)
		}
		for _, k := range []Key{
			{Model: name},
			{Model: name, Chat: true},
			{Model: name, Chat: true, Retry: true, Scope: "x"},
			{Model: "classifier"},
			{Model: "gemini-2.5-pro", Chat: true},
		} {
			res, err := r.Resolve(k)
			if err != nil {
				continue
			}
			again, _ := r.Resolve(k)
			if res.Model == "" || !cmp.Equal(res, again, sameConfig) {
				t.Fatalf("%+v: %+v, then %+v", k, res, again)
			}
			c := res.Config
			for _, n := range []*float64{c.Temperature, c.TopP, c.TopK, c.PresencePenalty, c.FrequencyPenalty} {
				if n != nil && (math.IsNaN(*n) || math.IsInf(*n, 0)) {
					t.Fatalf("%+v: %v", k, *n)
				}
			}
			if c.MaxOutputTokens < 0 || c.CandidateCount < 0 || c.ResponseJSONSchema != nil && !json.Valid(c.ResponseJSONSchema) ||
				c.SafetySettings != nil && !json.Valid(c.SafetySettings) {
				t.Fatalf("%+v: %+v", k, c)
			}
		}
	})
}
