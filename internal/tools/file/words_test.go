package file

import (
	"strings"
	"testing"
)

// TestMeaning checks which differences between old_string and a line of the file are bridged:
// none in numbers, operators, logical words and text in quotes, unless new_string has that text
// as the file has it.
func TestMeaning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, old, new string
		want                 string // "" for an edit that is refused
	}{
		{"number", "self.assertEqual(discount(50), 3.5)", "self.assertEqual(discount(10), 3.5)", "self.assertEqual(discount(10), 6.3)", ""},
		{"number that is removed", "self.assertEqual(discount(50), 3.5)", "self.assertEqual(discount(10), 3.5)", "pass", ""},
		{"number in the file alone", "self.assertEqual(discount(), 3.5)", "self.assertEqual(discount(1), 3.5)", "self.assertEqual(discount(1), 6.3)", ""},
		{"decimal point", "self.assertEqual(discount(), 3.5)", "self.assertEqual(discount(), 35)", "self.assertNotEqual(discount(), 35)", ""},
		{"number of a name", "first_argument, argument2 = parse(line)", "first_argument, argument1 = parse(line)", "first_argument, argument1 = read(line)", ""},
		{"number in a comment", "retry() # at most 3 times, as the server asks", "retry() # at most 5 times, as the server asks", "again() # at most 5 times, as the server asks", ""},
		{"number in quotes", `requires = ["setuptools", "version 1.0"]`, `requires = ["setuptools", "version 2.0"]`, `requires = ["wheel", "version 2.0"]`, ""},
		{"number corrected", `requires = ["setuptools", "version 1.0"]`, `requires = ["setuptools", "version 2.0"]`, `requires = ["wheel", "version 1.0"]`, ""},
		{"comparison", "if item.price < best.price:", "if item.price > best.price:", "if best is None or item.price > best.price:", ""},
		{"operator", "total = total - item.price", "total = total + item.price", "total = total + item.price * 2", ""},
		{"sign", "return sorted(items, key=-weight)", "return sorted(items, key=weight)", "return sorted(all_items, key=weight)", ""},
		{"not", "if not response.finished and again:", "if response.finished and again:", "if response.finished and again and x:", ""},
		{"true", "parse(arguments, strict=True, deep=x)", "parse(arguments, strict=False, deep=x)", "parse(arguments, strict=False, deep=y)", ""},
		{"None", "return parse(arguments, path, None)", "return parse(arguments, path, null)", "return parse(arguments, name, null)", ""},
		{"text", `print("customers: ", len(self.customers), all)`, `print("customer: ", len(self.customers), all)`, `print("customer: ", len(self.customers), some)`, ""},
		{"case of text", `print("Customers: ", len(self.customers))`, `print("customers: ", len(self.customers))`, `print("customers: ", count(self.customers))`, ""},
		{"arrow in a comment", "parse(line) // line -> token, or an error", "parse(line) // line to token, or an error", "read(line) // line to token, or an error", ""},
		{"word in a comment", "parse(line) // it's not what \"they\" are used to", "parse(line) // it's not what \"they\" is used to", "read(line) // it's not what \"they\" is used to", "read(line) // it's not what \"they\" are used to"},
		{"apostrophes", "The user's files and the admin's directories", "The user's files and the admins directories", "The user's files, and the admins directories", "The user's files, and the admin's directories"},
		{"name", "return computeAll(items, options)", "return computeAl(items, options)", "return computeAl(items, nil)", "return computeAll(items, nil)"},
		{"quotes", `print("customers", len(self.customers))`, `print('customers', len(self.customers))`, `print('customers', count(self.customers))`, `print("customers", count(self.customers))`},
		{"escaped quotes", `print("customers", len(self.customers))`, `print(\"customers\", len(self.customers))`, `print(\"customers\", count(self.customers))`, `print("customers", count(self.customers))`},

		{"corrected line", "## More info", "## More Info\n", "## Order\n\nMore Info is below.\n\n## More info\n", "## Order\n\nMore Info is below.\n\n## More info"},
		{"corrected word", `print("Customer: ", len(self.customers))`, `print("customer: ", len(self.customers))`, `print("Customer: ", count(self.customers))`, `print("Customer: ", count(self.customers))`},
		{"corrected text with more", `print("Customer: ", len(self.customers))`, `print("customer: ", len(self.customers))`, `print("Customer: x", len(self.customers))`, `print("Customer: x", len(self.customers))`},
		{"corrected name", "class Order:\n    items = []", "class order:\n    items = []", "class Order:\n    \"\"\"An order.\"\"\"\n    items = []", "class Order:\n    \"\"\"An order.\"\"\"\n    items = []"},
		{"case of a short line", "Debug = x", "debug = x", "debug = y", "Debug = y"},
		{"case of a line that is there twice", "Debug = x\ndeBug = x", "debug = x", "debug = y", ""},
		{"case of a word that is a part of another", "order(items, count)", "Order(items, count)", "Order(items, count).Reorder()", "order(items, count).Reorder()"},
		{"case of a word that is added", "## More info\ntext", "## More Info\ntext", "## More Info\nInfo: text", ""},
	} {
		w := newWorkspace(t, map[string]string{"f": "before\n" + c.file + "\nafter\n"})
		r := run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "f", "old_string": c.old, "new_string": c.new})
		got, want := get(t, w.Root()+"/f"), "before\n"+c.want+"\nafter\n"
		if c.want == "" {
			want = "before\n" + c.file + "\nafter\n"
			if r.Error == nil || !strings.Contains(r.Error.Message, "Nothing was changed") && !strings.Contains(r.Error.Message, "nothing was changed") ||
				!strings.Contains(r.Error.Message, c.file) && !strings.Contains(c.name, "twice") {
				t.Errorf("%s: %v", c.name, r.Error)
			}
		}
		if got != want {
			t.Errorf("%s: %v\n%s", c.name, r.Error, got)
		}
	}
}

// TestMergeWords checks which changes of a line are merged with a line that is not quite the same.
func TestMergeWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, given, file, changed string
		want                       string // "" if they are not merged
	}{
		{"apart", "f(a, b, c)", "f(x, b, c)", "f(a, b, y)", "f(x, b, y)"},
		{"next to each other", "f(a, b)", "f(x, b)", "f(a)", "f(x)"},
		{"the same change", "f(a, b)", "f(x, b)", "f(x, b)", "f(x, b)"},
		{"replaced", "f(a, b)", "f(x, b)", "f(y, b)", "f(y, b)"},
		{"text before a changed word", "f(a)", "f(x a)", "f(c)", ""},
		{"two texts in one place", "f(a)", "f(x, a)", "f(y, a)", ""},
		{"one of two equal words removed", "a, a, b", "x, a, b", "a, b", ""},
		{"another text in the slip", "f(a.b)", "f(x.y)", "f(a.c)", "f(x.c)"},
	} {
		if got, ok := mergeWords(c.given, c.file, c.changed); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s: %q %v, want %q", c.name, got, ok, c.want)
		}
	}
}
