package charset

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// Values of characters.
const (
	invalid  = -3.0
	rare     = -1.0
	usual    = 1.0
	frequent = 1.0 // in addition to usual
)

// multibyte is an East Asian encoding. Each has its usual characters in a block of their own.
type multibyte struct {
	name  string
	codec encoding.Encoding
	// first returns the length and the value of the character that begins with a byte outside of ASCII.
	// The text has at least two bytes.
	first func(b []byte) (n int, value float64)
	// frequent has the most frequent characters, if those of first do not suffice to tell the encoding
	// from others.
	frequent string
	least    float64 // the least total that is sufficient evidence
}

// multibytes returns the East Asian encodings, the ones that are more common first.
func multibytes() []multibyte {
	return []multibyte{
		{"GB18030", simplifiedchinese.GB18030, firstGB, "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然" +
			"数据文件函返回错误设置测试如果输入字符名类型值参当前使法请默认", 2},
		{"Big5", traditionalchinese.Big5, firstBig5, "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然" +
			"資料檔案函傳回錯誤設定測試如果輸入字元名類型值參當前使法請預", 2},
		{"Shift_JIS", japanese.ShiftJIS, firstShiftJIS, "", 3},
		{"EUC-JP", japanese.EUCJP, firstEUCJP, "", 3},
		{"EUC-KR", korean.EUCKR, firstEUCKR, "이다는의에을가하고지한로기를은도사어리대자나그인서시해스있라일아수정게니부전보장들조제구동주원상신비무안여공성소관중" +
			"오문과만면러세할위적모때경생용것요발습파명입출력함데터값식트녕", 2},
	}
}

// guessMultibyte returns the values of a text in East Asian encodings.
func guessMultibyte(text []byte) []guess {
	var guesses []guess
	for _, m := range multibytes() {
		g := guess{name: m.name, codec: m.codec, least: m.least}
		n := 0
		for at := asciiLen(text); at+1 < len(text); at += asciiLen(text[at:]) {
			size, value := m.first(text[at:])
			if value > 0 && isInWord(text, at, at+size) {
				value = rare
			}
			g.total += value
			n++
			if at += size; at >= len(text) {
				break
			}
		}
		if n == 0 {
			continue
		}
		if g.total > 0 && m.frequent != "" {
			g.total += frequent * float64(countFrequent(Encoding{codec: m.codec}.Decode(text), m.frequent))
		}
		g.mean = g.total / float64(n)
		guesses = append(guesses, g)
	}
	return guesses
}

// isInWord reports whether a character is a single one in a word of ASCII letters, if these include its second byte.
// It is rather an accented letter.
func isInWord(text []byte, from, to int) bool {
	last := text[min(to, len(text))-1]
	return last < 0x80 && (from == 0 || text[from-1] < 0x80) && (to >= len(text) || text[to] < 0x80)
}

// countFrequent returns how many characters of a text are in a list.
func countFrequent(text, list string) int {
	known := map[rune]bool{}
	for _, r := range list {
		known[r] = true
	}
	n := 0
	for _, r := range text {
		if r >= 0x80 && known[r] {
			n++
		}
	}
	return n
}

// is reports whether c is in the range from lo to hi.
func is(c, lo, hi byte) bool { return lo <= c && c <= hi }

// firstGB values the common characters of GB 2312, which its first level has, and its punctuation.
func firstGB(b []byte) (int, float64) {
	switch lead, trail := b[0], b[1]; {
	case is(lead, 0x81, 0xFE) && is(trail, '0', '9') && len(b) >= 4 && is(b[2], 0x81, 0xFE) && is(b[3], '0', '9'):
		return 4, rare
	case !is(lead, 0x81, 0xFE), trail < 0x40, trail == 0x7F, trail == 0xFF:
		return 1, invalid
	case trail >= 0xA1 && (is(lead, 0xB0, 0xD7) || is(lead, 0xA1, 0xA3)), lead == 0xA9 && is(trail, 0xA4, 0xEF):
		return 2, usual
	}
	return 2, rare
}

// firstBig5 values the first level of characters, and punctuation.
func firstBig5(b []byte) (int, float64) {
	switch lead, trail := b[0], b[1]; {
	case !is(lead, 0x87, 0xFE), !is(trail, 0x40, 0x7E) && !is(trail, 0xA1, 0xFE):
		return 1, invalid
	case is(lead, 0xA4, 0xC6), is(lead, 0xA1, 0xA3):
		return 2, usual
	}
	return 2, rare
}

// firstShiftJIS values kana, the first level of characters, and punctuation.
func firstShiftJIS(b []byte) (int, float64) {
	lead, trail := b[0], b[1]
	switch {
	case is(lead, 0xA1, 0xDF): // katakana of half the width
		return 1, rare / 2
	case !is(lead, 0x81, 0xFC), lead == 0xA0, trail < 0x40, trail == 0x7F, trail > 0xFC:
		return 1, invalid
	case lead == 0x82 && is(trail, 0x9F, 0xF1), lead == 0x83 && is(trail, 0x40, 0x96):
		return 2, usual + frequent
	case lead == 0x81 && trail <= 0xAC, lead == 0x82 && is(trail, 0x4F, 0x9A):
		return 2, usual
	case lead == 0x88 && trail >= 0x9F, is(lead, 0x89, 0x97), lead == 0x98 && trail <= 0x72:
		return 2, usual
	}
	return 2, rare
}

// firstEUCJP values kana, the first level of characters, and punctuation.
func firstEUCJP(b []byte) (int, float64) {
	lead, trail := b[0], b[1]
	switch {
	case lead == 0x8E && is(trail, 0xA1, 0xDF):
		return 2, rare / 2
	case lead == 0x8F && len(b) > 2 && trail >= 0xA1 && b[2] >= 0xA1:
		return 3, rare
	case !is(lead, 0xA1, 0xFE), !is(trail, 0xA1, 0xFE):
		return 1, invalid
	case lead == 0xA4 && trail <= 0xF3, lead == 0xA5 && trail <= 0xF6:
		return 2, usual + frequent
	case is(lead, 0xA1, 0xA3), is(lead, 0xB0, 0xCF):
		return 2, usual
	}
	return 2, rare
}

// firstEUCKR values the syllables of KS X 1001, and punctuation.
func firstEUCKR(b []byte) (int, float64) {
	switch lead, trail := b[0], b[1]; {
	case !is(lead, 0x81, 0xFE), !is(trail, 'A', 'Z') && !is(trail, 'a', 'z') && !is(trail, 0x81, 0xFE):
		return 1, invalid
	case trail >= 0xA1 && (is(lead, 0xB0, 0xC8) || is(lead, 0xA1, 0xA3)):
		return 2, usual
	}
	return 2, rare
}
