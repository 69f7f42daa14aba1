package charset

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// alphabet has the letters of a language, or of some, outside of ASCII, in lower case. Those before
// a space are the most frequent ones.
type alphabet struct {
	name    string
	page    *charmap.Charmap
	letters string
	value   float64 // of a letter
}

// alphabets returns the languages of encodings with one byte for a letter, the ones that are more
// common first. The last one of Windows-1252 is for texts in several languages.
func alphabets() []alphabet {
	return []alphabet{
		{"windows-1252", charmap.Windows1252, "éèêëàâçùûüîïôœæ", usual}, // French
		{"windows-1252", charmap.Windows1252, "äöüß", usual},            // German
		{"windows-1252", charmap.Windows1252, "áéíóúñü¿¡ºª", usual},     // Spanish
		{"windows-1252", charmap.Windows1252, "áâãàçéêíóôõúüºª", usual}, // Portuguese
		{"windows-1252", charmap.Windows1252, "àèéìíîòóùú", usual},      // Italian
		{"windows-1252", charmap.Windows1252, "åäöæøé", usual},          // Nordic languages
		{"windows-1252", charmap.Windows1252, "áðéíóúýþæö", usual},      // Icelandic
		{"windows-1252", charmap.Windows1252, "àáâãäåæçèéêëìíîïñòóôõöøùúûüœß", 0.8 * usual},
		{"windows-1250", charmap.Windows1250, "ąćęłńóśźż", usual},            // Polish
		{"windows-1250", charmap.Windows1250, "áčďéěíňóřšťúůýžäôĺľŕ", usual}, // Czech, Slovak
		{"windows-1250", charmap.Windows1250, "áéíóöőúüű", usual},            // Hungarian
		{"windows-1250", charmap.Windows1250, "ăâîşţșț", usual},              // Romanian
		{"windows-1250", charmap.Windows1250, "čćđšž", usual},                // Croatian, Slovenian
		{"windows-1251", charmap.Windows1251, "оеаинтсрвлк бгдёжзймпуфхцчшщъыьэюяіїєґўјљњћ", usual},
		{"KOI8-R", charmap.KOI8R, "оеаинтсрвлк бгдёжзймпуфхцчшщъыьэюя", usual},
		{"windows-1253", charmap.Windows1253, "αοιετσνηυρπ βγδζθκλμξφχψωςάέήίόύώϊϋΐΰ", usual},
		{"windows-1254", charmap.Windows1254, "çğıöşüâîİ", usual}, // Turkish
		{"windows-1255", charmap.Windows1255, "יוהלאמרתבש גדזחטךכםןנסעףפץצק", usual},
		{"windows-1256", charmap.Windows1256, "اليمنتروبهع ءآأؤإئةثجحخدذزسشصضطظغفقكىپچژگ", usual},
		{"windows-1257", charmap.Windows1257, "ąčęėįšųūžāēģīķļņõäöü", usual}, // Baltic languages
		{"windows-1258", charmap.Windows1258, "àáâèéêìíòóôùúýăđơư\u0300\u0301\u0303\u0309\u0323", usual},
	}
}

// punctuation has the signs that stand in texts of all languages.
const punctuation = "’‘“”„–—…•«»€£§°©®™±·×\u00a0№"

// Values of letters that are usual in a language, but not at this place.
const (
	capital    = 0.6
	lessUsual  = 0.7
	misplaced  = -1.0 // a capital after a small letter
	isolated   = 0.4  // a Latin letter outside of words
	mixed      = -2.0 // a letter of another script in a Latin word
	strange    = -1.5 // a character that the language does not have
	sign       = 0.3
	minLatin   = 0.4
	minForeign = 2.4 // about three letters of another script
)

// guessLetters returns the values of a text in encodings with one byte for a letter.
func guessLetters(text []byte) []guess {
	var guesses []guess
	counts := map[string]*usage{}
	for _, a := range alphabets() {
		u := counts[a.name]
		if u == nil {
			u = countUsage(text, a.page)
			counts[a.name] = u
		}
		guesses = append(guesses, u.guess(a))
	}
	return guesses
}

// usage counts the bytes of a text outside of ASCII, decoded with a page of characters.
type usage struct {
	chars [256]rune
	count [256]int
	// value is the sum of the values that the places of a byte have, if it is a letter of the language.
	value   [256]float64
	isLatin bool
}

func countUsage(text []byte, page *charmap.Charmap) *usage {
	u := &usage{isLatin: true}
	for i := range u.chars {
		u.chars[i] = page.DecodeByte(byte(i))
	}
	u.isLatin = !unicode.IsLetter(u.chars[0xE1]) || unicode.Is(unicode.Latin, u.chars[0xE1])
	at := func(i int) rune {
		if i < 0 || i >= len(text) {
			return 0
		}
		return u.chars[text[i]]
	}
	for i, c := range text {
		if c < utf8.RuneSelf {
			continue
		}
		u.count[c]++
		u.value[c] += u.placeValue(at(i-1), u.chars[c], at(i+1))
	}
	return u
}

// placeValue returns the value of a letter between two characters.
func (u *usage) placeValue(before, r, after rune) float64 {
	isASCIILetter := func(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }
	inASCII := isASCIILetter(before) || isASCIILetter(after)
	switch {
	case !u.isLatin && inASCII:
		return mixed
	case unicode.IsUpper(r) && unicode.IsLower(before):
		return misplaced
	case u.isLatin && !unicode.IsLetter(before) && !unicode.IsLetter(after):
		return isolated
	case unicode.IsUpper(r) && !unicode.IsUpper(before):
		return capital
	}
	return usual
}

// hasLetter reports whether a list has a letter, or the small letter for it.
func hasLetter(list string, r rune) bool {
	return strings.ContainsRune(list, r) || strings.ContainsRune(list, unicode.ToLower(r))
}

// guess returns the value of the text in a language.
func (u *usage) guess(a alphabet) guess {
	g := guess{name: a.name, codec: a.page, least: minForeign}
	if u.isLatin {
		g.least = minLatin
	}
	n, letters := 0, 0
	frequentLetters, otherLetters, _ := strings.Cut(a.letters, " ")
	for c, count := range u.count {
		if count == 0 {
			continue
		}
		n += count
		switch r := u.chars[c]; {
		case r == utf8.RuneError || unicode.IsControl(r):
			g.total += invalid * float64(count)
		case hasLetter(frequentLetters, r):
			g.total += a.value * u.value[c]
			letters += count
		case hasLetter(otherLetters, r):
			g.total += lessUsual * a.value * u.value[c]
			letters += count
		case strings.ContainsRune(punctuation, r):
			g.total += sign * float64(count)
		default:
			g.total += strange * float64(count)
		}
	}
	if n > 0 {
		g.mean = g.total / float64(n)
	}
	if letters == 0 && g.total > 0 && u.isLatin && a.name == "windows-1252" {
		g.least, g.mean = 0, minMean // only signs, which most pages have in the same places
	}
	return g
}
