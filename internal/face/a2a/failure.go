package a2a

import (
	"errors"

	"pollux/internal/a2a/protocol"
	"pollux/internal/face/a2a/schema"
	"pollux/internal/face/kit/jsonrpc"
	"pollux/internal/sandbox/container"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
)

// tooBusy is the code of errors that a client can try again later.
const tooBusy = -32000

// errClosing is the error of requests while the server ends.
var errClosing = &schema.Error{Code: tooBusy, Message: "The server ends."}

func errTooMany(most int) error {
	return schema.Errorf(tooBusy, "The server has %d tasks, and all of them work. Cancel one with tasks/cancel, or try again later.", most)
}

func errBusy(most int) error {
	return schema.Errorf(tooBusy, "%d tasks work or wait for an answer, which is the limit. Cancel one with tasks/cancel, or try again later.", most)
}

func taskNotFound(id string) error {
	return schema.Errorf(protocol.TaskNotFound, "Task not found: %s", terminal.Cut(id, 100))
}

// failure returns an error as clients get it.
func failure(err error) *schema.Error {
	if known, ok := errors.AsType[*schema.Error](err); ok {
		return known
	}
	return schema.Errorf(jsonrpc.InternalError, "%s", problemText(err, wording.Place{}))
}

// problemText returns the text of an error of a session or of a request to a model. at is the place of the request.
func problemText(err error, at wording.Place) string {
	if needed, ok := errors.AsType[*container.Needed](err); ok {
		return "A task cannot move into a container, which " + needed.From + " asks for (" + needed.Name + "). Set it to true for the sandbox without containers."
	}
	text := wording.Error(err)
	if api, ok := errors.AsType[*llm.Error](err); ok {
		text = wording.Failure(api, at)
	}
	return terminal.Brief(terminal.Text(text))
}
