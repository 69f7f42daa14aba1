package schema

// PermissionRequest are the parameters of [RequestPermission].
type PermissionRequest struct {
	SessionID string       `json:"sessionId"`
	Call      Call         `json:"toolCall"`
	Options   []Permission `json:"options"`
}

// Permission is a possible answer of the person.
type Permission struct {
	ID   string         `json:"optionId"`
	Name string         `json:"name"`
	Kind PermissionKind `json:"kind"`
}

// PermissionKind is the kind of an answer.
type PermissionKind string

// The kinds of answers. There are no others.
const (
	AllowOnce    PermissionKind = "allow_once"
	AllowAlways  PermissionKind = "allow_always"
	RejectOnce   PermissionKind = "reject_once"
	RejectAlways PermissionKind = "reject_always"
)

// PermissionResponse is the result of [RequestPermission]. Outcome is "selected" or "cancelled".
type PermissionResponse struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
	} `json:"outcome"`
}

// ReadRequest are the parameters of [ReadTextFile].
type ReadRequest struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
}

// ReadResponse is the result of [ReadTextFile].
type ReadResponse struct {
	Content *string `json:"content"`
}

// WriteRequest are the parameters of [WriteTextFile].
type WriteRequest struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
	Content   string `json:"content"`
}

// CreateRequest are the parameters of [CreateTerminal]. Limit is the number of bytes of output to keep, the last ones.
type CreateRequest struct {
	SessionID string   `json:"sessionId"`
	Command   string   `json:"command"`
	Args      []string `json:"args"`
	Env       []Pair   `json:"env"`
	Dir       string   `json:"cwd"`
	Limit     int      `json:"outputByteLimit"`
}

// CreateResponse is the result of [CreateTerminal].
type CreateResponse struct {
	TerminalID string `json:"terminalId"`
}

// OfTerminal are the parameters of the other requests about a terminal.
type OfTerminal struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
}

// OutputResponse is the result of [TerminalOutput].
type OutputResponse struct {
	Output    string `json:"output"`
	Truncated bool   `json:"truncated"`
}

// ExitResponse is the result of [WaitForExit].
type ExitResponse struct {
	Code   *int   `json:"exitCode"`
	Signal string `json:"signal"`
}

// ElicitRequest are the parameters of [Elicit]. Its mode is "form", with a schema, or "url", with the address of a page and an id
// for [ElicitationDone].
type ElicitRequest struct {
	SessionID string `json:"sessionId"`
	CallID    string `json:"toolCallId,omitempty"`
	Mode      string `json:"mode"`
	Message   string `json:"message"`
	Schema    *Form  `json:"requestedSchema,omitempty"`
	ID        string `json:"elicitationId,omitempty"`
	URL       string `json:"url,omitempty"`
}

// Form describes the fields of a form, as JSON Schema does. Its type is "object".
type Form struct {
	Type       string           `json:"type"`
	Properties map[string]Field `json:"properties"`
	Required   []string         `json:"required,omitempty"`
}

// Field is a field of a form: a text, one of some choices, or a list of them.
type Field struct {
	Type        string   `json:"type"` // "string", or "array" with Items
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	OneOf       []Choice `json:"oneOf,omitempty"`
	Items       *Choices `json:"items,omitempty"`
}

// Choices are the choices of a field that takes several.
type Choices struct {
	AnyOf []Choice `json:"anyOf"`
}

// Choice is a choice of a field.
type Choice struct {
	Const       string `json:"const"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
}

// ElicitResponse is the result of [Elicit]. Action is "accept", "decline" or "cancel".
type ElicitResponse struct {
	Action  string         `json:"action"`
	Content map[string]any `json:"content"`
}

// ElicitationID are the parameters of [ElicitationDone].
type ElicitationID struct {
	ID string `json:"elicitationId"`
}
