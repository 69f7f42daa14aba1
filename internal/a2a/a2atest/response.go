package a2atest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

type output struct {
	w    http.ResponseWriter
	o    *Options
	call *call
}

func (out *output) fail(code int, text string) {
	out.w.Header().Set("Content-Type", "application/json")
	if out.o.REST {
		out.w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(out.w, `{"code":%d,"message":%q}`, code, text)
		return
	}
	if out.o.NoStreams {
		out.w.WriteHeader(http.StatusBadRequest) // as some agents do
	}
	fmt.Fprintf(out.w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, out.call.id, code, text)
}

func (out *output) single(event string) {
	out.w.Header().Set("Content-Type", "application/json")
	if out.o.Fault == "html" {
		out.w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(out.w, "<html><body>Welcome</body></html>")
		return
	}
	fmt.Fprint(out.w, out.wrap(event))
}

func (out *output) stream(ctx context.Context, events []string) {
	if out.o.Fault == "html" {
		out.single("")
		return
	}
	out.w.Header().Set("Content-Type", "text/event-stream")
	for i, event := range events {
		text, isLast := "data: "+out.wrap(event)+"\n\n", i == len(events)-1
		switch {
		case isLast && out.o.Fault == "cut":
			text = text[:len(text)/2]
		case isLast && out.o.Fault == "error":
			text = out.errorEvent()
		case isLast && out.o.Fault == "endless":
			out.repeat(ctx, text)
		case isLast && out.o.Fault == "event":
			fmt.Fprint(out.w, `data: {"x":"`)
			out.repeat(ctx, strings.Repeat("x", 1<<16))
		}
		fmt.Fprint(out.w, text)
		out.w.(http.Flusher).Flush()
	}
	if out.o.Fault == "hang" {
		<-ctx.Done()
	}
}

// repeat sends a text until the client has gone.
func (out *output) repeat(ctx context.Context, text string) {
	for ctx.Err() == nil {
		if _, err := out.w.Write([]byte(text)); err != nil {
			return
		}
	}
}

func (out *output) errorEvent() string {
	if out.o.REST {
		return "event: error\ndata: {\"error\":{\"code\":13,\"message\":\"it \\u001b[31mfails\"}}\n\n"
	}
	return fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32603,\"message\":\"it \\u001b[31mfails\"}}\n\n", out.call.id)
}

// wrap returns an event as the protocol of the agent has it.
func (out *output) wrap(event string) string {
	if out.o.REST || out.o.New {
		event = translate(event, out.o.New, out.call.method == "get")
	}
	if out.o.REST {
		return event
	}
	id := string(out.call.id)
	if out.o.Fault == "id" {
		id = "77"
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, event)
}

// translate returns an event of version 0.3 in protobuf's JSON, of 0.3 or 1.0. Other JSON stays
// unchanged.
func translate(event string, isNew, isBare bool) string {
	var e map[string]any
	if json.Unmarshal([]byte(event), &e) != nil {
		return event
	}
	kind, _ := e["kind"].(string)
	name := map[string]string{"task": "task", "message": "message", "status-update": "statusUpdate", "artifact-update": "artifactUpdate"}[kind]
	if name == "" {
		return event
	}
	walk(e, isNew)
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	var outer any = map[string]any{name: e}
	if isBare {
		outer = e
	}
	if err := encoder.Encode(outer); err != nil {
		panic(err) // it was decoded before
	}
	return strings.TrimSpace(b.String())
}

// walk translates an object and all within it.
func walk(object map[string]any, isNew bool) {
	delete(object, "kind")
	for name, value := range object {
		switch v := value.(type) {
		case string:
			switch name {
			case "role":
				object[name] = "ROLE_" + strings.ToUpper(v)
			case "state":
				object[name] = "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(v, "-", "_"))
			}
		case map[string]any:
			walk(v, isNew)
		case []any:
			for i, one := range v {
				inner, _ := one.(map[string]any)
				if name == "parts" {
					v[i] = translatePart(inner, isNew)
				} else {
					walk(inner, isNew)
				}
			}
		}
	}
	if parts, ok := object["parts"]; ok && object["messageId"] != nil && !isNew {
		object["content"] = parts
		delete(object, "parts")
	}
}

func translatePart(p map[string]any, isNew bool) map[string]any {
	switch {
	case p["text"] != nil:
		return map[string]any{"text": p["text"]}
	case p["data"] != nil && isNew:
		return map[string]any{"data": p["data"]}
	case p["data"] != nil:
		return map[string]any{"data": map[string]any{"data": p["data"]}}
	case p["file"] == nil:
		return map[string]any{"unknown": true}
	}
	file, _ := p["file"].(map[string]any)
	switch {
	case isNew && file["uri"] != nil:
		return map[string]any{"url": file["uri"], "filename": file["name"]}
	case isNew:
		return map[string]any{"raw": file["bytes"], "filename": file["name"]}
	case file["uri"] != nil:
		return map[string]any{"file": map[string]any{"fileWithUri": file["uri"], "name": file["name"]}}
	}
	return map[string]any{"file": map[string]any{"fileWithBytes": file["bytes"], "name": file["name"]}}
}
