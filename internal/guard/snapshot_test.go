package guard_test

import (
	"context"
	"os"
	"testing"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/tools/file"
	"pollux/internal/workspace"
	"pollux/tool"
)

// snapshot has the content of files before edits have changed them.
type snapshot map[string][]byte

func (s snapshot) save(_ context.Context, call *agent.PreparedCall) (err error) {
	for _, l := range call.Locations() {
		if call.Tool().Spec().Kind == tool.KindEdit && err == nil {
			s[l.Path], err = os.ReadFile(l.Path)
		}
	}
	return err
}

func TestSnapshotStep(t *testing.T) {
	t.Parallel()
	ws, _ := workspace.New(workspace.Options{Root: t.TempDir()})
	path, s := ws.Resolve("a.txt"), snapshot{}
	g := guard.New(guard.Options{Policy: policy.New(policy.Options{Mode: policy.Yolo}), Around: []guard.Step{{Before: s.save}}})
	call := &agent.ToolCall{Name: "write_file", Args: []byte(`{"file_path": "a.txt", "content": "after\n"}`)}
	written := os.WriteFile(path, []byte("before\n"), 0o600)
	ran := g.Admit(t.Context(), call, file.NewWrite(ws, nil, nil), nil).Run(t.Context(), agent.Host{})
	after, _ := os.ReadFile(path)
	if written != nil || os.WriteFile(path, s[path], 0o600) != nil || string(after) != "after\n" || string(s[path]) != "before\n" {
		t.Errorf("%+v left %q, and the snapshot has %q", ran, after, s)
	}
}
