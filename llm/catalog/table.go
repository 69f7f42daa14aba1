package catalog

import (
	_ "embed"
	"iter"
	"strconv"
	"strings"
)

// models is the table of known models. Its first lines describe its columns.
//
//go:embed models.txt
var models string

// ForProvider returns the data of a provider's model: its row in the table,
// completed by [Lookup]. A row matches a name with or without a date. If only rows of
// other providers match, the result has no price. Name is model unchanged.
func ForProvider(provider, model string) Model {
	m := inTable(provider, model).WithDefaults(Lookup(model))
	m.Name = model
	return m
}

// inTable returns the row of the table for a provider's model, without a price if it is of another
// provider. It returns the zero value if there is none.
func inTable(provider, model string) Model {
	known, found := row{}, 0
	want := partsOf(model)
	for r := range rows() {
		if fit := r.matches(provider, model, want); fit > found {
			if known, found = r, fit; fit == fitsExactly {
				break
			}
		}
	}
	if found == 0 {
		return Model{}
	}
	m := known.model()
	if found == fitsElsewhere {
		m.Price = nil
	}
	return m
}

// Models yields the models of a provider in the table, in its order (newest first of
// a kind), with the same data as [ForProvider].
func Models(provider string) iter.Seq[Model] {
	return func(yield func(Model) bool) {
		for r := range rows() {
			if r.provider == provider && !yield(r.model().WithDefaults(Lookup(r.name))) {
				return
			}
		}
	}
}

// row is a line of the table.
type row struct{ provider, name, rest string }

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

// How well a row matches a model. 0 means that it does not match.
const (
	fitsElsewhere = 1 + iota // a row of another provider, or of another host
	fitsUndated              // except for the date
	fitsExactly
)

// matches returns how well a row matches a model of a provider, 0 for not at all.
func (r row) matches(provider, model string, want nameParts) int {
	if r.provider == provider && strings.EqualFold(r.name, model) {
		return fitsExactly
	}
	switch has := partsOf(r.name); {
	case has.baseName != want.baseName:
		return 0
	case r.provider == provider && has.tag == want.tag && (has.date == "" || want.date == "" || has.date == want.date):
		return fitsUndated
	}
	return fitsElsewhere
}

// nameParts are the parts of a model's name.
type nameParts struct {
	baseName string // result of baseName, with dashes between numbers
	date     string
	tag      string // part after ":" if it names a host, not a version
}

// partsOf splits a model's name.
func partsOf(model string) nameParts {
	n := nameParts{}
	n.baseName, n.date = splitDate(model)
	n.baseName = withDashes(n.baseName)
	if _, tag, _ := strings.Cut(model, ":"); strings.Trim(tag, "0123456789") != "" {
		n.tag = strings.ToLower(tag)
	}
	return n
}

// withDashes replaces the points in versions by dashes: 4.6 and 4p6 become 4-6.
func withDashes(s string) string {
	for i := 1; i < len(s)-1; i++ {
		if (s[i] == '.' || s[i] == 'p') && isDigit(s[i-1]) && isDigit(s[i+1]) {
			return s[:i] + "-" + withDashes(s[i+1:])
		}
	}
	return s
}

func (r row) model() Model {
	m := Model{Name: r.name, Tools: Yes}
	f := strings.Fields(r.rest)
	if len(f) != 8 {
		return m // TestTable checks that there is no such row
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

// ability parses a column with "yes", "no" or "-".
func ability(s string) Ability {
	switch s {
	case "yes":
		return Yes
	case "no":
		return No
	}
	return Unknown
}

// rate parses a price, nil if it is unknown.
func rate(s string) *float64 {
	if usd, err := strconv.ParseFloat(s, 64); err == nil {
		return &usd
	}
	return nil
}
