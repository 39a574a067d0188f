package cart

import (
	"testing"

	"shop/price"
)

func TestPayable(t *testing.T) {
	c := Cart{Items: []price.Item{{"tea", 450}}, Limit: 500}
	if !c.Payable() {
		t.Errorf("%d cents are more than %d", price.Total(c.Items), c.Limit)
	}
}
