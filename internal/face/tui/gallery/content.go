package gallery

import "strings"

// home is the home directory of the user in the scenes, work the project: a program that predicts tides.
const (
	home = "/home/mira"
	work = home + "/tideline"
)

// names are those of a session in work.
type names struct{}

// ModeName implements [kit.Names].
func (names) ModeName() string { return "default" }

// ToolTitle implements [kit.Names].
func (names) ToolTitle(tool string) string {
	for i := range titles {
		if titles[i].tool == tool {
			return titles[i].title
		}
	}
	return ""
}

// ShortPath implements [kit.Names].
func (n names) ShortPath(path string) string {
	if inside, ok := strings.CutPrefix(path, work+"/"); ok {
		return inside
	}
	return n.ShortText(path)
}

// ShortText implements [kit.Names].
func (names) ShortText(text string) string { return strings.ReplaceAll(text, home, "~") }

// titles are the names of tools for people.
var titles = [...]struct{ tool, title string }{
	{"read_file", "ReadFile"},
	{"write_file", "WriteFile"},
	{"replace", "Edit"},
	{"list_directory", "ReadFolder"},
	{"grep_search", "SearchText"},
	{"web_fetch", "WebFetch"},
	{"run_shell_command", "Shell"},
	{"write_todos", "WriteTodos"},
	{"invoke_agent", "Invoke Subagent"},
	{"update_topic", "Update Topic Context"},
}

const longPrompt = `The forecast for Port Anselm is an hour early since the clocks changed. Find out where the time zone gets lost, fix it, and add a test with a date on each side of the change.

Leave the importer alone:
  scripts/import.py
is replaced next week.`

const headings = `# Where the hour goes

The station has a time zone, but the **predictor** never sees it.

## Cause

` + "`station.Load`" + ` reads the offset *once*, at start, and keeps it as a number of minutes.

### Fix

Keep the ***name*** of the zone, and let ~~the importer~~ the predictor look it up for each date.

---

> Offsets change twice a year. Names do not.`

const lists = `Three things to do:

1. Keep the zone's name in ` + "`Station`" + `.
2. Look the offset up for each date:
   - before the change, UTC+1
   - after it, UTC+2
     - also for years to come
3. Add a test.

- [x] Read the station file
- [ ] Run the tests with ` + "`-race`" + `

A wrapped item:

- The predictor works in UTC, so that two stations in different zones can be compared; only the printed table is in local time.`

const table = `| Station | Zone | High water | Height |
|:--------|:----:|-----------:|-------:|
| Port Anselm | Europe/Lisbon | 09:12 | 3.4 m |
| 港町 | Asia/Tokyo | 11:40 | 1.9 m |
| Cape Verrill | America/Halifax | 04:05 | **12.1 m** |`

const links = `The rules are in the [time zone database](https://www.iana.org/time-zones), and Go's ` + "`time.LoadLocation`" + ` reads them. See also https://pkg.go.dev/time#LoadLocation and [the notes](docs/zones.md).

The speed is $v = \frac{2\pi r}{T}$, with $r \approx 6371$ km.`
