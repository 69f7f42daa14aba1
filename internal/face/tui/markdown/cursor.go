package markdown

import "strings"

// cursor reads the prefix of a line: indentation and marks of containers. A tab reaches to the next multiple of four
// columns.
type cursor struct {
	line   string // without line end
	at     int
	column int
	spare  int // columns that remain of a tab that was taken in part
}

// indent returns the number of columns of white space ahead.
func (c *cursor) indent() int {
	column := c.column + c.spare
	for _, b := range []byte(c.line[c.at:]) {
		switch b {
		case ' ':
			column++
		case '\t':
			column += 4 - column%4
		default:
			return column - c.column
		}
	}
	return column - c.column
}

// take moves over at most n columns of white space.
func (c *cursor) take(n int) {
	for n > 0 {
		switch {
		case c.spare > 0:
			c.spare--
		case c.at < len(c.line) && c.line[c.at] == ' ':
			c.at++
		case c.at < len(c.line) && c.line[c.at] == '\t':
			c.at++
			c.spare = 3 - c.column%4
		default:
			return
		}
		c.column++
		n--
	}
}

// skip moves over n bytes that are not white space.
func (c *cursor) skip(n int) {
	c.at += n
	c.column += n
}

// isBlank reports whether only white space is ahead.
func (c *cursor) isBlank() bool { return strings.Trim(c.line[c.at:], " \t") == "" }

// trimmed returns the rest of the line without white space before it.
func (c *cursor) trimmed() string { return strings.TrimLeft(c.line[c.at:], " \t") }

// rest returns the rest of the line, with spaces for the rest of a tab.
func (c *cursor) rest() string { return strings.Repeat(" ", c.spare) + c.line[c.at:] }
