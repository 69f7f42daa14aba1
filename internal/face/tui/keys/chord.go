package keys

import "unicode"

// Mods is a set of modifier keys. Lock keys are not part of it.
type Mods uint8

// Modifier keys. Alt is Option on a Mac; Cmd is the Command, Windows or Super key.
const (
	Ctrl Mods = 1 << iota
	Alt
	Cmd
	Shift
)

// Chord is a key with the modifiers held down. The zero value is no chord; chords can be compared with ==.
//
// One chord has one value: letters are lower case with [Shift] in Mods, and other characters that need Shift on a US
// keyboard stand for themselves, without [Shift]: "ctrl+shift+-" is "ctrl+_". Terminals report such keys either way.
type Chord struct {
	Mods Mods
	Code rune // a character, or one of the codes below, which are no characters
}

// Codes of keys that type no character, and of the keys of the numeric keypad. Space is a character.
const (
	Up rune = unicode.MaxRune + 1 + iota
	Down
	Left
	Right
	PageUp
	PageDown
	Home
	End
	Tab
	Enter
	Escape
	Backspace
	Delete
	Clear
	Insert
	CapsLock
	NumLock
	ScrollLock
	PrintScreen
	PauseBreak
	NumpadAdd
	NumpadSubtract
	NumpadMultiply
	NumpadDivide
	NumpadDecimal
	NumpadSeparator
	Numpad0 // Numpad1 is Numpad0+1, up to Numpad0+9
	F1      = Numpad0 + 10
	F35     = F1 + 34 // F2 is F1+1
	Space   = ' '
)

// canonical returns the value that stands for the chord, whichever way a terminal or a user spells it.
func (c Chord) canonical() Chord {
	if c.Code > unicode.MaxRune {
		return c
	}
	if unicode.IsUpper(c.Code) {
		return Chord{Mods: c.Mods | Shift, Code: unicode.ToLower(c.Code)}
	}
	if c.Mods&Shift == 0 {
		return c
	}
	for i := 0; i < len(symbols); i += 2 {
		if c.Code == rune(symbols[i]) || c.Code == rune(symbols[i+1]) {
			return Chord{Mods: c.Mods &^ Shift, Code: rune(symbols[i+1])}
		}
	}
	return c
}

// symbols are the keys of a US keyboard that are not letters, each followed by its character with Shift.
const symbols = "`~1!2@3#4$5%6^7&8*9(0)-_=+[{]}\\|;:'\",<.>/?"
