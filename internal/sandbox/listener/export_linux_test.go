package listener

// ParseListening is parseListening.
var ParseListening = parseListening

// IsBelow is restrictions.isBelow, for processes with these numbers of filters and namespaces.
func IsBelow(isUnraised bool, filters, nested, ownFilters, ownNested int) bool {
	return restrictions{filters, isUnraised, nested, true}.isBelow(restrictions{filters: ownFilters, nested: ownNested, isDescribed: true})
}
