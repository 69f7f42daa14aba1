package markdown

import "strings"

// addLine handles a line. It is a part of a paragraph if it is not whole.
func (s *Splitter) addLine(source string, isWhole bool) {
	c := cursor{line: withoutEnd(source)}
	matched := s.match(&c)
	if s.leaf.kind == Code || s.leaf.kind == HTML {
		if matched == len(s.stack) && s.addVerbatim(source, &c) {
			return
		}
		s.closeLeaf()
	}
	isStart, isHandled := s.start(source, &c, matched, isWhole)
	if isHandled {
		return
	}
	if !isStart {
		isLazy := s.leaf.kind == Paragraph && !c.isBlank()
		if !isLazy {
			s.close(matched)
		}
	}
	if c.isBlank() {
		s.closeLeaf()
		s.lead = append(s.lead, source...)
		s.hasGap = s.hasGap || !isStart
		return
	}
	if s.leaf.kind == Table {
		if isWhole && matched == len(s.stack) && !isStart && strings.Contains(c.trimmed(), "|") {
			s.addRow(source, c.trimmed())
			return
		}
		s.closeLeaf()
	}
	s.addText(source, c.trimmed())
}

// match moves the cursor over the prefixes of the open containers. It returns the number of containers that continue.
func (s *Splitter) match(c *cursor) (n int) {
	for n < len(s.stack) {
		in := s.stack[n]
		switch indent := c.indent(); {
		case in.isQuote():
			if !isQuote(c) {
				return n
			}
			c.takeQuote()
		case c.isBlank():
			if in.isNew && n == len(s.stack)-1 && s.leaf.kind == Blank {
				return n // an item can begin with one empty line
			}
		case indent >= in.indent:
			c.take(in.indent)
		default:
			return n
		}
		n++
	}
	return n
}

// isQuote reports whether the mark of a block quote is ahead.
func isQuote(c *cursor) bool { return c.indent() <= 3 && strings.HasPrefix(c.trimmed(), ">") }

// takeQuote moves over the mark of a block quote and a space.
func (c *cursor) takeQuote() {
	c.take(3)
	c.skip(1)
	c.take(1)
}

// start begins the containers and the leaf that the line starts. isStart reports that containers began. isHandled
// reports that nothing of the line remains.
func (s *Splitter) start(source string, c *cursor, matched int, isWhole bool) (isStart, isHandled bool) {
	for !c.isBlank() {
		isParagraph := s.leaf.kind == Paragraph && !isStart
		if c.indent() > 3 {
			if isParagraph || !isWhole {
				return isStart, false
			}
			s.close(matched)
			s.closeLeaf()
			s.leaf = leaf{kind: Code, indents: true}
			s.addVerbatim(source, c)
			return isStart, true
		}
		switch isInner := matched == len(s.stack); {
		case isWhole && isParagraph && isInner && s.addUnderline(source, c.trimmed()):
			return isStart, true
		case len(s.stack) < maxDepth && strings.HasPrefix(c.trimmed(), ">"):
			s.close(matched)
			c.takeQuote()
			s.push(container{})
		case isWhole && s.startLeaf(source, c, matched, isParagraph):
			return isStart, true
		case (len(s.stack) < maxDepth || !isInner && matched < maxDepth) && s.startItem(c, matched, isParagraph && isInner):
		default:
			return isStart, false
		}
		isStart, matched = true, len(s.stack)
	}
	return isStart, false
}

// startLeaf begins a block of one line, or one that begins with its first line. It returns false if the line begins
// none.
func (s *Splitter) startLeaf(source string, c *cursor, matched int, isParagraph bool) bool {
	line := c.trimmed()
	if level, text := headingLevel(line); level > 0 {
		s.close(matched)
		s.closeLeaf()
		s.emit(Block{Kind: Heading, Source: source, Level: level, text: clean(text)})
		return true
	}
	if f := fenceStart(line, c.indent()); f.mark != "" {
		s.close(matched)
		s.closeLeaf()
		s.lead = append(s.lead, source...)
		s.leaf = leaf{kind: Code, fence: f}
		s.setLanguage(languageOf(f.info))
		return true
	}
	if end := htmlStart(line, isParagraph); end != "" {
		s.close(matched)
		s.closeLeaf()
		s.leaf = leaf{kind: HTML, end: end}
		s.addVerbatim(source, c)
		return true
	}
	if isRule(line) {
		s.close(matched)
		s.closeLeaf()
		s.emit(Block{Kind: Rule, Source: source})
		return true
	}
	return false
}

// startItem begins a list item. It returns false if the line begins none.
func (s *Splitter) startItem(c *cursor, matched int, isParagraph bool) bool {
	marker := itemMarker(c.trimmed())
	if marker == "" {
		return false
	}
	after := *c
	indent := after.indent()
	after.take(indent)
	after.skip(len(marker))
	isEmpty := after.isBlank()
	// Only a list that cannot be meant as text interrupts a paragraph.
	if isParagraph && (isEmpty || len(marker) > 1 && marker[:len(marker)-1] != "1") {
		return false
	}
	spaces := after.indent()
	if isEmpty || spaces > 4 {
		spaces = 1
	}
	after.take(spaces)
	s.close(matched)
	*c = after
	if len(marker) == 1 {
		marker = "-"
	}
	s.push(container{marker: marker + " ", indent: indent + len(marker) + spaces, isNew: true})
	return true
}

// push opens a container.
func (s *Splitter) push(c container) {
	s.closeLeaf()
	s.ids++
	c.id = s.ids
	s.stack = append(s.stack, c)
}

// close ends the containers behind the first n ones, if there are any, and the leaf in them.
func (s *Splitter) close(n int) {
	if n < len(s.stack) {
		s.closeLeaf()
	}
	for len(s.stack) > n {
		if s.stack[len(s.stack)-1].isNew {
			s.emit(Block{Kind: Paragraph}) // an empty item
		}
		s.stack = s.stack[:len(s.stack)-1]
	}
}
