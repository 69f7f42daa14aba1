package catalog

import (
	_ "embed"
	"iter"
	"strconv"
	"strings"
)

// models is the table of spec/providers.md §6. Its head says what it holds.
//
//go:embed models.txt
var models string

// Of returns what is known of a provider's model: its row of the table, over
// what [Lookup] knows of its family. A name with a date finds the row without
// one, and the other way round. A model that only others have a row for is theirs
// in all but the price, which is each provider's own. Name is model as it is
// given.
func Of(provider, model string) Model {
	m := Model{Name: model}
	known, found := row{}, 0
	want := partsOf(model)
	for r := range rows() {
		if fit := r.fits(provider, model, want); fit > found {
			if known, found = r, fit; fit == fitsExactly {
				break
			}
		}
	}
	if found > 0 {
		k := known.model()
		if found == fitsElsewhere {
			k.Price = nil
		}
		m = m.Over(k)
	}
	return m.Over(Lookup(model))
}

// Models yields the models of the table that a provider has, as [Of] knows them,
// in the table's order: the newest of a kind first.
func Models(provider string) iter.Seq[Model] {
	return func(yield func(Model) bool) {
		for r := range rows() {
			if r.provider == provider && !yield(r.model().Over(Lookup(r.name))) {
				return
			}
		}
	}
}

// row is a line of the table.
type row struct{ provider, name, rest string }

// rows yields the table, line by line.
func rows() iter.Seq[row] {
	return func(yield func(row) bool) {
		for line := range strings.Lines(models) {
			if line[0] == '#' || line[0] == '\n' {
				continue
			}
			provider, rest, _ := strings.Cut(line, " ")
			name, rest, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
			if !yield(row{provider, name, rest}) {
				return
			}
		}
	}
}

// How well a row fits a model, from not at all.
const (
	fitsElsewhere = 1 + iota // another provider has this model, or another host of the same one
	fitsUndated              // but for the date
	fitsExactly
)

func (r row) fits(provider, model string, want nameParts) int {
	if r.provider == provider && strings.EqualFold(r.name, model) {
		return fitsExactly
	}
	switch has := partsOf(r.name); {
	case has.plain != want.plain:
		return 0
	case r.provider == provider && has.tag == want.tag && (has.date == "" || want.date == "" || has.date == want.date):
		return fitsUndated
	}
	return fitsElsewhere
}

// nameParts is a model's name taken apart.
type nameParts struct {
	plain string // as plain returns it, with dashes for what stands between numbers
	date  string
	tag   string // behind ":", where it says who serves the model, not which version it is
}

func partsOf(model string) nameParts {
	n := nameParts{}
	n.plain, n.date = undated(model)
	n.plain = dashed(n.plain)
	if _, tag, _ := strings.Cut(model, ":"); strings.Trim(tag, "0123456789") != "" {
		n.tag = strings.ToLower(tag)
	}
	return n
}

// dashed writes the points of versions as dashes, as some makers do: 4.6 and 4p6
// become 4-6.
func dashed(s string) string {
	for i := 1; i < len(s)-1; i++ {
		if (s[i] == '.' || s[i] == 'p') && isDigit(s[i-1]) && isDigit(s[i+1]) {
			return s[:i] + "-" + dashed(s[i+1:])
		}
	}
	return s
}

// model parses what the table says of a model.
func (r row) model() Model {
	m := Model{Name: r.name, Tools: Yes}
	f := strings.Fields(r.rest)
	if len(f) != 8 {
		return m // a test holds that there is no such row
	}
	m.Input, _ = strconv.Atoi(f[0])
	m.Output, _ = strconv.Atoi(f[1])
	if in, out := rate(f[2]), rate(f[3]); in != nil && out != nil {
		m.Price = &Price{Input: *in, Output: *out, CacheRead: rate(f[4]), CacheWrite: rate(f[5])}
	}
	switch f[6] {
	case "-", "no", "yes":
		m.Thinking = ability(f[6])
	default:
		m.Thinking, m.Efforts = Yes, strings.Split(f[6], ",")
	}
	m.Images = ability(f[7])
	if m.Images == No {
		m.PDF = No
	}
	return m
}

func ability(s string) Ability {
	switch s {
	case "yes":
		return Yes
	case "no":
		return No
	}
	return Unknown
}

func rate(s string) *float64 {
	if usd, err := strconv.ParseFloat(s, 64); err == nil {
		return &usd
	}
	return nil
}
