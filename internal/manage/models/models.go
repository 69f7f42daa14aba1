// Package models lists the models of the person's providers.
package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"pollux/internal/auth"
	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/models"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/provider"
)

// Command returns the command that lists models.
func Command() *manage.Command {
	return &manage.Command{
		Name: "models", Args: "[provider[/word]...]", Summary: "List available models, with their context windows and prices",
		Flags: []manage.Flag{manage.JSON}, Run: manage.With(manage.Open, list),
		Values: func(_ []string, typed string) ([]string, manage.Offer) { return Providers(typed), manage.Nothing },
	}
}

// list lists the models of the named providers, or of all that the person can reach.
func list(ctx context.Context, c *manage.Call, p *project.Project) (outcome.Outcome, error) {
	lists, err := fetchAll(ctx, p, c.Words)
	if err != nil {
		return outcome.Outcome{}, err
	}
	rows := newModels(lists)
	if err := listError(lists); err != nil {
		return outcome.Outcome{Value: rows}, err
	}
	for _, l := range lists {
		if l.err != nil {
			p.Warn("Warning: " + l.problem())
		}
	}
	return outcome.New(outcome.NewTable(columns, rows, Model.cells)).WithValue(rows), nil
}

// listing is the models of one provider, or the error from listing them.
type listing struct {
	account auth.Account
	words   []string // keep models whose names contain one of these; empty keeps all
	models  []catalog.Model
	err     error
}

// listError returns the errors in lists if all providers failed and none listed a model, otherwise nil.
func listError(lists []listing) error {
	var failures []string
	for _, l := range lists {
		if len(l.models) > 0 || l.err == nil {
			return nil
		}
		failures = append(failures, l.problem())
	}
	if len(failures) == 0 {
		return nil
	}
	return exit.Errorf(exit.General, "%s", strings.Join(failures, "\n"))
}

// problem returns the message for the user about the error of the listing.
func (l *listing) problem() string {
	text := wording.Error(l.err)
	if api, ok := errors.AsType[*llm.Error](l.err); ok {
		text = wording.Failure(api, models.Place(l.account))
	}
	return fmt.Sprintf("Cannot list the models of %s: %s", l.account.ProviderName(), text)
}

// listTimeout is the time limit for listing the models of all providers.
const listTimeout = 10 * time.Second

// fetchAll returns the models of the providers that the call names, or of all available providers
// if it names none. It queries them concurrently and warns about each that fails, unless all do.
func fetchAll(ctx context.Context, p *project.Project, names []string) ([]listing, error) {
	in := p.AuthInputs(ctx)
	in.Warn = p.Warn
	accounts, err := auth.Open(in)
	if err != nil {
		return nil, err
	}
	accounts.Network.UserAgent = p.UserAgentHeader()
	lists, err := newListings(ctx, accounts, names)
	if err != nil {
		return nil, err
	}
	var all sync.WaitGroup
	listCtx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	for i := range lists {
		all.Go(func() {
			defer crash.Recover()
			lists[i].fetch(listCtx, accounts)
		})
	}
	all.Wait()
	return lists, context.Cause(ctx)
}

// fetch requests the models from the provider and keeps those that match. It sets l.models or l.err.
func (l *listing) fetch(ctx context.Context, accounts *auth.Accounts) {
	client, err := provider.Open(l.account.Access, accounts.NetworkOf(l.account, accounts.Network))
	if err == nil {
		l.models, err = client.Models(ctx)
	}
	if l.err = err; errors.Is(err, context.DeadlineExceeded) {
		l.err = fmt.Errorf("no response within %d s", listTimeout/time.Second)
	}
	l.models = slices.DeleteFunc(l.models, func(m catalog.Model) bool { return !l.matches(m.Name) })
}

// matches reports whether a model's name contains one of the words, ignoring case, or there are no words.
func (l *listing) matches(name string) bool {
	return len(l.words) == 0 || slices.ContainsFunc(l.words, func(word string) bool {
		return strings.Contains(strings.ToLower(name), strings.ToLower(word))
	})
}

// newListings returns a listing without models for each provider in names, which have the
// form provider or provider/word. If names is empty, it returns one for each account that is
// set up and each model server on this machine, or an error if there are none.
func newListings(ctx context.Context, accounts *auth.Accounts, names []string) ([]listing, error) {
	var lists []listing
	for _, name := range names {
		id, word, _ := strings.Cut(name, "/") // an empty word matches all names
		account, err := accounts.Find(id)
		if err != nil && accounts.Table().Find(id) == nil {
			return nil, exit.Errorf(exit.General, "Unknown provider %q. The providers are: %s.", id, strings.Join(ids(accounts), ", "))
		}
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(lists, func(l listing) bool { return l.account.ConfiguredID == account.ConfiguredID })
		if at < 0 {
			lists, at = append(lists, listing{account: account}), len(lists)
		}
		lists[at].words = append(lists[at].words, word)
	}
	if len(names) > 0 {
		return lists, nil
	}
	for _, account := range accounts.Reachable() {
		lists = append(lists, listing{account: account})
	}
	for _, local := range accounts.Discover(ctx) {
		if !slices.ContainsFunc(lists, func(l listing) bool { return l.account.ConfiguredID == local.ID }) {
			lists = append(lists, listing{account: auth.Account{Type: auth.Type(local.ID), ConfiguredID: local.ID, Access: local}})
		}
	}
	if len(lists) == 0 {
		_, err := accounts.Default()
		return nil, err
	}
	return lists, nil
}

