package slash

import (
	"context"

	"pollux/internal/person"
	"pollux/tool"
)

// choose asks the user to pick one of the options, and returns the label of the option. If
// free is set, it also accepts other text, which free names. See [session.Choose].
func (s *Runner) choose(ctx context.Context, header, text, free string, options ...tool.Option) (string, error) {
	return person.Choose(ctx, s.Session.Project.Options.Asker, person.Choice{Header: header, Text: text, Free: free, Options: options})
}

// confirm asks the user a yes-or-no question, and reports whether the answer is yes.
func (s *Runner) confirm(ctx context.Context, header, question string) (bool, error) {
	return person.Confirm(ctx, s.Session.Project.Options.Asker, header, question)
}
