// Package observers holds the observers of a session: statistics, recent events, the log on disk, telemetry, the
// activity log, and those of the program. All of them are sinks of one stream of records.
//
//	o := observers.Open(observers.Parts{Project: p, ID: id})
//	defer o.Close()
//	o.Start(models, registry.Lookup, mode)
//	o.Records.Emit(records.Rewound{})
package observers

import (
	"context"
	"log/slog"

	"pollux/internal/journal"
	"pollux/internal/logs"
	"pollux/internal/models"
	"pollux/internal/project"
	"pollux/internal/records"
	"pollux/internal/stats"
	"pollux/internal/stats/recent"
	"pollux/internal/telemetry"
	"pollux/llm"
	"pollux/llm/observe"
	"pollux/tool"
)

// Parts are the parts of a session that its observers need. Project and ID must be set.
type Parts struct {
	Project *project.Project
	// ID returns the id of the conversation.
	ID func() string
	// HasLog gives the session a log on disk.
	HasLog bool
	// Journal is the session file, nil for none.
	Journal *journal.Journal
	// Recent keeps the last events, nil keeps none.
	Recent *recent.Ring
	// Sinks are the observers of the program.
	Sinks []records.Sink
}

// Observers are the observers of a session.
type Observers struct {
	// Records is the stream that all observers take.
	Records *records.Stream
	// Stats counts requests, tokens and calls, and their cost.
	Stats *stats.Counter

	// Recent has the last events, nil has none.
	Recent *recent.Ring

	parts     Parts
	models    *models.Directory    // nil before Start
	log       *logs.Log            // nil for none
	telemetry *telemetry.Telemetry // nil is off
	activity  *telemetry.Activity  // nil is off
	handlers  []func()             // remove the handlers of the program's log
	unwatch   func()               // ends the records of warnings
}

// Open opens the observers that need no model, and emits [records.SessionBegan]. From then on, warnings of the project
// are records, too. The caller must close the observers.
func Open(parts Parts) *Observers {
	o := &Observers{parts: parts, Stats: stats.New(), Recent: parts.Recent}
	o.activity = o.newActivity()
	o.log = o.newLog()
	o.Records = records.New(o.Stats, parts.Recent, o.log, parts.Journal, o.activity)
	for _, sink := range parts.Sinks {
		o.Records.Add(sink)
	}
	o.unwatch = parts.Project.WatchWarnings(func(text string) { o.Records.Emit(records.Warned{Text: text}) })
	o.Records.Emit(records.SessionBegan{ID: parts.ID()})
	o.watchLog()
	return o
}

// Start starts the observers that need models: telemetry, if the user wants it, and the cost of requests. find
// returns the tool with a name, and mode the approval mode. Start must be called before [Observers.Observe].
func (o *Observers) Start(m *models.Directory, find func(name string) (tool.Tool, bool), mode func() string) {
	p := o.parts.Project
	o.models = m
	o.Stats.Price = m.RequestPrice
	o.telemetry = telemetry.Start(telemetry.Options{
		Settings: p.Telemetry,
		Path:     p.Paths.Absolute,
		Warn:     o.warn,
		Clean:    o.clean,

		Version: p.Options.Version, Session: o.parts.ID, Interactive: p.Options.Interactive, AuthType: string(m.Current().Account.Type),
		Installation: func() string { return installation(p.Paths) },
		Provider:     o.vendor,
		Tool:         find,
		Mode:         mode,
	})
	if o.telemetry != nil {
		o.Records.Add(o.telemetry)
	}
}

// Observe returns the model g such that each request to it is recorded and, if a log wants it, logged.
func (o *Observers) Observe(g llm.Generator) llm.Generator {
	if log := o.parts.Project.Log; log.Enabled(context.Background(), slog.LevelDebug) {
		return o.Records.Observe(g, observe.Log(log))
	}
	return o.Records.Observe(g)
}

// Close writes the data that is not yet written, and closes the observers.
func (o *Observers) Close() {
	for _, remove := range o.handlers {
		remove()
	}
	o.closeLog()
	o.telemetry.Close() // it may warn
	o.unwatch()
	o.activity.Close()
}

// newActivity returns the activity log, nil if the user does not want it.
func (o *Observers) newActivity() *telemetry.Activity {
	p := o.parts.Project
	path := p.Env().Get("GEMINI_CLI_ACTIVITY_LOG_TARGET")
	if path == "" {
		return nil
	}
	return telemetry.NewActivity(telemetry.ActivityOptions{Path: p.Paths.Absolute(path), Session: o.parts.ID, Clean: o.clean, Warn: o.warn})
}

// clean returns a text without secrets.
func (o *Observers) clean(text string) string { return o.parts.Project.LogMasker().Text(text) }

func (o *Observers) warn(text string) { o.parts.Project.Warn("Warning: " + text) }
