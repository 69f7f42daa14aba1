package a2a

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/internal/a2a/a2atest"
)

// task is a task in a state, with a message of the agent and an artifact, "" for none.
func task(state, text, artifact string) string {
	message, artifacts := "", ""
	if text != "" {
		message = `,"message":` + said(text)
	}
	if artifact != "" {
		artifacts = fmt.Sprintf(`,"artifacts":[{"artifactId":"a","name":"report","parts":[{"kind":"text","text":%q}]}]`, artifact)
	}
	return fmt.Sprintf(`{"kind":"task","id":"TASK","contextId":"CONTEXT","status":{"state":%q%s}%s}`, state, message, artifacts)
}

// patient returns an agent that is asked for its tasks without pauses.
func patient(url string) *Agent {
	a := agentOf(url)
	a.firstPause = time.Microsecond
	return a
}

// An agent without streams that answers before it is done is asked until it is done.
func TestPoll(t *testing.T) {
	t.Parallel()
	for name, o := range wires {
		if !o.NoStreams {
			continue
		}
		o.Later = true
		for _, test := range []struct {
			fault    string
			events   []string
			want     string
			asked    int
			err      string
			isEnded  bool // the agent is asked to end its task
			nextTask bool // the next call continues the task
		}{
			{events: []string{task("submitted", "", ""), task("working", "On it. ", "ha"), task("working", "On it. ", "half"), task("completed", "Done.", "whole")}, want: "On it. Done.\n\nArtifact (report):\nwhole", asked: 3},
			{events: []string{task("working", "", ""), task("input-required", "Which?", "")}, want: "Which?", asked: 1, nextTask: true},
			{events: []string{task("completed", "At once.", "")}, want: "At once."},
			{events: []string{task("unknown", "Who knows.", "")}, want: "Who knows.", nextTask: true},
			{fault: "busy", events: []string{task("working", "", ""), task("working", "", ""), task("failed", "No.", "")}, want: "No.", asked: 4},
			{fault: "down", events: []string{task("working", "On it.", ""), task("completed", "", "")}, want: "On it.", asked: maxMissed + 1, err: "503", isEnded: true},
			{fault: "lost", events: []string{task("working", "", ""), task("completed", "", "")}, asked: 1, err: "does not report its end", isEnded: true},
			{fault: "other", events: []string{task("working", "", ""), task("completed", "", "")}, asked: 1, err: "something else in place of the task", isEnded: true},
		} {
			t.Run(name+" "+test.fault, func(t *testing.T) {
				t.Parallel()
				o := o
				o.Fault, o.Events = test.fault, func(string) []string { return slices.Clone(test.events) }
				s := serve(t, o)
				a := patient(s.CardURL)
				got, err := a.Send(t.Context(), "x", nil)
				if got != test.want || test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
					t.Fatalf("got %q, %v, want %q, %q", got, err, test.want, test.err)
				}
				want := []string{"card", "send "}
				for range test.asked {
					want = append(want, "get task-1")
				}
				if test.isEnded {
					want = append(want, "cancel task-1")
				}
				next := "send context-1"
				if test.nextTask {
					next += " task-1"
				}
				s.Set(func(o *a2atest.Options) {
					o.Fault, o.Events = "", func(string) []string { return []string{task("completed", "", "")} }
				})
				if _, err := a.Send(t.Context(), "y", nil); err != nil {
					t.Error(err)
				}
				if got := s.Log(); !slices.Equal(got, append(want, next)) {
					t.Errorf("log  %q\nwant %q", got, append(want, next))
				}
			})
		}
	}
}

// When the person cancels, the agent is asked to end a task that it is asked about.
func TestCancelPoll(t *testing.T) {
	t.Parallel()
	for name, o := range wires {
		if !o.NoStreams {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Later, o.Events = true, func(string) []string { return []string{task("working", "half", ""), task("working", "more", "")} }
			s := serve(t, o)
			stopped := errors.New("stopped")
			ctx, cancel := context.WithCancelCause(t.Context())
			updates := 0
			got, err := patient(s.CardURL).Send(ctx, "x", func(string) {
				if updates++; updates == 3 {
					cancel(stopped)
				}
			})
			if got != "halfmore" || !errors.Is(err, stopped) {
				t.Errorf("got %q, %v", got, err)
			}
			if log := s.Log(); log[len(log)-1] != "cancel task-1" {
				t.Errorf("log %q", log)
			}
		})
	}
}

// The events of all responses together are limited.
func TestPollTooMuch(t *testing.T) {
	t.Parallel()
	s := serve(t, a2atest.Options{NoStreams: true, Later: true, Events: func(string) []string {
		return []string{task("working", "", ""), task("working", "", strings.Repeat("x", 1<<10))}
	}})
	a := patient(s.CardURL)
	a.maxStream = 10 << 10
	if _, err := a.Send(t.Context(), "x", nil); !errors.Is(err, errTooMuch) {
		t.Error(err)
	}
	if log := s.Log(); log[len(log)-1] != "cancel task-1" {
		t.Errorf("log %q", log)
	}
}
