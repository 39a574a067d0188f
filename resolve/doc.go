// Package resolve leads from what a host gives (a name, a line with a name, or a position) to the symbol at one place. A name that stands
// for several symbols is an error with the candidates, never a guess; a line that has moved a little is found again, with a warning.
package resolve
