package policy

// log records how a decision comes about. A nil log records nothing.
type log struct {
	first Verdict // of the rules, before anything changes it
	steps []Step
	parts []Part
}

// Step is one change of a decision.
type Step struct {
	From, To Decision
	Why      string // a clause: "the file is a build file"
}

// Part is one command of a command line.
type Part struct {
	Command string
	Depth   int // of nested shells: 1 inside bash -c "..."
	Verdict
}

func (l *log) start(v Verdict) {
	if l != nil {
		l.first = v
	}
}

func (l *log) step(from, to Decision, why string) {
	if l != nil && from != to {
		l.steps = append(l.steps, Step{from, to, why})
	}
}

func (l *log) part(command string, depth int, v Verdict) {
	if l != nil {
		l.parts = append(l.parts, Part{command, depth, v})
	}
}
