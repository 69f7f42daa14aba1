package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/llm"
	"pollux/tool"

	"github.com/google/go-cmp/cmp"
)

// remoteToy is a toy of an MCP server.
type remoteToy struct {
	*toy
	readOnly any
}

func (remoteToy) Server() string                { return "s" }
func (remoteToy) RemoteName() string            { return "toy" }
func (r remoteToy) Annotations() map[string]any { return map[string]any{"readOnlyHint": r.readOnly} }

// pathToy is a toy that changes the files that its arguments name.
type pathToy struct{ *toy }

func (pathToy) Effect(args json.RawMessage) tool.Effect {
	var a struct{ Paths []string }
	_ = json.Unmarshal(args, &a)
	return tool.Effect{Paths: a.Paths}
}

// readingCommand is a tool for commands all of which only read.
type readingCommand struct{ *toy }

func (readingCommand) Effect(json.RawMessage) tool.Effect { return tool.Effect{Reads: true} }

// orderTools returns one tool of each sort, and the sort of each: "reads", "commands" that only read, "changes" paths,
// "agent", "serial" or "alone".
func orderTools(run func(ctx context.Context, host tool.Host, args json.RawMessage) *tool.Result) (all []tool.Tool, sorts map[string]string) {
	sorts = map[string]string{}
	add := func(name string, kind tool.Kind, sort string) *toy {
		one := newToy(name, run)
		one.spec.Kind, one.spec.Serial = kind, sort == "serial"
		sorts[name] = sort
		return one
	}
	for _, k := range []tool.Kind{tool.KindRead, tool.KindSearch, tool.KindFetch, tool.KindThink, tool.KindCommunicate} {
		all = append(all, add("free_"+string(k), k, "reads"), add("serial_"+string(k), k, "serial"))
	}
	for _, k := range []tool.Kind{
		tool.KindEdit, tool.KindDelete, tool.KindMove, tool.KindExecute, tool.KindPlan, tool.KindSwitchMode, tool.KindOther, "", "new",
	} {
		all = append(all, add("alone_"+string(k), k, "alone"))
	}
	for name, hint := range map[string]any{"mcp_reads": true, "mcp_writes": false, "mcp_says_nothing": nil, "mcp_odd": "true"} {
		sort := "alone"
		if hint == true {
			sort = "reads"
		}
		all = append(all, remoteToy{add(name, tool.KindOther, sort), hint})
	}
	for i := range 4 {
		n := fmt.Sprint(i)
		all = append(all, add("agent_"+n, tool.KindAgent, "agent"), pathToy{add("path_"+n, tool.KindEdit, "changes")},
			readingCommand{add("command_"+n, tool.KindExecute, "commands")})
	}
	return append(all, pathToy{add("path_serial", tool.KindEdit, "serial")}), sorts
}

// orderedCall is a call of TestOrderOfCalls.
type orderedCall struct {
	sort, path string
	wait       any
	group      int
	takes      time.Duration
}

// beside reports whether a call may run beside an earlier one by a rule.
func (c orderedCall) beside(rule agent.Parallel, earlier orderedCall) bool {
	isSame := c.sort == earlier.sort
	switch {
	case c.sort == "serial", earlier.sort == "serial", c.wait == true, earlier.wait == true:
		return false
	case c.path != "" && earlier.path != "" && (c.path == earlier.path || strings.HasPrefix(earlier.path, c.path+"/") || strings.HasPrefix(c.path, earlier.path+"/")):
		return false
	case rule == agent.ParallelAll, c.wait == false && rule != agent.ParallelReads, isSame && (c.sort == "reads" || c.sort == "agent"):
		return true
	}
	return rule == agent.ParallelEffects && (isSame && c.sort != "alone" || c.sort == "reads" && earlier.sort == "commands" || c.sort == "commands" && earlier.sort == "reads")
}

// Calls run beside their neighbors only where the rule says so, and then they do. Each call waits here until all
// calls that may run beside it have begun: a call that the agent runs alone would wait forever, which the bubble
// reports.
func TestOrderOfCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(400) {
			for _, rule := range []agent.Parallel{agent.ParallelEffects, agent.ParallelAsked, agent.ParallelReads, agent.ParallelAll} {
				checkOrder(t, rand.New(rand.NewPCG(seed, 11)), rule)
			}
		}
	})
}

