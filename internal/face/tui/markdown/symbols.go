package markdown

// symbol returns the character of a LaTeX command, "" if it is unknown.
func symbol(name string) string {
	if s := greek(name); s != "" {
		return s
	}
	if s := arrow(name); s != "" {
		return s
	}
	switch name {
	case "times":
		return "×"
	case "div":
		return "÷"
	case "cdot":
		return "·"
	case "pm":
		return "±"
	case "mp":
		return "∓"
	case "ast":
		return "∗"
	case "star":
		return "⋆"
	case "circ":
		return "∘"
	case "bullet":
		return "•"
	case "oplus":
		return "⊕"
	case "otimes":
		return "⊗"
	case "infty":
		return "∞"
	case "partial":
		return "∂"
	case "nabla":
		return "∇"
	case "sum":
		return "∑"
	case "prod":
		return "∏"
	case "int":
		return "∫"
	case "iint":
		return "∬"
	case "oint":
		return "∮"
	case "ldots", "dots", "cdots":
		return "…"
	}
	if s := relation(name); s != "" {
		return s
	}
	if s := sign(name); s != "" {
		return s
	}
	return logic(name)
}

// relation returns the character of a command that compares.
func relation(name string) string {
	switch name {
	case "leq", "le", "leqslant":
		return "≤"
	case "geq", "ge", "geqslant":
		return "≥"
	case "neq", "ne":
		return "≠"
	case "ll":
		return "≪"
	case "gg":
		return "≫"
	case "approx":
		return "≈"
	case "equiv":
		return "≡"
	case "sim":
		return "∼"
	case "simeq":
		return "≃"
	case "cong":
		return "≅"
	case "propto":
		return "∝"
	}
	return ""
}

// sign returns the character of a command of a bracket, a unit, or geometry.
func sign(name string) string {
	switch name {
	case "prime":
		return "′"
	case "degree":
		return "°"
	case "angle":
		return "∠"
	case "perp":
		return "⊥"
	case "parallel":
		return "∥"
	case "mid":
		return "|"
	case "langle":
		return "⟨"
	case "rangle":
		return "⟩"
	case "lceil":
		return "⌈"
	case "rceil":
		return "⌉"
	case "lfloor":
		return "⌊"
	case "rfloor":
		return "⌋"
	case "hbar":
		return "ℏ"
	case "ell":
		return "ℓ"
	case "checkmark":
		return "✓"
	}
	return ""
}

// logic returns the character of a command of logic and sets.
func logic(name string) string {
	switch name {
	case "in":
		return "∈"
	case "notin":
		return "∉"
	case "ni":
		return "∋"
	case "subset":
		return "⊂"
	case "subseteq":
		return "⊆"
	case "supset":
		return "⊃"
	case "supseteq":
		return "⊇"
	case "cup":
		return "∪"
	case "cap":
		return "∩"
	case "setminus":
		return "∖"
	case "emptyset", "varnothing":
		return "∅"
	case "forall":
		return "∀"
	case "exists":
		return "∃"
	case "nexists":
		return "∄"
	case "neg", "lnot":
		return "¬"
	case "land", "wedge":
		return "∧"
	case "lor", "vee":
		return "∨"
	case "therefore":
		return "∴"
	case "because":
		return "∵"
	case "top":
		return "⊤"
	case "bot":
		return "⊥"
	case "vdash":
		return "⊢"
	case "models":
		return "⊨"
	case "blacksquare":
		return "■"
	case "square":
		return "□"
	}
	return ""
}

// arrow returns the character of a command of an arrow.
func arrow(name string) string {
	switch name {
	case "to", "rightarrow":
		return "→"
	case "leftarrow", "gets":
		return "←"
	case "leftrightarrow":
		return "↔"
	case "uparrow":
		return "↑"
	case "downarrow":
		return "↓"
	case "Rightarrow":
		return "⇒"
	case "Leftarrow":
		return "⇐"
	case "Leftrightarrow":
		return "⇔"
	case "implies", "Longrightarrow":
		return "⟹"
	case "impliedby", "Longleftarrow":
		return "⟸"
	case "iff", "Longleftrightarrow":
		return "⟺"
	case "longrightarrow":
		return "⟶"
	case "longleftarrow":
		return "⟵"
	case "mapsto":
		return "↦"
	case "nearrow":
		return "↗"
	case "searrow":
		return "↘"
	case "hookrightarrow":
		return "↪"
	}
	return ""
}

// greek returns a Greek letter.
func greek(name string) string {
	const names = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma tau upsilon phi chi psi omega"
	const lower, upper = 'α', 'Α'
	switch name {
	case "varepsilon":
		return "ε"
	case "vartheta":
		return "ϑ"
	case "varphi":
		return "φ"
	case "varrho":
		return "ϱ"
	case "":
		return ""
	}
	first, lowered := rune(lower), name
	if 'A' <= name[0] && name[0] <= 'Z' {
		first, lowered = upper, string(name[0]+'a'-'A')+name[1:]
	}
	at := 0
	for i := 0; i < len(names); at++ {
		end := i
		for end < len(names) && names[end] != ' ' {
			end++
		}
		if names[i:end] == lowered {
			return string(first + rune(at))
		}
		i = end + 1
	}
	return ""
}
