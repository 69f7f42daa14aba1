package headless

import (
	"errors"

	"pollux/internal/exit"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
)

// RenderError renders an error that no face has shown, as [RenderFailure] renders that of a run. isForPeople prints a line
// for people to Err in every format. The code of a provider's response is its HTTP status.
func RenderError(o Options, err error, isForPeople bool) {
	f := newFace(o)
	kind, message := exit.TypeOf(err), terminal.Brief(wording.Summary(err))
	x := explanation{
		line: terminal.Brief(wording.Error(err)), isFatal: true, alwaysLine: isForPeople, code: int(exit.CodeOf(err)),
		kind: kind, message: message, streamKind: kind, streamMessage: message,
	}
	var api *llm.Error
	if errors.As(err, &api) {
		x.message, x.details = terminal.Brief(api.Error()), api.Body
		if api.Status != 0 {
			x.code = api.Status
		}
	}
	f.enc.early(x)
	_ = f.out.close() // there is no other place to report it
}
