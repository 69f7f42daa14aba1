package shellcmd

// Counted is a command that a script contains one or more times.
type Counted struct {
	Command
	Times int
}

// Distinct returns the commands of a script for a person deciding about it, each text once: first
// one command of each program, then the others, both in the order of the script. However long a
// script is, the programs that it runs are at the beginning of the list.
func (s *Script) Distinct() []*Counted {
	known := map[string]*Counted{} // by text
	programs := map[string]bool{}
	var first, others []*Counted
	for _, c := range s.Commands {
		if same := known[c.Text]; same != nil {
			same.Times++
			continue
		}
		one := &Counted{c, 1}
		known[c.Text] = one
		if programs[c.Name] {
			others = append(others, one)
			continue
		}
		programs[c.Name] = true
		first = append(first, one)
	}
	return append(first, others...)
}
