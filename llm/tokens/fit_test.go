package tokens

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

var fitFlag = flag.String("fit", "", "write costs.go from the texts in `directory`/<kind>/<file>")

// TestFit writes costs.go. The current file is based on one half of 8 MB of text:
// source of Go, Python, JavaScript (also minified), C, Rust and assembler, HTML, CSS,
// JSON, YAML, CSV, Markdown, manuals, licenses, diffs, logs, listings and other
// output of commands, hex, base64, and prose in Chinese, Japanese, Korean, Russian
// and a dozen languages in Latin script. The other half measures the error.
//
// Each cost starts as the frequency of token starts, with the same weight for each
// kind of text. TestFit then adjusts all costs to minimize the mean square of the
// relative error per text.
func TestFit(t *testing.T) {
	if *fitFlag == "" {
		t.Skip("costs are measured with -fit")
	}
	texts := readTexts(t, *fitFlag)
	var chosen, held []*sample
	for i, s := range texts {
		if i%2 == 0 {
			chosen = append(chosen, s)
		} else {
			held = append(held, s)
		}
	}
	common := measureHan(t)
	t.Logf("%d common characters", strings.Count(fmt.Sprintf("%b", common), "1"))
	f := &fit{common: common, texts: chosen, weight: weigh(chosen)}
	f.measurePairs()
	f.measureCosts()
	f.adjust()
	f.report(t, "measured with", chosen)
	f.report(t, "held back", held)
	if err := os.WriteFile("costs.go", f.source(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// sample is a text with counted tokens.
type sample struct {
	kind, text string
	begins     []uint8 // number of tokenizers (of two) that start a token at this byte
	tokens     float64
}

func tokenizers(t testing.TB) [2]tokenizer.Codec {
	t.Helper()
	var both [2]tokenizer.Codec
	for i, e := range []tokenizer.Encoding{tokenizer.O200kBase, tokenizer.Cl100kBase} {
		c, err := tokenizer.Get(e)
		if err != nil {
			t.Fatal(err)
		}
		both[i] = c
	}
	return both
}

func readTexts(t *testing.T, dir string) []*sample {
	t.Helper()
	both := tokenizers(t)
	var texts []*sample
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !utf8.Valid(data) || len(data) < 400 || bytes.IndexByte(data, 0) >= 0 {
			return nil
		}
		s := &sample{kind: filepath.Base(filepath.Dir(name)), text: string(data), begins: make([]uint8, len(data)+1)}
		for _, c := range both {
			_, tokens, err := c.Encode(s.text)
			if err != nil {
				return err
			}
			s.tokens += float64(len(tokens)) / 2
			at := 0
			for _, token := range tokens {
				s.begins[at]++
				at += len(token)
			}
			if at != len(data) {
				return fmt.Errorf("%s: tokens of %d bytes", name, at)
			}
		}
		texts = append(texts, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// weigh returns weights that give each kind of text the same total weight.
func weigh(texts []*sample) map[*sample]float64 {
	tokens := map[string]float64{}
	for _, s := range texts {
		tokens[s.kind] += s.tokens
	}
	weight := map[*sample]float64{}
	for _, s := range texts {
		weight[s] = 1 / tokens[s.kind]
	}
	return weight
}

type fit struct {
	texts  []*sample
	weight map[*sample]float64
	common [hanBytes]byte
	pairs  [27][27]byte // '0' to '3'
	costs  map[place]float64
}

// place is a state and a symbol, or several pairs that share a cost.
type place struct{ row, symbol int }

func placeOf(state, symbol int) place {
	letters, rare, upper, word := inWord(state)
	switch {
	case !word:
		return place{state, symbol}
	case symbol >= symDigit:
		return place{0, symbol}
	case symbol < symUpper && upper && letters > 1:
		return place{1000, symbol}
	case symbol >= symUpper && !upper:
		return place{2000 + rare, symUpper}
	}
	return place{3000 + wordState(letters, rare, false), symbol}
}

// walk calls visit for each character.
func (f *fit) walk(text string, visit func(at, size, state, symbol int, pair [2]uint8)) {
	state, last := start().state, uint8(0)
	for at, r := range text {
		size, symbol, letter := utf8.RuneLen(r), uint8(0), uint8(0)
		if r < utf8.RuneSelf {
			if symbol = byteSymbol(byte(r)); symbol < symDigit {
				letter = byte(r) & 31
			}
		} else {
			wide := runeSymbol(r, size)
			symbol, letter = uint8(wide), uint8(wide>>8)
			if i := r - firstHan; symbol == symHan || symbol == symRareHan {
				if symbol = symRareHan; i >= 0 && i < 8*hanBytes && f.common[i/8]>>(i%8)&1 == 1 {
					symbol = symHan
				}
			}
		}
		if last > 0 && letter > 0 && f.pairs[last-1][letter-1] != 0 {
			symbol += f.pairs[last-1][letter-1] - '0'
		}
		visit(at, size, int(state), int(symbol), [2]uint8{last, letter})
		state, last = uint16(next(int(state), int(symbol))), letter
	}
}

// measureHan finds the characters that take at most three tokens in both tokenizers.
func measureHan(t *testing.T) (common [hanBytes]byte) {
	both := tokenizers(t)
	for i := range 8 * hanBytes {
		n := 0
		for _, c := range both {
			tokens, err := c.Count(string(rune(firstHan + i)))
			if err != nil {
				t.Fatal(err)
			}
			n += tokens
		}
		if n <= 3 {
			common[i/8] |= 1 << (i % 8)
		}
	}
	return common
}

func (f *fit) measurePairs() {
	var seen, cut [27][27]float64
	for _, s := range f.texts {
		f.walk(s.text, func(at, size, state, symbol int, pair [2]uint8) {
			_, _, upper, _ := inWord(state)
			if pair[0] > 0 && pair[1] > 0 && (symbol < symUpper || upper) {
				seen[pair[0]-1][pair[1]-1] += f.weight[s]
				cut[pair[0]-1][pair[1]-1] += f.weight[s] * float64(s.begins[at]) / 2
			}
		})
	}
	for a := range seen {
		for b := range seen[a] {
			rarity := byte('0')
			for _, limit := range []float64{.06, .14, .28} {
				if (cut[a][b]+.3e-6)/(seen[a][b]+1e-6) >= limit {
					rarity++
				}
			}
			f.pairs[a][b] = rarity
		}
	}
}

func (f *fit) measureCosts() {
	seen := map[place]float64{}
	f.costs = map[place]float64{}
	for _, s := range f.texts {
		carry := 0.0 // the text after a run of white space decides where the run is split
		f.walk(s.text, func(at, size, state, symbol int, _ [2]uint8) {
			here := carry
			for i := at; i < at+size; i++ {
				here += float64(s.begins[i]) / 2
			}
			p := placeOf(state, symbol)
			seen[p] += f.weight[s]
			if carry = 0; symbol == symSpace && at+size < len(s.text) {
				carry, here = here, 0
			}
			f.costs[p] += here * f.weight[s]
		})
	}
	for p := range f.costs {
		f.costs[p] /= seen[p]
	}
}

func (f *fit) count(s *sample) map[place]float64 {
	n := map[place]float64{}
	f.walk(s.text, func(_, _, state, symbol int, _ [2]uint8) { n[placeOf(state, symbol)]++ })
	return n
}

// adjust fits the costs by least squares, with a penalty for differences from the
// measured ones.
func (f *fit) adjust() {
	const hold = 0.006
	index, places := map[place]int{}, []place{}
	for p := range f.costs {
		index[p] = len(places)
		places = append(places, p)
	}
	perKind := map[string]float64{}
	for _, s := range f.texts {
		perKind[s.kind]++
	}
	a, b := make([][]float64, len(places)), make([]float64, len(places))
	for i := range a {
		a[i] = make([]float64, len(places))
		a[i][i] = hold
	}
	for _, s := range f.texts {
		weight := min(1, s.tokens/2000) / perKind[s.kind]
		left, n := 1.0, f.count(s)
		for p, times := range n {
			left -= f.costs[p] * times / s.tokens
		}
		for p, times := range n {
			i, x := index[p], times/s.tokens*weight
			b[i] += x * left
			for q, times := range n {
				a[i][index[q]] += x * times / s.tokens
			}
		}
	}
	x := make([]float64, len(places))
	for range 300 { // Gauss-Seidel iteration, with costs of at least 0
		for i, row := range a {
			r := b[i]
			for k, v := range row {
				r -= v * x[k]
			}
			x[i] = max(x[i]+r/row[i], -f.costs[places[i]])
		}
	}
	for i, p := range places {
		f.costs[p] += x[i]
	}
}

func (f *fit) report(t *testing.T, what string, texts []*sample) {
	type sum struct{ n, guess, tokens, square, worst float64 }
	kinds := map[string]*sum{}
	for _, s := range texts {
		k := kinds[s.kind]
		if k == nil {
			k = new(sum)
			kinds[s.kind] = k
		}
		guess := 0.0
		for p, times := range f.count(s) {
			guess += f.costs[p] * times
		}
		off := guess/s.tokens - 1
		k.n, k.guess, k.tokens, k.square = k.n+1, k.guess+guess, k.tokens+s.tokens, k.square+off*off
		if math.Abs(off) > math.Abs(k.worst) {
			k.worst = off
		}
	}
	var lines []string
	for kind, k := range kinds {
		lines = append(lines, fmt.Sprintf("%-10s %3.0f texts %+5.1f%%, each ±%.1f%%, worst %+.1f%%",
			kind, k.n, 100*(k.guess/k.tokens-1), 100*math.Sqrt(k.square/k.n), 100*k.worst))
	}
	slices.Sort(lines)
	t.Logf("%s, %d places:\n%s", what, len(f.costs), strings.Join(lines, "\n"))
}

func (f *fit) source() []byte {
	at := func(state, symbol int) int {
		c, ok := f.costs[placeOf(state, symbol)]
		if !ok { // not in the texts
			c = 1
		}
		return min(int(math.Round(c*float64(Token))), 1<<9-1)
	}
	var b bytes.Buffer
	b.WriteString(`// Code generated by TestFit; DO NOT EDIT.

package tokens

// rarities holds how rarely a letter follows another, from 0 to 3: a row for each
// letter, one for all beyond ASCII.
var rarities = [27]string{
`)
	for _, row := range f.pairs {
		fmt.Fprintf(&b, "%q,\n", row[:])
	}
	b.WriteString("}\n\n// commonHan holds a bit for each character from U+4E00 on.\nvar commonHan = [hanBytes]byte{\n")
	for i, c := range f.common {
		fmt.Fprintf(&b, "%d,", c)
		if i%32 == 31 {
			b.WriteString("\n")
		}
	}
	b.WriteString("}\n\n// wordCosts holds the cost of a letter in a word, by state.\nvar wordCosts = [stateSpace][symDigit]uint16{\n")
	for state := range stateSpace {
		b.WriteString("{")
		for symbol := range symDigit {
			fmt.Fprintf(&b, "%d,", at(state, symbol))
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\n// costs holds the cost of a symbol after a word, in the first row, and in all other states.\nvar costs = [states - stateSpace + 1][symbols]uint16{\n")
	for state := stateSpace - 1; state < states; state++ {
		b.WriteString("{")
		for symbol := range symbols {
			c := at(state, symbol)
			if symbol < symDigit && (symbol%4 != 0 || state < stateSpace) {
				c = 0 // impossible, or in wordCosts
			}
			fmt.Fprintf(&b, "%d,", c)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	src, err := format.Source(b.Bytes())
	if err != nil {
		panic(err)
	}
	return src
}
