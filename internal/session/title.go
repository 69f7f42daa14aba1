package session

import (
	"context"
	"sync"

	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/sessions"
	"pollux/llm"
	"pollux/llm/catalog"
)

// titler gives an earlier session a title, in the background after a prompt, at most once for each
// conversation. It stops when the next prompt begins, and goes on after that.
type titler struct {
	mu      sync.Mutex
	cancel  context.CancelFunc // of the work in progress, nil for none
	isDone  bool
	working sync.WaitGroup
}

// start begins the work in the background, unless it is done or in progress.
func (t *titler) start(work func(ctx context.Context)) {
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

// stop cancels the work in progress, and does not wait for its end.
func (t *titler) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancel != nil {
		t.cancel()
	}
}

// reset stops the work, and allows it for another conversation.
func (t *titler) reset() {
	t.stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.isDone = false
}

// close cancels the work, waits for its end and prevents more of it.
func (t *titler) close() {
	t.stop()
	t.working.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.isDone = true
}

// addTitle gives the last session without a title one. A person who sees a list may miss it if that
// fails, so that errors are only logged. A script does not pay for titles.
func (s *Session) addTitle(ctx context.Context) {
	if !s.Project.Options.Interactive || !s.Record.IsRecorded() || !s.models.HasProvider() || !config.SessionTitles.In(s.CurrentSettings()) {
		return
	}
	title, err := s.Record.store().AddTitle(ctx, s.ID(), sessions.Titler{
		Generator:    s.observed(s.models), // without stand-ins: a failure does not concern the conversation
		ResolveModel: s.titleModel,
		MayRead:      s.mayRead,
	})
	if title != "" || err != nil {
		s.Project.Log.Debug("title", "title", title, "err", err)
	}
}

// titleModel returns the model that writes titles and its configuration: the one with this alias, or
// the current model if that one is another provider's.
func (s *Session) titleModel(alias string) (string, llm.Config, error) {
	now := s.Current()
	model, cfg, err := s.models.UtilityConfig(alias)
	account, _, ok := s.models.Provider(model)
	if err == nil && ok && account.ConfiguredID == now.Account.ConfiguredID && (account.SmallModel != "" || catalog.IsGemini(model)) {
		return model, cfg, nil
	}
	return now.Model, s.models.ChatConfig(now.Model, false), nil
}

// mayRead reports whether [Session.titleModel] may read a conversation with this model. It may not if
// its provider has perhaps not seen the conversation.
func (s *Session) mayRead(model string) bool {
	now := s.Current().Model
	return model == now || catalog.IsGemini(model) && catalog.IsGemini(now)
}
