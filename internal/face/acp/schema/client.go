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
