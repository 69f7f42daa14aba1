package tool

import (
	"fmt"
	"strconv"
)

// ProgressDisplay is how far a call is. It is live output only, never a result.
type ProgressDisplay struct {
	Done    float64
	Total   float64 // 0 if it is unknown
	Message string  // "" for none
}

func (*ProgressDisplay) display() {}

// String describes the progress for people.
func (d *ProgressDisplay) String() string {
	text := strconv.FormatFloat(d.Done, 'f', -1, 64)
	if d.Total > 0 {
		text = fmt.Sprintf("%s of %s", text, strconv.FormatFloat(d.Total, 'f', -1, 64))
	}
	if d.Message != "" {
		text += ": " + d.Message
	}
	return text
}
