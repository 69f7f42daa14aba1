package llm

// IsNested reports whether objects and lists in JSON text are nested deeper than depth. It reads any text, also
// JSON that decoders refuse.
func IsNested(text []byte, depth int) bool {
	open, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			if open++; open > depth {
				return true
			}
		case c == ']' || c == '}':
			open--
		}
	}
	return false
}
