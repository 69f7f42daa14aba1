package cli

import (
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/terminal"
)

// explain implements "config explain": it prints the value of a key, its source, and the value
// in each layer.
func (c *configActions) explain(words []string) error {
	set, _, err := c.settings()
	if err != nil {
		return err
	}
	e, err := config.Explain(set.Settings(), set.Paths, words[0])
	if err != nil {
		return err
	}
	if value := c.variable(e.Key, e.Path); value != "" {
		e.Value, e.From = value, []string{e.Key.Variable()}
	}
	if c.json {
		return c.explainJSON(e)
	}
	return c.writeExplanation(e)
}

// variable returns the value of the environment variable that overrides a key in all settings
// files, "" if there is none. The path must be that of the whole key, not of a field in it.
func (c *configActions) variable(key *config.Key, path string) string {
	if name := key.Variable(); name != "" && path == key.Path {
		return c.env.Get(name)
	}
	return ""
}

func (c *configActions) explainJSON(e *config.Explanation) error {
	layers := []layerJSON{}
	for _, l := range e.Layers {
		layers = append(layers, layerJSON{
			Scope: l.Scope.String(), File: l.File, State: l.State, Line: l.Line, Set: &l.IsSet, Value: config.MaskSecrets(e.Path, l.Value),
		})
	}
	return c.print(struct {
		Key     string      `json:"key"`
		Value   any         `json:"value"`
		From    []string    `json:"from"`
		Default any         `json:"default"`
		Type    string      `json:"type"`
		Merge   string      `json:"merge"`
		Restart bool        `json:"restart"`
		Support string      `json:"support"`
		Doc     string      `json:"doc"`
		Layers  []layerJSON `json:"layers"`
	}{
		e.Path, config.MaskSecrets(e.Path, e.Value), append([]string{}, e.From...), e.Key.Default, e.Key.Type, e.Key.DescribeMerge(),
		e.Key.Flags&config.Restart != 0, e.Key.Support.String(), e.Key.Doc, layers,
	})
}

func (c *configActions) writeExplanation(e *config.Explanation) error {
	from := "the default"
	if len(e.From) > 0 {
		from = "from " + strings.Join(e.From, " + ")
	}
	rows := [][]string{
		{e.Path, e.Key.Doc},
		{"Value", show(config.MaskSecrets(e.Path, e.Value)) + " (" + from + ")"},
	}
	if e.Path == e.Key.Path {
		rows = append(rows, []string{"Default", show(e.Key.Default)})
	}
	rows = append(
		rows,
		[]string{"Type", e.Key.DescribeType()},
		[]string{"Layers", e.Key.DescribeMerge()},
		[]string{"Support", strings.TrimSuffix(e.Key.Support.String()+": "+e.Key.Support.Explain(), ": ")},
	)
	if err := printTable(c.term, nil, rows); err != nil {
		return err
	}
	rows = nil
	for _, l := range e.Layers {
		content := l.State
		if l.IsSet {
			content = show(config.MaskSecrets(e.Path, l.Value))
		} else if l.State == "read" {
			content = "not set"
		}
		place := l.File
		if l.Line > 0 {
			place += ":" + strconv.Itoa(l.Line)
		}
		rows = append(rows, []string{"  " + l.Scope.String(), content, terminal.Visible(place)})
	}
	return printTable(c.term, nil, rows)
}
