package plan

import (
	"encoding/json"
	"fmt"

	"pollux/tool"
)

// Confine restricts a tool that writes file_path to the plans directory while the session is
// in plan mode. Unlike a policy, which sees only the path as written, it resolves links, which
// a project may have put among its plans.
func Confine(t tool.Tool, o Options) tool.Tool {
	return confined{t, &session{Options: o}}
}

type confined struct {
	tool.Tool

	s *session
}

// Unwrap returns the tool below, for [tool.As].
func (c confined) Unwrap() tool.Tool { return c.Tool }

// Build implements [tool.Tool].
func (c confined) Build(raw json.RawMessage) (tool.Invocation, error) {
	if c.s.Mode() == "plan" {
		var args map[string]json.RawMessage // by exact names
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, fmt.Errorf("params must be valid JSON: %w", err)
		}
		var path string
		if err := json.Unmarshal(args["file_path"], &path); err != nil {
			return nil, fmt.Errorf("read file_path: %w", err)
		}
		real, err := c.s.file(path)
		if err != nil {
			return nil, err
		}
		if args["file_path"], err = json.Marshal(real); err != nil {
			return nil, fmt.Errorf("write file_path: %w", err)
		}
		if raw, err = json.Marshal(args); err != nil {
			return nil, fmt.Errorf("write the arguments: %w", err)
		}
	}
	return c.Tool.Build(raw)
}
