package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pollux/llm"
	"pollux/tool"
)

// remoteToy is a toy of an MCP server.
type remoteToy struct {
	*toy
	readOnly any
}

func (remoteToy) Server() string                { return "s" }
func (remoteToy) RemoteName() string            { return "toy" }
func (r remoteToy) Annotations() map[string]any { return map[string]any{"readOnlyHint": r.readOnly} }

// orderTools returns one tool of each sort, and the names of those that change nothing.
func orderTools(run func(ctx context.Context, host tool.Host, args json.RawMessage) *tool.Result) (all []tool.Tool, harmless map[string]bool) {
	harmless = map[string]bool{}
	add := func(name string, kind tool.Kind, serial, isHarmless bool) *toy {
		one := newToy(name, run)
		one.spec.Kind, one.spec.Serial = kind, serial
		harmless[name] = isHarmless
		return one
	}
	for _, k := range []tool.Kind{tool.KindRead, tool.KindSearch, tool.KindFetch, tool.KindThink, tool.KindCommunicate} {
		all = append(all, add("free_"+string(k), k, false, true), add("serial_"+string(k), k, true, false))
	}
	for _, k := range []tool.Kind{
		tool.KindEdit, tool.KindDelete, tool.KindMove, tool.KindExecute, tool.KindAgent, tool.KindPlan, tool.KindSwitchMode,
		tool.KindOther, "", "new",
	} {
		all = append(all, add("alone_"+string(k), k, false, false))
	}
	for name, hint := range map[string]any{"mcp_reads": true, "mcp_writes": false, "mcp_says_nothing": nil, "mcp_odd": "true"} {
		all = append(all, remoteToy{add(name, tool.KindOther, false, hint == true), hint})
	}
	return all, harmless
}

// Calls that may change something run alone and in order; harmless calls run beside their harmless
// neighbors. Each harmless call waits here until all calls that may run beside it have begun: a call
// that the agent runs alone would wait forever, which the bubble reports.
func TestOrderOfCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(300) {
			checkOrder(t, rand.New(rand.NewPCG(seed, 11)))
		}
	})
}

func checkOrder(t *testing.T, rnd *rand.Rand) {
	t.Helper()
	type place struct {
		group, size int
		takes       time.Duration
	}
	var (
		mu     sync.Mutex
		log    []string
		begun  = map[int]int{} // calls of a group
		places []place
		all    []chan struct{} // closed when all calls of a group have begun
		names  []string
	)
	run := func(_ context.Context, _ tool.Host, args json.RawMessage) *tool.Result {
		var a struct{ N int }
		_ = json.Unmarshal(args, &a)
		p := places[a.N]
		mu.Lock()
		log = append(log, fmt.Sprintf("begin %d", p.group))
		if begun[p.group]++; begun[p.group] == p.size {
			close(all[p.group])
		}
		mu.Unlock()
		<-all[p.group]
		time.Sleep(p.takes) // in the time of the bubble
		mu.Lock()
		log = append(log, fmt.Sprintf("end %d", p.group))
		mu.Unlock()
		return tool.Text("done")
	}
	tools, harmless := orderTools(run)
	slices.SortFunc(tools, func(a, b tool.Tool) int { return strings.Compare(a.Spec().Name, b.Spec().Name) })
	var parts []llm.Part
	joins := false // the next harmless call joins the group
	for n := range 1 + rnd.IntN(8) {
		name := tools[rnd.IntN(len(tools))].Spec().Name
		waits := rnd.IntN(8) == 0
		args := fmt.Sprintf(`{"N":%d,"wait_for_previous":%v}`, n, waits)
		parts = append(parts, call(fmt.Sprint(n), name, args))
		names = append(names, name)
		beside := harmless[name] && !waits
		if !joins || !beside {
			all = append(all, make(chan struct{}))
		}
		joins = beside
		places = append(places, place{group: len(all) - 1, takes: time.Duration(rnd.IntN(3)) * time.Millisecond})
	}
	var want []string
	for g := range all {
		size := 0
		for _, p := range places {
			if p.group == g {
				size++
			}
		}
		for i := range places {
			if places[i].group == g {
				places[i].size = size
			}
		}
		want = append(want, slices.Repeat([]string{fmt.Sprintf("begin %d", g)}, size)...)
		want = append(want, slices.Repeat([]string{fmt.Sprintf("end %d", g)}, size)...)
	}
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(chunk(llm.FinishStop, parts...)), says(text("ok"))}}
	play(t.Context(), newAgent(t, s, nil, tools...), "go")
	if !slices.Equal(log, want) {
		t.Fatalf("%v ran as\n%v, want\n%v", names, log, want)
	}
}
