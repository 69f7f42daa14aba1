package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRunning checks the reports of hooks that run: those that run one after the other with their position, others together, and
// none when all have ended, also after a failure.
func TestRunning(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		isSequential bool
		want         []string
	}{
		"one after the other": {true, []string{"a 1/2 true", "", "b 2/2 false", ""}},
		"together":            {false, []string{"a 1/1 true, b 1/1 false"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reports []string
			both := make(chan struct{}) // closed when both run
			run := func(context.Context, json.RawMessage) (json.RawMessage, error) {
				if !tt.isSequential {
					<-both
				}
				return nil, errors.New("no")
			}
			o := Options{Hooks: []Hook{
				{Event: BeforeAgent, Name: "a", Run: run, IsSequential: tt.isSequential, Timeout: time.Minute},
				{Event: BeforeAgent, Name: "b", Run: run, IsSequential: tt.isSequential, Timeout: time.Minute, Source: Extensions},
			}}
			o.Running = func(list []Running) { // the calls are in order
				var names []string
				for _, r := range list {
					if r.Began.IsZero() {
						t.Error("no time of the beginning")
					}
					names = append(names, fmt.Sprintf("%s %d/%d %v", r.Name, r.Number, r.Count, r.IsUsers))
				}
				slices.Sort(names)
				reports = append(reports, strings.Join(names, ", "))
				if len(list) == 2 {
					close(both)
				}
			}
			st := open(t, o)
			st.BeforeAgent(t.Context(), "hi")
			if tt.isSequential && !slices.Equal(reports, tt.want) {
				t.Errorf("%q, want %q", reports, tt.want)
			}
			if last := len(reports) - 1; !tt.isSequential && (len(reports) != 4 || reports[1] != tt.want[0] || reports[last] != "") {
				t.Errorf("%q", reports)
			}
		})
	}
}
