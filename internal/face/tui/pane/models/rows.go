package models

import (
	"fmt"
	"slices"
	"strings"

	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/wording"
	"pollux/llm/catalog"
)

// auto is the name that leaves the choice between Google's models to Pollux.
const auto = "auto"

// maxName is the maximum length of a model's name, in bytes, that /model accepts.
const maxName = 300

// list returns the models to show: Auto if there is such a choice, the current model if no list has it, and the known ones.
func list(d Directory, known []catalog.Model) (all []catalog.Model) {
	now := d.Current()
	if d.IsGoogle() {
		all = append(all, catalog.Model{Name: auto})
	}
	if now.Model != "" && !contains(all, now.Model) && !contains(known, now.Model) {
		all = append(all, catalog.Model{Name: now.Model})
	}
	for _, m := range known {
		if !contains(all, m.Name) {
			all = append(all, m)
		}
	}
	return all
}

// withoutVendor returns the models of other providers than the one with this ID, whose list of models is known better.
func withoutVendor(known []catalog.Model, id string) []catalog.Model {
	isVendor := map[string]bool{}
	for m := range catalog.Models(id) {
		isVendor[m.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(known), func(m catalog.Model) bool { return isVendor[m.Name] })
}

func contains(all []catalog.Model, name string) bool {
	return slices.ContainsFunc(all, func(m catalog.Model) bool { return m.Name == name })
}

func (p *Pane) rows() []pane.Row {
	rows := make([]pane.Row, len(p.models))
	for i, m := range p.models {
		rows[i] = pane.Row{Label: label(m.Name), Detail: numbers(m)}
		if m.Name == auto && p.directory.IsGoogle() {
			rows[i].Detail = "the best model for the task"
		}
		if p.isCurrent(m.Name) {
			rows[i].Detail = strings.TrimSuffix("current, "+rows[i].Detail, ", ")
		}
		if !isTypable(m.Name) {
			rows[i].WhyNot = "its name cannot be typed"
		}
	}
	return rows
}

// isTypable reports whether /model accepts a name.
func isTypable(name string) bool {
	return len(name) <= maxName && len(strings.Fields(name)) == 1 && strings.TrimSpace(name) == name &&
		styled.Text(name) == name && !strings.HasPrefix(name, "-")
}

func label(name string) string {
	if name == auto {
		return "Auto"
	}
	return name
}

// numbers returns the size of the context window and the price of a model in short form, as far as they are known.
func numbers(m catalog.Model) string {
	var words []string
	if m.Input > 0 {
		words = append(words, wording.Tokens(m.Input))
	}
	if p := m.Price; p != nil {
		words = append(words, fmt.Sprintf("$%g/$%g", p.Input, p.Output))
	}
	return strings.Join(words, ", ")
}

func (p *Pane) isCurrent(name string) bool {
	now := p.directory.Current()
	if strings.EqualFold(now.Requested, auto) && p.directory.IsGoogle() {
		return name == auto
	}
	return name == now.Model
}
