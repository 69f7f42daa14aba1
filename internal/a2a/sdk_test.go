package a2a

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
)

// sdkAgent is an agent of the protocol's own module. It echoes prompts.
type sdkAgent struct{}

func (sdkAgent) Execute(ctx context.Context, r *a2asrv.RequestContext, q eventqueue.Queue) error {
	task := &sdk.Task{ID: r.TaskID, ContextID: r.ContextID}
	text := r.Message.Parts[0].(sdk.TextPart).Text
	artifact := sdk.NewArtifactEvent(task, sdk.TextPart{Text: text})
	artifact.Artifact.Name = "echo"
	state := sdk.TaskStateCompleted
	events := []sdk.Event{
		sdk.NewStatusUpdateEvent(task, sdk.TaskStateSubmitted, nil),
		sdk.NewStatusUpdateEvent(task, sdk.TaskStateWorking, sdk.NewMessage(sdk.MessageRoleAgent, sdk.TextPart{Text: "working"})),
		artifact,
		sdk.NewArtifactUpdateEvent(task, artifact.Artifact.ID, sdk.DataPart{Data: map[string]any{"n": 1}}),
	}
	if text == "ask" {
		state = sdk.TaskStateInputRequired
	}
	last := sdk.NewStatusUpdateEvent(task, state, sdk.NewMessage(sdk.MessageRoleAgent, sdk.TextPart{Text: ", done"}))
	last.Final = true
	for _, e := range append(events, last) {
		if err := q.Write(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (sdkAgent) Cancel(ctx context.Context, r *a2asrv.RequestContext, q eventqueue.Queue) error {
	return q.Write(ctx, sdk.NewStatusUpdateEvent(&sdk.Task{ID: r.TaskID, ContextID: r.ContextID}, sdk.TaskStateCanceled, nil))
}

// The package works with the protocol's own server.
func TestProtocolsOwnServer(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	card := &sdk.AgentCard{
		Name: "sdk", Description: "echoes", URL: server.URL + "/invoke", PreferredTransport: sdk.TransportProtocolJSONRPC,
		Capabilities: sdk.AgentCapabilities{Streaming: true}, Skills: []sdk.AgentSkill{{ID: "e", Name: "Echo", Description: "echoes"}},
	}
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	single := *card
	single.Capabilities.Streaming = false
	mux.Handle("/single.json", a2asrv.NewStaticAgentCardHandler(&single))
	mux.Handle("/invoke", a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(sdkAgent{})))

	a := agentOf(server.URL + a2asrv.WellKnownAgentCardPath)
	if got, err := a.Describe(t.Context()); got != "Agent Description: echoes\nSkills:\nEcho: echoes" || err != nil {
		t.Errorf("description %q, %v", got, err)
	}
	for _, text := range []string{"hi", "ask", "more"} {
		want := "working, done\n\nArtifact (echo):\n" + text + `Data: {"n":1}`
		if got, err := a.Send(t.Context(), text, nil); got != want || err != nil {
			t.Errorf("%s: got %q, %v\nwant %q", text, got, err, want)
		}
	}
	want := ", done\n\nArtifact (echo):\nhi" + `Data: {"n":1}`
	if got, err := agentOf(server.URL+"/single.json").Send(t.Context(), "hi", nil); got != want || err != nil {
		t.Errorf("without streams: %q, %v", got, err)
	}

	waiting := agentOf(server.URL + "/single.json")
	if _, err := waiting.Send(t.Context(), "ask", nil); err != nil {
		t.Fatal(err)
	}
	l, err := waiting.connect(t.Context(), waiting.o.Person)
	if err != nil {
		t.Fatal(err)
	}
	c := &call{link: l, wire: l.wire, limit: maxStream, conversation: waiting.o.Conversations.get(waiting.key()), result: newResult()}
	if err := c.getTask(t.Context()); err != nil || !strings.HasPrefix(c.result.String(), ", done") {
		t.Errorf("the task: %q, %v", c.result, err)
	}
}
