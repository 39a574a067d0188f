// Package report tells people about orders. The Total of a month is not price.Total.
package report

import (
	"fmt"

	"shop/price"
)

// Total is the text of a receipt.
func Total(items []price.Item) string {
	return fmt.Sprintf("%.2f", float64(price.Total(items))/100)
}
