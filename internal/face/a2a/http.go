package a2a

import (
	"encoding/json"
	"net/http"

	"pollux/internal/a2a/protocol"
	"pollux/internal/crash"
)

// routes returns the addresses of the server.
func (s *server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+protocol.CardPath, s.serveCard)
	mux.HandleFunc("POST /{$}", s.serveMethod)
	mux.HandleFunc("POST /tasks", s.serveNewTask)
	mux.HandleFunc("GET /tasks/metadata", s.serveAllMetadata)
	mux.HandleFunc("GET /tasks/{id}/metadata", s.serveMetadata)
	mux.HandleFunc("POST /executeCommand", s.serveCommand)
	mux.HandleFunc("GET /listCommands", s.serveCommandList)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "There is nothing at "+r.Method+" "+r.URL.EscapedPath()+".")
	})
	return mux
}

// handle answers a request.
func (s *server) handle(w http.ResponseWriter, r *http.Request) {
	defer crash.Recover()
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	isCard := s.Token != "" && r.URL.Path == protocol.CardPath // clients learn from it that they need a token
	if isCard || s.admit(w, r) {
		s.Log.Debug("A request.", "method", r.Method, "path", r.URL.Path)
		s.mux.ServeHTTP(w, r)
		return
	}
	s.Log.Warn("A request is refused.", "method", r.Method, "path", r.URL.Path, "from", r.RemoteAddr)
}

// problem is the body of an error outside of JSON-RPC.
type problem struct {
	Error string `json:"error"`
}

func refuse(w http.ResponseWriter, status int, text string) { reply(w, status, problem{text}) }

// reply answers with a value.
func reply(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"The answer cannot be encoded."}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(data) // a client that has gone needs no answer
}
