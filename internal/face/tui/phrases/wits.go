package phrases

// wits returns the witty texts.
func wits() []string {
	return []string{
		"Counting the parentheses twice",
		"Asking the rubber duck",
		"Untangling the imports",
		"Reading the manual, for once",
		"Looking for the missing semicolon",
		"Negotiating with the compiler",
		"Turning coffee into tokens",
		"Blaming the cache",
		"Naming things, the hard part",
		"Off by one, or was it two",
		"Waking the garbage collector",
		"Sharpening the cursor",
		"Rebasing the train of thought",
		"Bisecting the universe",
		"Following the stack down the hole",
		"Warming up the transistors",
		"Polishing the edge cases",
		"Convincing the tests to pass",
		"Dividing by almost zero",
		"Chasing a pointer across the heap",
		"Rolling a fair die, just in case",
		"Herding the goroutines",
		"Sorting it out in n log n",
		"Checking both ends of the candle",
		"Hashing it over",
		"Waiting for the other thread to drop",
		"Committing to the idea",
		"Merging without conflicts, hopefully",
		"Feeding the regular expressions",
		"Aligning the stars, left-justified",
	}
}
