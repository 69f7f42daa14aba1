package observers

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"pollux/internal/config"
	"pollux/internal/project"
	"pollux/internal/records"
	"pollux/llm/provider"
)

// RecordConfig emits the configuration of the session, which must have started.
func (o *Observers) RecordConfig() {
	p, now := o.parts.Project, o.models.Current()
	var names, ids []string
	for _, e := range p.InstalledExtensions(context.Background()) { // which are read
		names, ids = append(names, e.Name), append(ids, e.ID)
	}
	o.Records.Emit(records.SessionConfigured{
		Extensions: names, ExtensionIDs: ids,
		Model: now.Model, CoreTools: project.ToolSettings(p.Settings()).Core,
		APIKey: now.Account.APIKey != "", Vertex: o.models.HasProvider() && now.Account.Protocol == provider.Vertex,
		GitIgnore: config.RespectGitIgnore.In(p.Settings()), Debug: p.Log.Enabled(context.Background(), slog.LevelDebug),
		OutputFormat: config.OutputFormat.In(p.Settings()), Worktree: p.Worktree != nil,
	})
}

// RecordStart emits the duration of the start, whose phases so far are known, and whose last one began at a time.
func (o *Observers) RecordStart(phases []records.Phase, began time.Time) {
	if len(phases) == 0 {
		return
	}
	now := time.Now()
	o.Records.Emit(records.SessionStarted{Phases: append(slices.Clip(phases),
		records.Phase{Name: "initialize_app", Start: began, End: now},
		records.Phase{Name: "cli_startup", Start: phases[0].Start, End: now})})
}

// vendor returns the provider of a model, by its name in OpenTelemetry if it has one.
func (o *Observers) vendor(model string) string {
	if !o.models.HasProvider() {
		return "gcp.gen_ai" // its responses are played
	}
	account, _, ok := o.models.Provider(model)
	if !ok {
		return "unknown"
	}
	switch account.Protocol {
	case provider.Gemini:
		return "gcp.gen_ai"
	case provider.Vertex:
		return "gcp.vertex_ai"
	}
	return account.ID
}
