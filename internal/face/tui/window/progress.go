package window

import "strconv"

// Progress is the state of the progress in the task bar or the tab of a terminal.
type Progress uint8

// States of the progress.
const (
	NoProgress Progress = iota // shows none
	Advancing                  // with a percentage
	Failing                    // with a percentage
	Busy                       // without a percentage
	Paused                     // with a percentage
)

// Progress returns the sequence that shows the progress, from 0 to 100 percent. Some terminals that do not know it show
// a notification instead: write it only to a terminal that is known to take it.
func (t Terminal) Progress(state Progress, percent int) string {
	text := "9;4;" + strconv.Itoa(int(state))
	if state != NoProgress && state != Busy {
		text += ";" + strconv.Itoa(max(0, min(percent, 100)))
	}
	return t.through(osc(text))
}
