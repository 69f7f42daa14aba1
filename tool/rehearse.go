package tool

import "context"

// Rehearsable is implemented by an [Invocation] that can find out whether it would succeed, without changing
// anything. Of several calls that are parts of one change, none runs if one would fail.
type Rehearsable interface {
	// Rehearse returns the result of the call if it would fail after the changes in draft, else nil. It adds the
	// changes of the call to draft. The call can still run.
	Rehearse(ctx context.Context, draft Draft) *Result
}

// Draft has files as the calls before one would leave them, by absolute path: nil for a file that they
// would remove. The type of the other values is that of the tool which has set them.
type Draft map[string]any
