package settings

import (
	"context"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/manage"
	"pollux/internal/manage/models"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

func explain(_ context.Context, c *manage.Call, p loaded) (o outcome.Outcome, err error) {
	e, err := config.Explain(p.project.Settings(), p.project.Paths, c.Name())
	if err != nil {
		return o, err
	}
	if value := variable(c, e.Key, e.Path); value != "" {
		e.Value, e.From = value, []string{e.Key.Variable()}
	}
	return outcome.New(tables(e)...).WithValue(value(e)), nil
}

// variable returns the value of the environment variable that overrides a key in all settings
// files, "" if there is none. The path must be that of the whole key, not of a field in it.
func variable(c *manage.Call, key *config.Key, path string) string {
	if name := key.Variable(); name != "" && path == key.Path {
		return c.Options.Env.Get(name)
	}
	return ""
}

// value returns an explanation for programs.
func value(e *config.Explanation) any {
	layers := []Layer{}
	for _, l := range e.Layers {
		layers = append(layers, Layer{
			Scope: l.Scope.String(), File: l.File, State: l.State, Line: l.Line, Set: &l.IsSet, Value: config.MaskSecrets(e.Path, l.Value),
		})
	}
	return struct {
		Key     string   `json:"key"`
		Value   any      `json:"value"`
		From    []string `json:"from"`
		Default any      `json:"default"`
		Type    string   `json:"type"`
		Merge   string   `json:"merge"`
		Restart bool     `json:"restart"`
		Support string   `json:"support"`
		Doc     string   `json:"doc"`
		Layers  []Layer  `json:"layers"`
	}{
		e.Path, config.MaskSecrets(e.Path, e.Value), append([]string{}, e.From...), e.Key.Default, e.Key.Type, e.Key.DescribeMerge(),
		e.Key.Flags&config.Restart != 0, e.Key.Support.String(), e.Key.Doc, layers,
	}
}

// tables returns an explanation for people.
func tables(e *config.Explanation) []outcome.Part {
	from := "the default"
	if len(e.From) > 0 {
		from = "from " + strings.Join(e.From, " + ")
	}
	rows := [][]string{
		{e.Path, e.Key.Doc},
		{"Value", Format(config.MaskSecrets(e.Path, e.Value)) + " (" + from + ")"},
	}
	if e.Path == e.Key.Path {
		rows = append(rows, []string{"Default", Format(e.Key.Default)})
	}
	rows = append(
		rows,
		[]string{"Type", e.Key.DescribeType()},
		[]string{"Layers", e.Key.DescribeMerge()},
		[]string{"Support", strings.TrimSuffix(e.Key.Support.String()+": "+e.Key.Support.Explain(), ": ")},
	)
	about := &outcome.Table{Rows: rows}
	rows = nil
	for _, l := range e.Layers {
		content := l.State
		if l.IsSet {
			content = Format(config.MaskSecrets(e.Path, l.Value))
		} else if l.State == "read" {
			content = "not set"
		}
		place := l.File
		if l.Line > 0 {
			place += ":" + strconv.Itoa(l.Line)
		}
		rows = append(rows, []string{"  " + l.Scope.String(), content, terminal.Visible(place)})
	}
	return []outcome.Part{about, &outcome.Table{Rows: rows}}
}

func keys(words []string, typed string) ([]string, manage.Offer) {
	words = withoutScope(words)
	var keys []string
	for _, key := range config.Keys() {
		if len(words) == 0 && strings.HasPrefix(key.Path, typed) {
			keys = append(keys, key.Path+"\t"+key.Doc)
		}
	}
	return keys, manage.Nothing
}

// withoutScope returns the words of a / command without the flag for the scope in front of them.
func withoutScope(words []string) []string {
	if len(words) > 0 && strings.HasPrefix(words[0], scopeFlag) {
		return words[1:]
	}
	return words
}

// keysAndValues completes two arguments: a key, then a value of its type.
func keysAndValues(words []string, typed string) (names []string, _ manage.Offer) {
	if words = withoutScope(words); len(words) != 1 {
		return keys(words, typed)
	}
	key, ok := config.KeyOf(words[0])
	switch {
	case !ok:
		return nil, manage.Nothing
	case key.Type == "bool":
		return []string{"true", "false"}, manage.Nothing
	case key.Path == string(config.ModelName):
		names, _ = models.Names(typed)
		return names, manage.Nothing
	case key.Path == string(config.ThemeName) && !strings.Contains(typed, "/"): // else a file
		for _, t := range builtinThemes {
			names = append(names, t.name)
		}
		return names, manage.Text
	}
	if values, ok := strings.CutPrefix(key.Type, "enum "); ok {
		return strings.Fields(values), manage.Nothing
	}
	return nil, manage.Text
}
