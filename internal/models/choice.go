package models

import (
	"fmt"

	"pollux/internal/person"
	"pollux/tool"
)

// MaxChoices is how many models of a server a question lists. The person can name others.
const MaxChoices = 40

// More returns a line about the models that a question does not list, "" if it lists all.
func More(total int) string {
	if total <= MaxChoices {
		return ""
	}
	return fmt.Sprintf("These are the first %d of %d: 'pollux models' lists all.\n", MaxChoices, total)
}

// Choice returns the question which model to use.
func (e *UnchosenError) Choice() person.Choice {
	c := person.Choice{
		Header: "Model", Text: e.Problem + "\n" + More(len(e.Names)) + "Which one do you want to use?", Free: "a model's name",
		Help: "Type the number of a model, or the name of any other.\nTo list all models: pollux models",
	}
	for _, name := range e.Names[:min(len(e.Names), MaxChoices)] {
		c.Options = append(c.Options, tool.Option{Label: name})
	}
	if len(e.Names) == 0 {
		c.Text, c.Help = e.Problem+"\nType the name of the model that you want to use.", ""
	}
	return c
}
