package shellcmd

// Counted is a command that a script contains one or more times.
type Counted struct {
	Command
	Times int
}

// Distinct returns the commands of a script for a person deciding about it, each text once: first
// one command of each program, then the others, both in the order of the script. However long a
// script is, the programs that it runs are at the beginning of the list.
func (s *Script) Distinct() []Counted {
	index := map[string]int{} // in all
	programs := map[string]bool{}
	var all []Counted
	var isFirst []bool
	for _, c := range s.Commands {
		if i, ok := index[c.Text]; ok {
			all[i].Times++
			continue
		}
		index[c.Text] = len(all)
		all = append(all, Counted{c, 1})
		isFirst = append(isFirst, !programs[c.Name])
		programs[c.Name] = true
	}
	list := make([]Counted, 0, len(all))
	for _, first := range []bool{true, false} {
		for i, c := range all {
			if isFirst[i] == first {
				list = append(list, c)
			}
		}
	}
	return list
}
