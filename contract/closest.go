package contract

import (
	"slices"
	"strings"
)

// maxClosest bounds the words that are compared; longer ones are no misspelling of a name.
const maxClosest = 64

// Closest is the known word that was most likely meant by one that is not known, or "" when none is near: the same but
// for case, hyphens and underscores; else one of which the word is a whole part ("file" for file_path); else the one with
// the fewest edits, at most a third of the word; else one that holds the word.
func Closest(word string, known []string) string {
	folded := fold(word)
	if folded == "" || len(word) > maxClosest {
		return ""
	}
	for _, k := range known {
		if fold(k) == folded {
			return k
		}
	}
	for _, k := range known {
		if slices.Contains(strings.Split(fold(k), "_"), folded) {
			return k
		}
	}
	best, least := "", max(2, len([]rune(folded))/3)+1
	for _, k := range known {
		d := editDistance(folded, fold(k))
		if d < least && d < len([]rune(folded)) {
			best, least = k, d
		}
	}
	if best != "" || len(folded) < 3 {
		return best
	}
	for _, k := range known {
		if strings.Contains(fold(k), folded) {
			return k
		}
	}
	return ""
}

// fold makes spellings that differ in case and separators alike.
func fold(word string) string {
	return strings.ReplaceAll(strings.ToLower(word), "-", "_")
}

// editDistance is Levenshtein's, in runes.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range y {
			cost := diagonal
			if r != s {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
