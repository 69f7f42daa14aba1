package tool

// Displays returns a value of each kind of [Display]. The tests of faces use it
// to find kinds that a face does not show.
func Displays() []Display {
	return []Display{
		TextDisplay(""), TerminalDisplay(""), &DiffDisplay{}, &ListDisplay{}, &MatchDisplay{}, &TodoDisplay{}, &AgentDisplay{}, &ProgressDisplay{},
	}
}

// Confirmations returns a value of each kind of [Confirmation]. The tests of
// faces use it to find kinds that a face does not ask about.
func Confirmations() []Confirmation {
	return []Confirmation{
		&EditConfirmation{}, &ExecConfirmation{}, &InfoConfirmation{}, &RemoteConfirmation{}, &QuestionConfirmation{}, &PlanConfirmation{},
	}
}
