package slash

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/manage"
)

// owned is a command that is not in the table, with its owner.
type owned struct {
	*manage.Command
	prefix string // of its name, where another command has this name: "user."
	owner  string // for people: "user command"
	file   string // of a custom command, else ""
}

// settleNames gives each command a name of its own. A name of the table belongs to the table, and one that
// several commands have belongs to none of them: they are renamed.
func settleNames(table []*manage.Command, list []owned) (commands []owned, renamed []renaming) {
	owners := map[string]int{} // by name
	for _, c := range list {
		owners[c.Name]++
	}
	taken := func(name string) bool {
		return findCommand(table, name) != nil || owners[name] > 0 || slices.ContainsFunc(commands, func(o owned) bool { return o.Name == name })
	}
	for _, o := range list {
		c, name := *o.Command, o.Name
		if findCommand(table, name) != nil || owners[name] > 1 {
			c.Name = o.prefix + name
			for n := 1; taken(c.Name); n++ {
				c.Name = o.prefix + name + strconv.Itoa(n)
			}
			renamed = append(renamed, renaming{o.owner, name, c.Name})
		}
		o.Command = &c
		commands = append(commands, o)
	}
	return commands, renamed
}

// renaming is a command that has another name than its owner gave it.
type renaming struct{ owner, from, to string }

// describeRenamings returns a notice for each name that has not gone to the commands that claim it.
func describeRenamings(list []renaming) (notices []string) {
	lines := map[string][]string{} // by name
	for _, r := range list {
		line := fmt.Sprintf("%s '/%s' was renamed to '/%s'", strings.ToUpper(r.owner[:1])+r.owner[1:], r.from, r.to)
		lines[r.from] = append(lines[r.from], line)
	}
	for _, r := range list {
		switch same := lines[r.from]; len(same) {
		case 0: // described
		case 1: // a command that is alone keeps its name, unless the table has it
			notices = append(notices, same[0]+" because it conflicts with built-in command.")
		default:
			notices = append(notices, fmt.Sprintf("Conflicts detected for command '/%s':\n- %s", r.from, strings.Join(same, "\n- ")))
		}
		delete(lines, r.from)
	}
	return notices
}
