// Package phrases has the texts that pass the time while the model works: tips about Pollux, and witty ones.
package phrases

import "time"

// Times for which a text stays.
const (
	tipTime = 10 * time.Second
	witTime = 5 * time.Second
)

// Player selects the text for a moment. The zero value has none.
type Player struct {
	tips, wits []string
	start      int // the number of the first text
}

// New returns a player for a value of the setting ui.loadingPhrases: "tips", "witty", "all", or "off", as is every other value.
// Custom texts, if there are any, replace the witty ones. start selects the first text: different numbers begin with different
// ones.
func New(kind string, custom []string, start int) *Player {
	p := &Player{start: max(start, 0)}
	if kind == "tips" || kind == "all" {
		p.tips = tips()
	}
	if kind == "witty" || kind == "all" {
		if p.wits = custom; len(custom) == 0 {
			p.wits = wits()
		}
	}
	return p
}

// Tip returns the tip after a time of work, "" for none.
func (p *Player) Tip(elapsed time.Duration) string { return p.pick(p.tips, elapsed, tipTime) }

// Wit returns the witty text after a time of work, "" for none.
func (p *Player) Wit(elapsed time.Duration) string { return p.pick(p.wits, elapsed, witTime) }

func (p *Player) pick(texts []string, elapsed, each time.Duration) string {
	if len(texts) == 0 {
		return ""
	}
	const step = 7 // so that neighbors in the list do not follow each other
	return texts[(p.start%len(texts)+int(max(elapsed, 0)/each)*stepOf(step, len(texts)))%len(texts)]
}

// stepOf returns a step that reaches all of n texts.
func stepOf(step, n int) int {
	if n%step == 0 {
		return 1
	}
	return step
}
