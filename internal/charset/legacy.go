package charset

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
)

// guess is an encoding that a text may have.
type guess struct {
	name  string
	codec encoding.Encoding
	// total is the sum of the values of the characters outside of ASCII, and mean their average: from
	// -3 for an invalid one to 2 for one of the most frequent ones.
	total, mean float64
	least       float64 // the least total that is sufficient evidence
}

// escape begins the sequences with which programs color text.
const escape = 0x1B

// minMean is the least mean of a text.
const minMean = 0.5

// detectLegacy returns the encoding other than Unicode that data probably has; ok is false if its
// characters are usual in none.
func detectLegacy(data []byte) (e Encoding, ok bool) {
	sample := sampleOf(data)
	guesses := append(guessMultibyte(sample), guessLetters(sample)...)
	controls := 0
	for _, c := range sample {
		if isControl(rune(c)) && c != escape {
			controls++
		}
	}
	for i, g := range guesses {
		guesses[i].mean += invalid * float64(controls) * g.mean / max(g.total, 1)
	}
	guesses = slices.DeleteFunc(guesses, func(g guess) bool { return g.mean < minMean || g.total < g.least })
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(b.mean, a.mean) })
	for _, g := range guesses {
		e := Encoding{name: g.name, codec: g.codec}
		if isPlausible(e.Decode(data)) {
			return e, true
		}
	}
	return Encoding{}, false
}

// sampleOf returns a part of data that begins with the first line that is not ASCII. It ends at a line end if it is not all
// of the rest.
func sampleOf(data []byte) []byte {
	first := asciiLen(data)
	sample := data[bytes.LastIndexByte(data[:first], '\n')+1:]
	if len(sample) > maxSample {
		sample = sample[:maxSample]
		if end := bytes.LastIndexByte(sample, '\n'); end >= 0 {
			sample = sample[:end+1]
		}
	}
	return sample
}

// isPlausible reports whether a decoded text has few invalid characters: one at its end, where it may
// have been cut off, or one in a hundred.
func isPlausible(text string) bool {
	text = strings.TrimSuffix(text, "\uFFFD")
	invalid := strings.Count(text, "\uFFFD")
	if invalid == 0 {
		return true
	}
	other := 0
	for _, r := range text {
		if r >= 0x80 {
			other++
		}
	}
	return 100*invalid <= other
}
