package record

import (
	"context"
	"sync"

	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/models"
	"pollux/internal/sessions"
	"pollux/llm"
	"pollux/llm/catalog"
)

// Titler gives an earlier session a title, in the background after a prompt, at most once for each
// conversation. It stops when the next prompt begins, and goes on after that.
type Titler struct {
	Record *Record
	Models *models.Directory
	// Generator returns the model without stand-ins: a failure does not concern the conversation.
	Generator func() llm.Generator
	// ID returns the id of the conversation, which gets no title.
	ID func() string

	mu      sync.Mutex
	cancel  context.CancelFunc // of the work in progress, nil for none
	isDone  bool
	working sync.WaitGroup
}

// Start begins the work in the background, unless it is done or in progress. A person who sees a list may miss a
// title, so that errors are only logged. A script does not pay for titles.
func (t *Titler) Start() { t.start(t.addTitle) }

func (t *Titler) start(work func(ctx context.Context)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isDone || t.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel = cancel
	t.working.Go(func() {
		defer crash.Recover()
		work(ctx)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.cancel, t.isDone = nil, ctx.Err() == nil
		cancel()
	})
}

// Stop cancels the work in progress, and does not wait for its end.
func (t *Titler) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancel != nil {
		t.cancel()
	}
}

// Reset stops the work, and allows it for another conversation.
func (t *Titler) Reset() {
	t.Stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.isDone = false
}

// Close cancels the work, waits for its end and prevents more of it.
func (t *Titler) Close() {
	t.Stop()
	t.working.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.isDone = true
}

// addTitle gives the last session without a title one.
func (t *Titler) addTitle(ctx context.Context) {
	p := t.Record.project
	if !p.Options.Interactive || !t.Record.IsRecorded() || !t.Models.HasProvider() || !config.SessionTitles.In(p.Settings()) {
		return
	}
	title, err := t.Record.Store().AddTitle(ctx, t.ID(), sessions.Titler{Generator: t.Generator(), ResolveModel: t.model, MayRead: t.mayRead})
	if title != "" || err != nil {
		p.Log.Debug("title", "title", title, "err", err)
	}
}

// model returns the model that writes titles and its configuration: the one with this alias, or
// the current model if that one is another provider's.
func (t *Titler) model(alias string) (string, llm.Config, error) {
	now := t.Models.Current()
	model, cfg, err := t.Models.UtilityConfig(alias)
	account, _, ok := t.Models.Provider(model)
	if err == nil && ok && account.ConfiguredID == now.Account.ConfiguredID && (account.SmallModel != "" || catalog.IsGemini(model)) {
		return model, cfg, nil
	}
	return now.Model, t.Models.ChatConfig(now.Model, false), nil
}

// mayRead reports whether the model that writes titles may read a conversation with this model. It may not if
// its provider has perhaps not seen the conversation.
func (t *Titler) mayRead(model string) bool {
	now := t.Models.Current().Model
	return model == now || catalog.IsGemini(model) && catalog.IsGemini(now)
}
