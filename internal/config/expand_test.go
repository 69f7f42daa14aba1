package config

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	t.Parallel()
	env := NewEnv("A=one", "EMPTY=", "NEST=$A", "B_2=two")
	for text, want := range map[string]string{
		"":                      "",
		"plain":                 "plain",
		"$A":                    "one",
		"${A}":                  "one",
		"x$A-y":                 "xone-y",
		"$A$B_2":                "onetwo",
		"${A:-no}":              "one",
		"${NONE:-yes}":          "yes",
		"${NONE:-}":             "",
		"${NONE:-a $A b}":       "a $A b",
		"${EMPTY:-no}":          "",
		"$EMPTY|":               "|",
		"$NONE":                 "$NONE",
		"${NONE}":               "${NONE}",
		"$NEST":                 "$A",
		"$":                     "$",
		"$$A":                   "$one",
		"${":                    "${",
		"${A":                   "${A",
		"${}":                   "${}",
		"${A:-":                 "${A:-",
		"${A-x}":                "${A-x}",
		"$(A)":                  "$(A)",
		"5$ and $é":             "5$ and $é",
		"$GEMINI_PROJECT_DIR/x": "$GEMINI_PROJECT_DIR/x",
	} {
		if got := expand(text, env.Lookup); got != want {
			t.Errorf("expand(%q) = %q, want %q", text, got, want)
		}
	}
}

// A small text cannot grow without a bound.
func TestExpandIsBounded(t *testing.T) {
	t.Parallel()
	env := NewEnv("A=" + strings.Repeat("x", 1<<20))
	text := strings.Repeat("$A", 1000)
	if got := expand(text, env.Lookup); len(got) > maxInserted+len(text) {
		t.Errorf("%d bytes became %d", len(text), len(got))
	}
	p := newPlace(t, "A="+strings.Repeat("x", 1<<10))
	write(t, filepath.Join(p.home, ".gemini", "settings.json"), `{"telemetry": {"outfile": "`+strings.Repeat("$A", 2000)+`"}}`)
	s, warnings := p.mustLoad(t)
	v, _ := s.Lookup("telemetry.outfile")
	if got, _ := v.(string); len(got) > maxInserted+4000 || len(warnings) != 1 || !strings.Contains(string(warnings[0]), "expand to more than 1 MB") {
		t.Errorf("%d bytes, warnings %q", len(got), warnings)
	}
}

// A variable is looked up once, and searched for secrets once, however often it is named.
func TestExpandLooksUpOnce(t *testing.T) {
	t.Parallel()
	looked, searched := 0, 0
	e := NewExpander(nil, func(string) (string, bool) { looked++; return "x", true })
	e.withholds = func(name, _ string) bool { searched++; return name == "B" }
	if got := e.Text(strings.Repeat("$A$B", 1000)); got != strings.Repeat("x$B", 1000) {
		t.Errorf("%d bytes: %.20s", len(got), got)
	}
	if looked != 2 || searched != 2 || len(e.withheld) != 1 {
		t.Errorf("looked up %d times, searched %d times, withheld %q", looked, searched, e.withheld)
	}
}

func TestExpandedFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "DIR=/d", "KEY=k")
	p.user(t, `{"context": {"includeDirectories": ["$DIR/a", "${NONE:-b}"]},
		"mcpServers": {"x": {"command": "$DIR/s", "env": {"K": "$KEY"}}}, "hooks": {"$KEY": [{"command": "$DIR"}]}}`)
	s, _ := p.mustLoad(t)
	if got := strings.Join(IncludeDirectories.In(s), " "); got != "/d/a b" {
		t.Errorf("includeDirectories is %q", got)
	}
	if v, _ := s.Lookup("mcpServers.x.command"); v != "$DIR/s" {
		t.Errorf("the servers of MCP are expanded too early: %v", v)
	}
	if v, ok := s.Lookup("hooks.$KEY"); !ok {
		t.Errorf("keys are expanded: %v", v)
	}
}

func FuzzExpand(f *testing.F) {
	for _, seed := range []string{"$A", "${A:-x}", "$$", "${", "a${A}b$C", "${A:-${B}}", "${0:-$0"} {
		f.Add(seed)
	}
	none := func(string) (string, bool) { return "", false }
	name := func(n string) (string, bool) { return "<" + n + ">", true }
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.Contains(text, ":-") {
			if got := expand(text, none); got != text {
				t.Fatalf("without variables %q became %q", text, got)
			}
		}
		// With all variables set, nothing is left to do a second time.
		once := expand(text, name)
		if again := expand(once, name); again != once {
			t.Fatalf("%q became %q, then %q", text, once, again)
		}
	})
}

func expand(text string, lookup func(name string) (string, bool)) string {
	e := Expander{lookup: lookup, budget: maxInserted}
	return e.Text(text)
}

// A project's settings do not get the user's secrets, by name or by value; the user's own do.
func TestExpandSecrets(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "OPENAI_API_KEY=sk-1", "PLAIN=AIzaSy"+strings.Repeat("x", 33), "HOST=h")
	const settings = `{"telemetry": {"otlpEndpoint": "http://$HOST/$OPENAI_API_KEY/${PLAIN}/${MY_TOKEN:-none}/${OPENAI_API_KEY:-x}"}}`
	write(t, filepath.Join(p.home, ".gemini", "settings.json"), settings)
	s, warnings := p.mustLoad(t)
	v, _ := s.Lookup("telemetry.otlpEndpoint")
	if v != "http://h/sk-1/AIzaSy"+strings.Repeat("x", 33)+"/none/sk-1" || len(warnings) > 0 {
		t.Errorf("the user's settings: %v, %v", v, warnings)
	}
	write(t, filepath.Join(p.work, ".gemini", "settings.json"), settings)
	s, warnings = p.mustLoad(t)
	v, _ = s.Lookup("telemetry.otlpEndpoint")
	if v != "http://h/$OPENAI_API_KEY/${PLAIN}/none/${OPENAI_API_KEY:-x}" || len(warnings) != 1 || !strings.Contains(string(warnings[0]), "names $OPENAI_API_KEY, $PLAIN. ") {
		t.Errorf("the project's settings: %v, %v", v, warnings)
	}
}
