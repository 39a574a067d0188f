// Package shop sells.
package shop

import "fmt"

// Shape has an area.
//
// See [Square] for one, and [fmt.Stringer].
type Shape interface {
	// Area is in square metres.
	Area() float64
	fmt.Stringer
}

// Square is a shape.
type Square struct {
	Side  float64 // of each edge
	inner struct{ deep int }
}

// Area implements [Shape].
func (s Square) Area() float64 { return s.Side * s.Side }

func (s *Square) String() string { return "□" }

// List is generic.
type List[T any] struct{ head *T }

// Push adds.
func (l *List[T]) Push(v T) { l.head = &v }

// Max is the maximum.
const Max = 3

var (
	größe, Default = 1, Square{}
)

func /* é 𝛼 */ Sum(shapes ...Shape) (total float64) {
	for _, s := range shapes {
		total += s.Area()
	}
	return total
}

func main() {
	var l List[int]
	l.Push(1)
	fmt.Println(Sum(Square{Side: Max}), größe)
}
