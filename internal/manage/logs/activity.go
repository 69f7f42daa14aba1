package logs

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"pollux/internal/exit"
	"pollux/internal/logs"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/stats/recent"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// activityKinds maps the messages of records to kinds of events. A log with debug messages has requests and responses in
// the words of those.
var activityKinds = sync.OnceValue(func() map[string]string {
	kinds := map[string]string{"answer": string(recent.Response), "request failed": string(recent.Response)}
	for _, kind := range recent.Kinds() {
		kinds[string(kind)] = string(kind)
	}
	return kinds
})

// isActivity reports whether a line of a log is about an event.
func isActivity(line []byte) bool {
	r, ok := logs.Parse(line)
	return ok && activityKinds()[r.Message] != ""
}

// showActivity prints the last events of a log as a table.
func showActivity(ctx context.Context, c *manage.Call, path string, from time.Time) (o outcome.Outcome, err error) {
	if c.Is("follow") {
		return o, exit.Errorf(exit.General, "--activity cannot be combined with --follow.")
	}
	most, _ := c.Flags["lines"].(uint)
	if most == 0 || most > recent.Size {
		most = recent.Size
	}
	var list []logs.Record
	err = logs.Read(ctx, path, logs.Selection{Since: from}, func(line []byte) error {
		if isActivity(line) {
			if len(list) == int(most) {
				list = slices.Delete(list, 0, 1)
			}
			r, _ := logs.Parse(line)
			list = append(list, r)
		}
		return nil
	})
	if err != nil {
		return o, cannotRead(err)
	}
	if len(list) == 0 {
		return o, exit.Errorf(exit.General, "The log has no events.")
	}
	return outcome.New(table(list)), nil
}

// Activity returns events as a table, with the memory use at each.
func Activity(events []recent.Event) outcome.Part {
	var list []logs.Record
	for _, e := range events {
		if r, ok := logs.Parse(e.AppendJSON(nil)); ok {
			list = append(list, r)
		}
	}
	return table(list)
}

func table(list []logs.Record) outcome.Part {
	return outcome.NewTable([]string{"Time", "Event", "Name", "Status", "Took", "In", "Out", "Heap", "Memory"}, list, func(r logs.Record) []string {
		fields := map[string]string{}
		for _, f := range r.Fields {
			fields[f[0]] = terminal.Line(f[1])
		}
		first := func(names ...string) string {
			for _, name := range names {
				if fields[name] != "" {
					return fields[name]
				}
			}
			return ""
		}
		took := fields["took"]
		if ms, err := strconv.Atoi(fields["ms"]); err == nil {
			took = wording.Duration(time.Duration(ms) * time.Millisecond)
		}
		return []string{
			r.Time.Local().Format("15:04:05.000"), activityKinds()[r.Message], first("name", "model"), first("status", "error", "for"), took,
			first("in", "prompt"), first("out", "answered"), megabytes(fields["heap"]), megabytes(fields["rss"]),
		}
	})
}

// megabytes returns a number of bytes for people, "" if it is none.
func megabytes(bytes string) string {
	n, err := strconv.ParseFloat(bytes, 64)
	if err != nil {
		return ""
	}
	return strconv.FormatFloat(n/(1<<20), 'f', 1, 64) + " MB"
}
