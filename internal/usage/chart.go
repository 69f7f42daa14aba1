package usage

import (
	"math"
	"strings"
	"time"

	"pollux/internal/wording"
)

// maxBars is the maximum number of days in a chart, the last ones.
const maxBars = 31

// Chart returns the cost of each day as bars, or the tokens if a cost is unknown. Each line is at most
// width columns wide. It returns "" for another report, for less than two days, and if width is too
// small. Bars are ASCII characters unless isUTF8 is set.
func (r *Report) Chart(width int, isUTF8 bool) string {
	if r.By != Day || len(r.Rows) < 2 {
		return ""
	}
	title, amount := "Tokens by day", func(row *Row) float64 { return float64(row.Tokens.Total) }
	label := func(row *Row) string { return wording.Tokens(row.Tokens.Total) }
	if r.Total.Cost.Unknown == 0 && r.Total.Cost.USD > 0 {
		title, amount = "Cost by day", func(row *Row) float64 { return row.Cost.USD }
		label = func(row *Row) string { return row.Cost.String() }
	}
	days := r.allDays()
	highest, longest := 0.0, 0
	for i := range days {
		highest, longest = max(highest, amount(&days[i])), max(longest, len(label(&days[i])))
	}
	const least = 10
	room := width - len("2026-11-21  ") - 1 - longest
	if highest == 0 || room < least {
		return ""
	}
	var b strings.Builder
	b.WriteString(title + "\n")
	for i := range days {
		line := days[i].Name + "  "
		if n := amount(&days[i]); n > 0 {
			line += bar(n/highest, min(room, 50), isUTF8) + " " + label(&days[i])
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// allDays returns a row for each day up to the last one, also for those without use.
func (r *Report) allDays() []Row {
	byDay := map[string]*Row{}
	for i := range r.Rows {
		byDay[r.Rows[i].Name] = &r.Rows[i]
	}
	var days []Row
	last, _ := time.Parse(time.DateOnly, r.Rows[len(r.Rows)-1].Name)
	for day := last; len(days) < maxBars && day.Format(time.DateOnly) >= r.Rows[0].Name; day = day.AddDate(0, 0, -1) {
		row := Row{Name: day.Format(time.DateOnly)}
		if known := byDay[row.Name]; known != nil {
			row = *known
		}
		days = append([]Row{row}, days...)
	}
	return days
}

// bar returns a bar for a part of a width, at least the shortest one.
func bar(part float64, width int, isUTF8 bool) string {
	if !isUTF8 {
		return strings.Repeat("#", max(1, int(math.Round(part*float64(width)))))
	}
	const eighths = "▏▎▍▌▋▊▉"
	n := max(1, int(math.Round(part*float64(width)*8)))
	text := strings.Repeat("█", n/8)
	if n%8 > 0 {
		text += string([]rune(eighths)[n%8-1])
	}
	return text
}
