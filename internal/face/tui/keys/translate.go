package keys

import (
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
)

// keyOf returns the event of a key that ultraviolet decoded, without its time. It returns false for keys that are part
// of no chord: modifiers alone, media keys, and keys with Hyper.
func keyOf(in uv.Key) (Key, bool) {
	mods, ok := modsOf(in.Mod)
	if !ok {
		return Key{}, false
	}
	text := printable(in.Text)
	code, ok := codeOf(in, mods)
	if !ok {
		return Key{}, false
	}
	k := Key{Chord: Chord{Mods: mods, Code: code}, IsRepeat: in.IsRepeat}
	shifted := in.ShiftedCode
	if mods&Shift != 0 && unicode.IsPrint(shifted) && shifted != in.BaseCode && !unicode.IsLetter(shifted) {
		k.Chord = Chord{Mods: mods &^ Shift, Code: shifted}
	}
	k.Chord = k.Chord.canonical()
	if mods&^Shift != 0 {
		return k, true
	}
	if text == "" || text == string(code) && k.Chord.Mods == 0 { // ultraviolet knows neither keypads nor Shift of symbols
		text = typedText(k.Chord)
	}
	k.Text = text
	return k, true
}

// typedText returns the character that a chord types; "" if it types none.
func typedText(c Chord) string {
	switch {
	case c.Code >= Numpad0 && c.Code <= Numpad0+9:
		return string('0' + c.Code - Numpad0)
	case c.Code >= NumpadAdd && c.Code <= NumpadSeparator:
		return "+-*/.,"[c.Code-NumpadAdd:][:1]
	case c.Code <= unicode.MaxRune && c.Mods == 0:
		return string(c.Code)
	}
	return ""
}

// modsOf returns the modifiers without lock keys. It returns false if Hyper is held down, which no chord has.
func modsOf(m uv.KeyMod) (mods Mods, ok bool) {
	if m&uv.ModShift != 0 {
		mods |= Shift
	}
	if m&uv.ModAlt != 0 {
		mods |= Alt
	}
	if m&uv.ModCtrl != 0 {
		mods |= Ctrl
	}
	// Terminals report the Command key as Super or, in the older encoding, as Meta.
	if m&(uv.ModSuper|uv.ModMeta) != 0 {
		mods |= Cmd
	}
	return mods, m&uv.ModHyper == 0
}

// codeOf returns the code of a key.
func codeOf(in uv.Key, mods Mods) (rune, bool) {
	code := in.Code
	switch {
	case code > unicode.MaxRune:
		return specialCode(code)
	case code == uv.KeyBackspace:
		return Backspace, true
	case code == uv.KeyTab:
		return Tab, true
	case code == uv.KeyEnter:
		return Enter, true
	case code == uv.KeyEscape:
		return Escape, true
	}
	if code >= utf8.RuneSelf && mods&^Shift != 0 && in.BaseCode > Space && in.BaseCode < del {
		return in.BaseCode, true // the Latin letter on a key of another script
	}
	return code, code == Space || unicode.IsGraphic(code) && code != unicode.ReplacementChar
}

// specialCode returns the code of a key that types no character, or of the numeric keypad. The keys of the keypad that
// move the cursor, and its Enter, are the ordinary keys.
func specialCode(code rune) (rune, bool) {
	switch {
	case code >= uv.KeyF1 && code <= uv.KeyF35:
		return F1 + code - uv.KeyF1, true
	case code >= uv.KeyKp0 && code <= uv.KeyKp9:
		return Numpad0 + code - uv.KeyKp0, true
	}
	switch code {
	case uv.KeyUp, uv.KeyKpUp:
		return Up, true
	case uv.KeyDown, uv.KeyKpDown:
		return Down, true
	case uv.KeyLeft, uv.KeyKpLeft:
		return Left, true
	case uv.KeyRight, uv.KeyKpRight:
		return Right, true
	case uv.KeyPgUp, uv.KeyKpPgUp:
		return PageUp, true
	case uv.KeyPgDown, uv.KeyKpPgDown:
		return PageDown, true
	case uv.KeyHome, uv.KeyKpHome, uv.KeyFind:
		return Home, true
	case uv.KeyEnd, uv.KeyKpEnd, uv.KeySelect:
		return End, true
	case uv.KeyInsert, uv.KeyKpInsert:
		return Insert, true
	case uv.KeyDelete, uv.KeyKpDelete:
		return Delete, true
	case uv.KeyBegin, uv.KeyKpBegin:
		return Clear, true
	case uv.KeyKpEnter:
		return Enter, true
	case uv.KeyKpEqual:
		return '=', true
	}
	return lockCode(code)
}

// lockCode returns the code of an operator of the numeric keypad, of a lock key or of a key beside those.
func lockCode(code rune) (rune, bool) {
	switch code {
	case uv.KeyKpPlus:
		return NumpadAdd, true
	case uv.KeyKpMinus:
		return NumpadSubtract, true
	case uv.KeyKpMultiply:
		return NumpadMultiply, true
	case uv.KeyKpDivide:
		return NumpadDivide, true
	case uv.KeyKpDecimal:
		return NumpadDecimal, true
	case uv.KeyKpComma, uv.KeyKpSep:
		return NumpadSeparator, true
	case uv.KeyCapsLock:
		return CapsLock, true
	case uv.KeyNumLock:
		return NumLock, true
	case uv.KeyScrollLock:
		return ScrollLock, true
	case uv.KeyPrintScreen:
		return PrintScreen, true
	case uv.KeyPause:
		return PauseBreak, true
	}
	return 0, false
}
