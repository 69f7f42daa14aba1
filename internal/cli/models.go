package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

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
		Use:   "models [provider...]",
		Short: "List the models that your providers offer, and what is known of them",
		RunE: func(cmd *cobra.Command, names []string) error {
			lists, err := listModels(cmd.Context(), t, env, names)
			if err != nil {
				return err
			}
			if asJSON {
				return writeModelsJSON(t.Out, lists)
			}
			return writeModels(t.Out, lists)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print a JSON array of objects")
	return cmd
}

// listing is what one provider offers.
type listing struct {
	account auth.Account
	models  []catalog.Model
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
	accounts, err := auth.Open(auth.Inputs{Settings: h.settings, Env: h.env, Warn: func(text string) { h.warn(text) }})
	if err != nil {
		return nil, err
	}
	accounts.Network.UserAgent = userAgent(func() string { return version(env) }, env)
	wanted, err := named(ctx, accounts, names)
	if err != nil {
		return nil, err
	}
	lists := make([]listing, len(wanted))
	var all sync.WaitGroup
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for i, account := range wanted {
		all.Go(func() {
			client, err := provider.Open(account.Access, accounts.Network)
			if err == nil {
				lists[i].models, err = client.Models(ctx)
			}
			lists[i].account = account
			if err != nil {
				h.warn(fmt.Sprintf("Warning: %s does not say which models it has: %s", cmp.Or(account.Name, account.ID), firstLine(err)))
			}
		})
	}
	all.Wait()
	return lists, nil
}

// named returns the accounts of these providers; without names all of them, and
// the servers that are found on this machine.
func named(ctx context.Context, accounts *auth.Accounts, names []string) ([]auth.Account, error) {
	var wanted []auth.Account
	for _, name := range names {
		account, err := accounts.Find(name)
		if err != nil && accounts.Table().Find(name) == nil {
			return nil, exit.Errorf(exit.Input, "No provider is named %q. There are: %s.", name, strings.Join(ids(accounts), ", "))
		}
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, account)
	}
	if len(names) > 0 {
		return wanted, nil
	}
	wanted = accounts.Reachable()
	for _, local := range accounts.Discover(ctx) {
		if !slices.ContainsFunc(wanted, func(a auth.Account) bool { return a.ID == local.ID }) {
			wanted = append(wanted, auth.Account{Type: auth.Type(local.ID), Access: local})
		}
	}
	if len(wanted) == 0 {
		_, err := accounts.Default()
		return nil, err
	}
	return wanted, nil
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
			fmt.Fprintf(table, "%s/%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.account.ID, clean(m.Name), tokens(m.Input), tokens(m.Output),
				word(m.Tools), thinking(m), word(m.Images), in, cached, out)
		}
	}
	return table.Flush()
}

func word(a catalog.Ability) string {
	return map[catalog.Ability]string{catalog.Yes: "yes", catalog.No: "no"}[a] + map[bool]string{true: "-"}[a == catalog.Unknown]
}

func thinking(m catalog.Model) string {
	if len(m.Efforts) > 0 {
		return strings.Join(m.Efforts, " ")
	}
	return word(m.Thinking)
}

func rate(usd *float64) string {
	if usd == nil {
		return "-"
	}
	return strconv.FormatFloat(*usd, 'f', -1, 64)
}

// tokens writes a number of tokens short: 200k, 1.05M.
func tokens(n int) string {
	switch {
	case n <= 0:
		return "-"
	case n < 1000:
		return strconv.Itoa(n)
	case n < 1_000_000:
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
				Provider: l.account.ID, Model: m.Name, Window: number(m.Input), MaxOutput: number(m.Output),
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
