package kit

import (
	"fmt"
	"time"
)

// besidePatience is how long a command beside the work runs before faces show it: most of them are done at once.
const besidePatience = 300 * time.Millisecond

// Text returns the command with the time that it has taken, "" while it may be done at once.
func (c BesideCommand) Text(now time.Time) string {
	took := now.Sub(c.Began)
	if took < besidePatience {
		return ""
	}
	return fmt.Sprintf("%s (%s)", c.Line, took.Truncate(time.Second))
}
