package record

import "context"

// AddTitle is the work that [Titler.Start] begins.
func (t *Titler) AddTitle(ctx context.Context) { t.addTitle(ctx) }
