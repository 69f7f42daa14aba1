package extension

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/guard/hook"
)

const maxHooks = 1 << 20 // bytes of hooks.json

// HookTree returns the object "hooks" of hooks/hooks.json, nil if there is no such file.
func (e *Extension) HookTree() (map[string]any, error) {
	path, err := e.file("hooks/hooks.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var data []byte
	if err == nil {
		data, err = durable.ReadFile(path, maxHooks)
	}
	if err != nil {
		return nil, fmt.Errorf("hooks/hooks.json: %w", err)
	}
	var file map[string]any
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\uFEFF")), &file); err != nil {
		return nil, fmt.Errorf("hooks/hooks.json: %w", syntaxError(data, err))
	}
	tree, ok := file["hooks"].(map[string]any)
	if !ok || !clean(tree, maxDepth) {
		return nil, errors.New(`hooks/hooks.json: "hooks" must be an object`)
	}
	return tree, nil
}

// RawHooks returns the hooks of the extension as its author has written them: variables are not replaced.
// problems describe omitted hooks.
func (e *Extension) RawHooks() (hooks []hook.Hook, problems []string) {
	tree, err := e.HookTree()
	definitions := map[string]json.RawMessage{}
	for event, list := range tree {
		if definitions[event], err = json.Marshal(list); err != nil {
			break
		}
	}
	if err != nil {
		return nil, []string{err.Error() + "."}
	}
	hooks, problems, _ = hook.Read(hook.Extensions, definitions)
	if more := len(problems) - maxProblems; more > 0 {
		problems = append(problems[:maxProblems], fmt.Sprintf("hooks/hooks.json has %d more problems.", more))
	}
	return hooks, problems
}

// Hooks returns the hooks of the extension for a session. Values of settings that are secret, or set by a
// project, are not part of a command: the shell has them as variables of the same name. problems describe
// omitted hooks.
func (e *Extension) Hooks() (hooks []hook.Hook, problems []string) {
	hooks, problems = e.RawHooks()
	command, value := config.NewExpander(e.inHook, nil), config.NewExpander(e.inEnv, nil)
	for i := range hooks {
		h := &hooks[i]
		h.Name, h.Description, h.Matcher = command.Text(h.Name), command.Text(h.Description), command.Text(h.Matcher)
		h.Command, h.Dir = command.Text(h.Command), command.Text(h.Dir)
		for i, arg := range h.Args {
			h.Args[i] = command.Text(arg)
		}
		environ := map[string]string{}
		if h.Dialect == hook.Claude {
			environ[hook.PluginRoot] = e.Dir
		}
		for name, text := range h.Env {
			environ[name] = value.Text(text)
		}
		maps.Copy(environ, e.Environ())
		h.Env = environ
	}
	return hooks, problems
}
