// Package skills describes the skills of a session as items of an inventory.
package skills

import (
	"cmp"
	"slices"

	"pollux/internal/face/tui/pane/inventory"
	"pollux/internal/skill"
)

// List returns skills, those that come with Pollux last. display returns a path as people read it. hasWorkspace reports
// whether the project has settings of its own.
func List(all []skill.Skill, display func(path string) string, hasWorkspace bool) (l inventory.Listing) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b skill.Skill) int {
		order := map[bool]int{true: 1}
		return cmp.Or(order[a.IsBuiltin()]-order[b.IsBuiltin()], cmp.Compare(a.Name, b.Name))
	})
	for i := range all {
		k := &all[i]
		it := inventory.Item{Name: k.FullName(), State: "enabled", About: []string{k.Description}}
		if k.IsDisabled {
			it.State = "disabled"
			it.Actions = append(it.Actions, inventory.Run("Enable", "/skills enable", k.Name))
		} else {
			it.Actions = append(it.Actions, inventory.Run("Disable", "/skills disable", k.Name))
			if hasWorkspace {
				a := inventory.Run("Disable in all projects", "/skills disable", k.Name)
				a.Command += " --scope user"
				it.Actions = append(it.Actions, a)
			}
		}
		if k.IsBuiltin() {
			it.State += ", part of Pollux"
		} else {
			it.About = append(it.About, "File: "+display(k.Path))
		}
		it.Actions = append(it.Actions, inventory.Action{Label: "Read all skills again", Command: "/skills reload"})
		l.Items = append(l.Items, it)
	}
	return l
}
