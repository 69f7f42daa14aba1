package markdown

import "strings"

// maxMathDepth is the number of nested groups of a formula that are converted.
const maxMathDepth = 8

// unicodeMath returns a LaTeX formula as Unicode text. Unknown commands stay.
func unicodeMath(source string) string {
	m := formulaReader{source: strings.TrimSpace(strings.ReplaceAll(source, "\n", " "))}
	return strings.TrimSpace(m.read(maxMathDepth))
}

// formulaReader converts a formula.
type formulaReader struct {
	source string
	at     int
}

// read converts until the end of the group.
func (m *formulaReader) read(depth int) string {
	var b strings.Builder
	for m.at < len(m.source) {
		if m.source[m.at] == '}' {
			return b.String()
		}
		b.WriteString(m.next(depth))
	}
	return b.String()
}

// next converts a character, a command, or a group.
func (m *formulaReader) next(depth int) string {
	c := m.source[m.at]
	m.at++
	switch {
	case c == '{' && depth > 0:
		text := m.read(depth - 1)
		m.at = min(m.at+1, len(m.source)) // the closing brace
		return text
	case c == '^' && depth > 0:
		return script(m.argument(depth), "^", superscript)
	case c == '_' && depth > 0:
		return script(m.argument(depth), "_", subscript)
	case c == '\\':
		return m.command(depth)
	case c == '\'':
		return "′"
	case c == '~':
		return " "
	}
	return m.source[m.at-1 : m.at]
}

// argument converts a group or a single character.
func (m *formulaReader) argument(depth int) string {
	for m.at < len(m.source) && m.source[m.at] == ' ' {
		m.at++
	}
	if m.at == len(m.source) || m.source[m.at] == '}' || depth == 0 {
		return ""
	}
	return m.next(depth - 1)
}

// command converts a command whose backslash was read.
func (m *formulaReader) command(depth int) string {
	from := m.at
	for m.at < len(m.source) && isLetter(m.source[m.at]) {
		m.at++
	}
	name := m.source[from:m.at]
	switch name {
	case "":
		return m.escaped()
	case "frac", "dfrac", "tfrac":
		above, below := m.argument(depth), m.argument(depth)
		return grouped(above) + "/" + grouped(below)
	case "sqrt":
		return "√" + grouped(m.argument(depth))
	case "text", "textbf", "textit", "mathrm", "mathbf", "mathit", "mathsf", "mathcal", "operatorname", "boxed", "bm", "boldsymbol", "mbox":
		return m.argument(depth)
	case "mathbb":
		return blackboard(m.argument(depth))
	case "left", "right", "big", "Big", "bigg", "Bigg", "displaystyle", "limits", "nolimits":
		return ""
	case "quad", "qquad":
		return "  "
	case "sin", "cos", "tan", "cot", "sec", "csc", "log", "ln", "exp", "lim", "max", "min", "sup", "inf", "det", "gcd", "arg", "deg", "dim", "ker", "mod", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "Pr":
		return name
	}
	if s := symbol(name); s != "" {
		return s
	}
	return "\\" + name
}

// escaped converts a backslash with a character that is no letter.
func (m *formulaReader) escaped() string {
	if m.at == len(m.source) {
		return "\\"
	}
	c := m.source[m.at]
	m.at++
	switch c {
	case ',', ';', ':', ' ', '\\':
		return " "
	case '!':
		return ""
	case '|':
		return "‖"
	}
	return m.source[m.at-1 : m.at]
}

// grouped returns text in parentheses if it is more than one character or number.
func grouped(text string) string {
	if len([]rune(text)) <= 1 || strings.Trim(text, "0123456789.") == "" {
		return text
	}
	return "(" + text + ")"
}

// script returns raised or lowered text, or the text behind a mark if Unicode does not have all its characters.
func script(text, mark string, convert func(rune) rune) string {
	var b strings.Builder
	for _, r := range text {
		c := convert(r)
		if c == 0 {
			return mark + grouped(text)
		}
		b.WriteRune(c)
	}
	return b.String()
}

func superscript(r rune) rune {
	return counterpart(r, "0123456789+-=()niabcdefghjklmoprstuvwxyzT′*", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀ′*")
}

func subscript(r rune) rune {
	return counterpart(r, "0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
}

// counterpart returns the character of to at the place of r in from, 0 if from does not have it.
func counterpart(r rune, from, to string) rune {
	place := 0
	for _, f := range from {
		if f == r {
			for _, t := range to {
				if place == 0 {
					return t
				}
				place--
			}
		}
		place++
	}
	return 0
}

// blackboard returns the names of sets of numbers in double-struck letters.
func blackboard(text string) string {
	return strings.NewReplacer("R", "ℝ", "N", "ℕ", "Z", "ℤ", "Q", "ℚ", "C", "ℂ", "E", "𝔼", "P", "ℙ").Replace(text)
}
