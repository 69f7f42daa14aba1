// Package seat measures Pollux as a person has it at a terminal: the built program in a pseudo-terminal of 120 by 40 cells with
// an emulator, which shows frames as a whole as modern terminals do, and a scripted model. [Measures] lists all measurements with
// the values that Pollux promises. The benchmarks of package bench and the program bench/screen run them. Times end when the
// emulator has drawn the cells: they include its work.
package seat
