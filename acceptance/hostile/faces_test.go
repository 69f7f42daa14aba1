//go:build linux

package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The faces in which a scene is played.
const (
	headless = "headless" // pollux -p
	terminal = "terminal" // pollux -i, with a user who refuses all questions
	served   = "serve"    // pollux mcp serve; the client makes the calls, and its user refuses
	library  = "library"  // a Go program with an agent; it refuses whatever the agent asks
)

// spread returns a scene for each of its faces and modes.
func (s *scene) spread() []*scene {
	faces, modes := s.Faces, s.Modes
	if len(faces) == 0 {
		faces = []string{map[bool]string{true: terminal, false: headless}[s.Interactive]}
	}
	if len(modes) == 0 {
		modes = []string{""}
	}
	var list []*scene
	for _, face := range faces {
		for _, mode := range modes {
			if face == library && mode == "plan" {
				continue // it has no such mode
			}
			one := *s
			one.face, one.mode, one.Interactive = face, mode, face == terminal
			if len(s.Faces)+len(s.Modes) > 0 {
				one.Name = strings.TrimSpace(fmt.Sprintf("%s, %s %s", s.Name, face, mode))
			}
			if mode != "" {
				one.Args = append(slices.Clone(s.Args), "--approval-mode", mode)
			}
			one.Attempts = slices.Clone(s.Attempts)
			for i := range one.Attempts {
				if a := &one.Attempts[i]; a.Stopped == "" {
					a.Stopped = one.stop()
				}
			}
			list = append(list, &one)
		}
	}
	return list
}

// stop returns the protection that stops the attempts of a scene, unless an attempt names its own.
func (s *scene) stop() string {
	for _, key := range []string{s.face + " " + s.mode, s.mode, s.face} {
		if text := s.StoppedIn[key]; text != "" {
			return text
		}
	}
	return s.Stopped
}

// serve runs pollux mcp serve, and makes the calls of the scene as its client.
func (r *result) serve(ctx context.Context, cmd *exec.Cmd, evil string) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	client := sdk.NewClient(&sdk.Implementation{Name: "hostile", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, q *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			r.say("asked: " + q.Params.Message)
			return &sdk.ElicitResult{Action: "decline"}, nil
		},
	})
	session, err := client.Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
	if err == nil {
		for i, list := range [][]attempt{r.scene.Works, r.scene.Attempts} {
			for n, a := range list {
				if !a.isCall() {
					continue
				}
				name, args := a.call()
				text := "not called"
				got, err := session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(r.fill(args, strconv.Itoa(n), evil))})
				if err != nil {
					text = `{"error":` + err.Error()
				} else {
					text = textOf(got)
				}
				r.results[[]string{"works_", "attempt_"}[i]+strconv.Itoa(n)] = text
				r.say(text)
			}
		}
		err = session.Close()
	}
	r.status = err
	r.output = r.said.String() + stderr.String()
}

// textOf returns the text of a result.
func textOf(got *sdk.CallToolResult) string {
	var b strings.Builder
	if got.IsError {
		b.WriteString(`{"error":`)
	}
	for _, one := range got.Content {
		if text, ok := one.(*sdk.TextContent); ok {
			fmt.Fprintln(&b, text.Text)
		}
	}
	return b.String()
}

// speech is the output that a client has seen.
type speech struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *speech) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (r *result) say(text string) {
	r.said.mu.Lock()
	defer r.said.mu.Unlock()
	fmt.Fprintln(&r.said.text, text)
}
