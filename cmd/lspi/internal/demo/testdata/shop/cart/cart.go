// Package cart holds what a customer wants to buy.
package cart

import "shop/price"

// Cart is a list of items with a limit of credit in cents.
type Cart struct {
	Items []price.Item
	Limit int
}

// Payable reports whether the limit covers all items.
func (c *Cart) Payable() bool {
	return price.Total(c.Items) <= c.Limit
}
