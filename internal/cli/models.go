package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/terminal"
	"pollux/llm/catalog"
	"pollux/llm/provider"
)

// Models is the subcommand that lists the models which can be asked.
func Models(t *terminal.Terminal, env *config.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "models [provider[/word]...]",
		Short: "List the models that your providers offer, with a word in their names or all, and what is known of them",
		RunE: func(cmd *cobra.Command, names []string) error {
			lists, err := listModels(cmd.Context(), t, env, names)
			if err != nil {
				return err
			}
			write := writeModels
			if asJSON {
				write = writeModelsJSON
			}
			if err := write(t.Out, lists); err != nil {
				return err
			}
			return unlisted(lists)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print a JSON array of objects")
	return cmd
}

// listing is what one provider offers, and why it does not say so itself.
type listing struct {
	account auth.Account
	words   []string // in the names that are wanted; none for all
	models  []catalog.Model
	err     error
}

// unlisted is the error of asking providers of which none has said anything.
func unlisted(lists []listing) error {
	var failure error
	for _, l := range lists {
		if len(l.models) > 0 || l.err == nil {
			return nil
		}
		failure = l.err
	}
	if failure == nil {
		return nil
	}
	return told{failure}
}

// patience is how long a provider may take to list its models.
const patience = 10 * time.Second

// listModels asks the providers that are named, by default all that can be
// reached, for their models.
func listModels(ctx context.Context, t *terminal.Terminal, env *config.Env, names []string) ([]listing, error) {
	h, err := look(t, env, "")
	if err != nil {
		return nil, err
	}
	accounts, err := auth.Open(auth.Inputs{Settings: h.settings, Env: h.env, Context: ctx, Warn: func(text string) { h.warn(text) }})
	if err != nil {
		return nil, err
	}
	accounts.Network.UserAgent = userAgent(func() string { return version(env) }, env)
	lists, err := wanted(ctx, accounts, names)
	if err != nil {
		return nil, err
	}
	var all sync.WaitGroup
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for i := range lists {
		all.Go(func() { lists[i].ask(asking, accounts) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for _, l := range lists {
		if l.err != nil {
			h.warn(fmt.Sprintf("Warning: %s does not say which models it has: %s", cmp.Or(l.account.Name, l.account.ID), firstLine(l.err)))
		}
	}
	return lists, nil
}

// ask asks the provider.
func (l *listing) ask(ctx context.Context, accounts *auth.Accounts) {
	client, err := provider.Open(l.account.Access, accounts.NetworkOf(l.account, accounts.Network))
	if err == nil {
		l.models, err = client.Models(ctx)
	}
	if l.err = err; errors.Is(err, context.DeadlineExceeded) {
		l.err = fmt.Errorf("no answer in %d s", patience/time.Second)
	}
	l.models = slices.DeleteFunc(l.models, func(m catalog.Model) bool { return !l.wants(m.Name) })
}

// wants reports whether a model's name has one of the words in it.
func (l *listing) wants(name string) bool {
	return len(l.words) == 0 || slices.ContainsFunc(l.words, func(word string) bool {
		return strings.Contains(strings.ToLower(name), strings.ToLower(word))
	})
}

// wanted returns who is to be asked: these providers; without names all that can be
// reached, and the servers that are found on this machine.
func wanted(ctx context.Context, accounts *auth.Accounts, names []string) ([]listing, error) {
	var lists []listing
	for _, name := range names {
		id, word, _ := strings.Cut(name, "/") // no word is in all names
		account, err := accounts.Find(id)
		if err != nil && accounts.Table().Find(id) == nil {
			return nil, exit.Errorf(exit.Input, "No provider is named %q. There are: %s.", id, strings.Join(ids(accounts), ", "))
		}
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(lists, func(l listing) bool { return l.account.As == account.As })
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
		if !slices.ContainsFunc(lists, func(l listing) bool { return l.account.As == local.ID }) {
			lists = append(lists, listing{account: auth.Account{Type: auth.Type(local.ID), As: local.ID, Access: local}})
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

func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

// writeModels prints a table for people. What is not known is "-".
func writeModels(w io.Writer, lists []listing) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MODEL\tWINDOW\tANSWER\tTOOLS\tTHINKING\tIMAGES\t$/M IN\tCACHED\tOUT")
	for _, l := range lists {
		for _, m := range l.models {
			in, cached, out := "-", "-", "-"
			if p := m.Price; p != nil {
				in, out = rate(&p.Input), rate(&p.Output)
				cached = rate(p.CacheRead)
			}
			fmt.Fprintf(table, "%s/%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", cell(l.account.As), cell(m.Name), tokens(m.Input), tokens(m.Output),
				word(m.Tools), thinking(m), word(m.Images), in, cached, out)
		}
	}
	return table.Flush()
}

// cell returns a text from outside for one cell of a table: on one line, without
// what moves the cursor or turns the direction of writing.
func cell(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}

func word(a catalog.Ability) string {
	switch a {
	case catalog.Yes:
		return "yes"
	case catalog.No:
		return "no"
	}
	return "-"
}

func thinking(m catalog.Model) string {
	if len(m.Efforts) > 0 {
		return cell(strings.Join(m.Efforts, " "))
	}
	return word(m.Thinking)
}

func rate(usd *float64) string {
	if usd == nil {
		return "-"
	}
	return strconv.FormatFloat(math.Round(*usd*1e6)/1e6, 'f', -1, 64)
}

// tokens writes a number of tokens short: 200k, 1.05M.
func tokens(n int) string {
	switch {
	case n <= 0:
		return "-"
	case n < 1000:
		return strconv.Itoa(n)
	case n < 999_500:
		return strconv.Itoa((n+500)/1000) + "k"
	}
	return strconv.FormatFloat(float64((n+5000)/10_000)/100, 'f', -1, 64) + "M"
}

// modelJSON is a model in the list for programs. What is not known is null.
type modelJSON struct {
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

func writeModelsJSON(w io.Writer, lists []listing) error {
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
	list := []modelJSON{}
	for _, l := range lists {
		for _, m := range l.models {
			list = append(list, modelJSON{
				Provider: l.account.As, Model: m.Name, Window: number(m.Input), MaxOutput: number(m.Output),
				Tools: can(m.Tools), Thinking: can(m.Thinking), Efforts: m.Efforts,
				Images: can(m.Images), PDF: can(m.PDF), Audio: can(m.Audio), Video: can(m.Video), Price: m.Price,
			})
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(list)
}
