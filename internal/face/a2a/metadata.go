package a2a

import (
	"encoding/json"
	"net/http"

	"pollux/internal/face/a2a/schema"
)

// metadata describes a task.
type metadata struct {
	ID        string       `json:"id"`
	ContextID string       `json:"contextId"`
	State     schema.State `json:"taskState"`
	Model     string       `json:"model"`
	Servers   []mcpServer  `json:"mcpServers"`
	Tools     []shownTool  `json:"availableTools"`
}

// mcpServer is an MCP server with its tools.
type mcpServer struct {
	Name   string      `json:"name"`
	Status string      `json:"status"`
	Tools  []shownTool `json:"tools"`
}

// shownTool is a tool as clients see it.
type shownTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"parameterSchema"`
}

// metadata returns the description of a task. One whose session is not open has no tools.
func (t *task) metadata() metadata {
	t.mu.Lock()
	m := metadata{ID: t.id, ContextID: t.contextID, State: t.status.State, Model: t.modelName(), Servers: []mcpServer{}, Tools: []shownTool{}}
	w := t.work
	t.mu.Unlock()
	if w == nil {
		return m
	}
	for _, s := range w.live.Servers.Status() {
		one := mcpServer{Name: s.Config.Name, Status: string(s.State), Tools: []shownTool{}}
		for _, known := range s.Tools {
			one.Tools = append(one.Tools, shownTool{known.Name, known.Description, known.Schema})
		}
		m.Servers = append(m.Servers, one)
	}
	for _, spec := range w.live.Tools() {
		m.Tools = append(m.Tools, shownTool{spec.Name, spec.Description, spec.Schema})
	}
	return m
}

func (s *server) serveMetadata(w http.ResponseWriter, r *http.Request) {
	t, err := s.tasks.find(r.PathValue("id"))
	if err != nil {
		refuse(w, http.StatusNotFound, "Task not found")
		return
	}
	reply(w, http.StatusOK, struct {
		Metadata metadata `json:"metadata"`
	}{t.metadata()})
}

func (s *server) serveAllMetadata(w http.ResponseWriter, _ *http.Request) {
	list := []metadata{}
	for _, t := range s.tasks.all() {
		list = append(list, t.metadata())
	}
	if len(list) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	reply(w, http.StatusOK, list)
}
