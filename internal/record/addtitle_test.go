package record_test

import (
	"cmp"
	"testing"

	"pollux/internal/assembly"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/record"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/gemini"
	"pollux/internal/scriptmodel/openai"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/llm"
)

// TestAddTitle checks that an earlier session of a person gets a title, and in which sessions none is asked for.
func TestAddTitle(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings string // more of the user's
		model    string // of the current session
		script   bool
		wrote    string // the model of the earlier session
		isFirst  bool   // the session is the current one
		want     string
	}{
		"a person":           {want: "Fix the heron"},
		"a script":           {script: true, want: "One"},
		"not wanted":         {settings: `, "pollux": {"sessionTitles": false}`, want: "One"},
		"the current one":    {isFirst: true, want: "One"},
		"of another vendor":  {model: "openai/gpt-5", want: "One"},
		"of the same vendor": {model: "openai/gpt-5", wrote: "openai/gpt-5", want: "Fix the heron"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := scripttest.Serve(t, "turn\n  times always\n  text Fix the heron\n", scriptmodel.Options{Wires: []scriptmodel.Wire{gemini.Wire{}, openai.Chat{}, openai.Responses{}}})
			u := projecttest.NewUser(t, "GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL="+server.URL(), "OPENAI_API_KEY=o", "OPENAI_BASE_URL="+server.URL()+"/v1")
			u.Write("~/.gemini/settings.json", `{"security": {"auth": {"selectedType": "gemini-api-key"}}`+tt.settings+`}`)
			p := u.Open(func(o *project.Options) {
				o.Folder, o.Interactive, o.Model = trust.Trusted, !tt.script, cmp.Or(tt.model, "gemini-2.5-flash")
			})
			first := open(t, p, record.Options{})
			begin(t, first, "first")
			sayWith(t, first, cmp.Or(tt.wrote, "gemini-2.5-flash"), "One", "Done.")
			sayWith(t, first, cmp.Or(tt.wrote, "gemini-2.5-flash"), "Two", "Done.")
			first.Close()
			m, err := assembly.Models(t.Context(), p, assembly.Source{}, "")
			if err != nil {
				t.Fatal(err)
			}
			r := open(t, p, record.Options{})
			begin(t, r, "second")
			say(t, r, "Three", "Done.")
			id := "second"
			if tt.isFirst {
				id = "first"
			}
			w := record.Titler{Record: r, Models: m, Generator: func() llm.Generator { return m }, ID: func() string { return id }}
			w.AddTitle(t.Context())
			if list := must(r.List(t.Context())); len(list) != 2 || list[0].Title != tt.want {
				t.Errorf("the sessions are %+v", list)
			}
		})
	}
}
