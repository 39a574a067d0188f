// Package price adds up what things cost.
package price

// Item is one line of an order, its price in cents.
type Item struct {
	Name  string
	Cents int
}

// Total is the sum of all items, in cents.
func Total(items []Item) int {
	sum := 0
	for _, item := range items {
		sum += item.Cents
	}
	return sum
}
