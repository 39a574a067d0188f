package contract

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxClosest bounds the words that are compared, in bytes; a longer one is not a misspelled name.
const maxClosest = 64

// Closest returns the known word that an unknown one most likely means, or "" when none is near. In this order: one
// that differs in case, hyphens and underscores alone; one of which word is a whole part ("file" for file_path); the
// one with the fewest edits, at most one for three letters of the longer word, so that a word of two letters has none
// (io is not Go); one that word abbreviates; one that contains word.
func Closest(word string, known []string) string {
	folded := Fold(word)
	if folded == "" || len(word) > maxClosest {
		return ""
	}
	for _, k := range known {
		if Fold(k) == folded {
			return k
		}
	}
	for _, k := range known {
		if slices.Contains(strings.Split(Fold(k), "_"), folded) {
			return k
		}
	}
	best, least := "", len(folded)
	for _, k := range known {
		d := editDistance(folded, Fold(k))
		if d < least && d <= max(utf8.RuneCountInString(folded), utf8.RuneCountInString(k))/3 {
			best, least = k, d
		}
	}
	if best != "" || len(folded) < 3 {
		return best
	}
	for _, k := range known {
		if abbreviates(folded, Fold(k)) {
			return k
		}
	}
	for _, k := range known {
		if strings.Contains(Fold(k), folded) {
			return k
		}
	}
	return ""
}

// abbreviates reports whether a word of several parts is a shortened form of another, as find_refs is of
// find_references: it has as many parts, and each begins like that of the other, but for a plural s.
func abbreviates(short, long string) bool {
	a, b := strings.Split(short, "_"), strings.Split(long, "_")
	if len(a) < 2 || len(a) != len(b) {
		return false
	}
	for i, part := range a {
		begin := strings.TrimSuffix(part, "s")
		if len(begin) < 2 || !strings.HasPrefix(b[i], begin) {
			return false
		}
	}
	return true
}

// Fold maps spellings that differ in case and separators to one.
func Fold(word string) string {
	return strings.ReplaceAll(strings.ToLower(word), "-", "_")
}

// editDistance is Levenshtein's distance in runes, with the exchange of two neighbouring letters as one edit.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range y {
		rows[0][j+1] = j + 1
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := rows[i-1][j-1]
			if x[i-1] != y[j-1] {
				cost++
			}
			d := min(cost, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(x)][len(y)]
}