func ids(accounts *auth.Accounts) []string {
	var list []string
	for p := range accounts.Table().All() {
		list = append(list, p.ID)
	}
	return list
}

// Model is a row of the list of models. Unknown values are null, and "-" for people.
type Model struct {
	Provider  string         `json:"provider"`
	Model     string         `json:"model"`
	Window    *int           `json:"contextWindow"`
	MaxOutput *int           `json:"maxOutput"`
	Tools     *bool          `json:"tools"`
	Thinking  *bool          `json:"thinking"`
	Efforts   []string       `json:"efforts"`
	Images    *bool          `json:"images"`
	PDF       *bool          `json:"pdf"`
	Audio     *bool          `json:"audio"`
	Video     *bool          `json:"video"`
	Price     *catalog.Price `json:"price"`
}

func newModels(lists []listing) []Model {
	number := func(n int) *int {
		if n <= 0 {
			return nil
		}
		return &n
	}
	can := func(a catalog.Ability) *bool {
		if a == catalog.Unknown {
			return nil
		}
		return new(a == catalog.Yes)
	}
	rows := []Model{}
	for _, l := range lists {
		for _, m := range l.models {
			rows = append(rows, Model{
				Provider: l.account.ConfiguredID, Model: m.Name, Window: number(m.Input), MaxOutput: number(m.Output),
				Tools: can(m.Tools), Thinking: can(m.Thinking), Efforts: m.Efforts,
				Images: can(m.Images), PDF: can(m.PDF), Audio: can(m.Audio), Video: can(m.Video), Price: m.Price,
			})
		}
	}
	return rows
}

var columns = []string{"MODEL", "WINDOW", "ANSWER", "TOOLS", "THINKING", "IMAGES", "$/M IN", "CACHED", "OUT"}

func (m Model) cells() []string {
	tokens := func(n *int) string { return wording.Tokens(*cmp.Or(n, new(int))) }
	word := func(can *bool) string {
		switch {
		case can == nil:
			return "-"
		case *can:
			return "yes"
		}
		return "no"
	}
	thinking := word(m.Thinking)
	if len(m.Efforts) > 0 {
		thinking = cell(strings.Join(m.Efforts, " "))
	}
	in, cached, out := "-", "-", "-"
	if p := m.Price; p != nil {
		in, cached, out = rate(&p.Input), rate(p.CacheRead), rate(&p.Output)
	}
	return []string{cell(m.Provider) + "/" + cell(m.Model), tokens(m.Window), tokens(m.MaxOutput), word(m.Tools), thinking, word(m.Images), in, cached, out}
}

// cell removes unprintable characters from untrusted text for a table cell: newlines,
// escape sequences, and characters that change the text direction.
func cell(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}

func rate(usd *float64) string {
	if usd == nil {
		return "-"
	}
	return strconv.FormatFloat(math.Round(*usd*1e6)/1e6, 'f', -1, 64)
}

// Providers returns the ids of the built-in providers that begin with typed, and their names.
func Providers(typed string) []string {
	var ids []string
	for p := range provider.Builtin().All() {
		if strings.HasPrefix(p.ID, typed) {
			ids = append(ids, p.ID+"\t"+p.Name)
		}
	}
	return ids
}

// Names returns the names of models that begin with typed. Before a slash is typed, they are Google's models,
// their aliases, and the prefixes of providers such as "openai/". After it, they are the
// models of that provider. arePrefixes reports whether only prefixes match, after which the name of a model follows.
func Names(typed string) (names []string, arePrefixes bool) {
	add := func(name string) {
		if strings.HasPrefix(name, typed) {
			names = append(names, name)
		}
	}
	if id, _, ok := strings.Cut(typed, "/"); ok {
		for m := range catalog.Models(id) {
			add(id + "/" + m.Name)
		}
		return names, false
	}
	for _, alias := range [...]string{"auto", "pro", "flash", "flash-lite"} {
		add(alias)
	}
	for m := range catalog.Models("gemini") {
		add(m.Name)
	}
	google := len(names)
	for p := range provider.Builtin().All() {
		add(p.ID + "/")
	}
	return names, google == 0
}
