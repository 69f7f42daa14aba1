package footers

import (
	"cmp"
	"time"

	"pollux/internal/face/tui/footer"
)

// sample returns the values of a session with made-up ones in place of those that are not known, so that the preview shows each
// chosen item.
func sample(v footer.Values) footer.Values {
	v.Workspace, v.Branch, v.Sandbox = cmp.Or(v.Workspace, "~/project"), cmp.Or(v.Branch, "main"), cmp.Or(v.Sandbox, "no sandbox")
	v.Model, v.Session, v.Host = cmp.Or(v.Model, "gemini-2.5-pro"), cmp.Or(v.Session, "769992f9"), cmp.Or(v.Host, "host")
	v.Auth, v.Command = cmp.Or(v.Auth, "API key"), cmp.Or(v.Command, "output of the command")
	v.Memory, v.Tokens = cmp.Or(v.Memory, 124<<20), cmp.Or(v.Tokens, 1500)
	v.TurnTime = cmp.Or(v.TurnTime, 12*time.Second)
	if !v.HasContext {
		v.HasContext, v.Context = true, 0.25
	}
	if !v.HasQuota {
		v.HasQuota, v.Quota = true, 0.1
	}
	if v.Added == 0 && v.Removed == 0 {
		v.Added, v.Removed = 12, 4
	}
	if !v.HasCost {
		v.HasCost, v.Cost = true, 0.12
	}
	v.Mode, v.Errors = "", 0
	return v
}