func checkOrder(t *testing.T, rnd *rand.Rand, rule agent.Parallel) {
	t.Helper()
	var (
		mu    sync.Mutex
		log   []string
		begun = map[int]int{} // calls of a group
		each  []orderedCall
		all   []chan struct{} // closed when all calls of a group have begun
		size  []int           // of each group
		names []string
	)
	run := func(_ context.Context, _ tool.Host, args json.RawMessage) *tool.Result {
		var a struct{ N int }
		_ = json.Unmarshal(args, &a)
		c := each[a.N]
		mu.Lock()
		log = append(log, fmt.Sprintf("begin %d", c.group))
		if begun[c.group]++; begun[c.group] == size[c.group] {
			close(all[c.group])
		}
		mu.Unlock()
		<-all[c.group]
		time.Sleep(c.takes) // in the time of the bubble
		mu.Lock()
		log = append(log, fmt.Sprintf("end %d", c.group))
		mu.Unlock()
		return tool.Text("done")
	}
	tools, sorts := orderTools(run)
	slices.SortFunc(tools, func(a, b tool.Tool) int { return strings.Compare(a.Spec().Name, b.Spec().Name) })
	var parts []llm.Part
	for n := range 1 + rnd.IntN(8) {
		name := tools[rnd.IntN(len(tools))].Spec().Name
		c := orderedCall{sort: sorts[name], takes: time.Duration(rnd.IntN(3)) * time.Millisecond}
		c.wait = []any{true, false, nil, nil, nil, nil, "false"}[rnd.IntN(7)]
		args := map[string]any{"N": n, "wait_for_previous": c.wait}
		if strings.HasPrefix(name, "path_") {
			c.path = []string{"/a", "/a/b", "/a/bc", "/c"}[rnd.IntN(4)]
			args["Paths"] = []string{c.path}
		}
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, call(fmt.Sprint(n), name, string(raw)))
		names = append(names, fmt.Sprintf("%s(%v %s)", name, c.wait, c.path))
		last := len(size) - 1
		if last < 0 || slices.ContainsFunc(each, func(e orderedCall) bool { return e.group == last && !c.beside(rule, e) }) {
			all, size = append(all, make(chan struct{})), append(size, 0)
			last++
		}
		c.group = last
		size[last]++
		each = append(each, c)
	}
	var want []string
	for g := range all {
		want = append(want, slices.Repeat([]string{fmt.Sprintf("begin %d", g)}, size[g])...)
		want = append(want, slices.Repeat([]string{fmt.Sprintf("end %d", g)}, size[g])...)
	}
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(chunk(llm.FinishStop, parts...)), says(text("ok"))}}
	play(t.Context(), newAgent(t, s, func(c *agent.Config) { c.Parallel = func() agent.Parallel { return rule } }, tools...), "go")
	if !slices.Equal(log, want) {
		t.Fatalf("%s: %v ran as\n%v, want\n%v", rule, names, log, want)
	}
}

// samePathGate makes all calls change the same file.
type samePathGate struct{}

func (samePathGate) Admit(_ context.Context, c *agent.ToolCall, t tool.Tool, _ agent.Ask) agent.Admission {
	rewritten := *c
	rewritten.Args = json.RawMessage(`{"Paths":["/same"]}`)
	return agenttest.Admit(&rewritten, t)
}

// TestOrderOfRewrittenCalls checks that calls that the gate rewrites run in the order that the rewritten calls need.
func TestOrderOfRewrittenCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int32
		edit := pathToy{newToy("edit", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
			if running.Add(1) > 1 {
				t.Error("two calls change the same file at the same time")
			}
			time.Sleep(time.Second)
			running.Add(-1)
			return tool.Text("done")
		})}
		s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){
			says(chunk(llm.FinishStop, call("1", "edit", `{"Paths":["/a"]}`), call("2", "edit", `{"Paths":["/b"]}`))), says(text("ok")),
		}}
		play(t.Context(), newAgent(t, s, func(c *agent.Config) { c.Gate = samePathGate{} }, edit), "go")
	})
}

// TestRefusedChange checks that a person who refuses one of several changes is not asked about those after it,
// none of which runs, and that those before it run.
func TestRefusedChange(t *testing.T) {
	t.Parallel()
	var ran []string
	edit := pathToy{newToy("edit", func(_ context.Context, _ tool.Host, args json.RawMessage) *tool.Result {
		ran = append(ran, string(args))
		return tool.Text("done")
	})}
	var parts []llm.Part
	for _, path := range []string{"/a", "/b", "/c"} {
		parts = append(parts, call(path, "edit", fmt.Sprintf(`{"Paths":[%q]}`, path)))
	}
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(chunk(llm.FinishStop, parts...)), says(text("ok"))}}
	a := newAgent(t, s, func(c *agent.Config) { c.Gate = openGate{asks: true} }, edit)
	var asked, ended []string
	for e, err := range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("go")}}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case agent.ToolAsked:
			asked = append(asked, e.Call.ID)
			e.Answer(tool.Answer{Outcome: map[bool]tool.Outcome{true: tool.ProceedOnce, false: tool.Cancel}[len(asked) == 1]})
		case agent.ToolFinished:
			ended = append(ended, string(e.Status))
		}
	}
	if diff := cmp.Diff([]string{"edit__/a", "edit__/b"}, asked); diff != "" {
		t.Errorf("asked about %s", diff)
	}
	if diff := cmp.Diff([]string{`{"Paths":["/a"]}`}, ran); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"success", "cancelled", "cancelled"}, ended); diff != "" {
		t.Error(diff)
	}
}
