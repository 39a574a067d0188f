//go:build linux

package bench

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"testing"

	"lspi/internal/testkit"
)

// plot is a picture of how figures grow, as SVG: panels side by side, with logarithmic axes, so that a cost that is in
// proportion to the files is a line at 45°.
type plot struct {
	title  string
	panels []panel
}

// panel is one pair of axes.
type panel struct {
	title  string // what y is, with its unit
	series []series
}

// series is one line.
type series struct {
	name   string
	dashed bool
	colour int // of plotColours
	points []point
}

type point struct{ x, y float64 }

// Colours that are told apart on white and on dark paper, and by most who do not see all colours (Okabe and Ito).
var plotColours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7"}

// The sizes of a panel in pixels, and the space around it.
const (
	panelWidth, panelHeight = 400, 260
	plotLeft, plotTop       = 60, 50
	legendLine              = 18
)

// svg draws the plot.
func (p plot) svg() []byte {
	var body bytes.Buffer
	lines := 0
	for i, one := range p.panels {
		one.draw(&body, plotLeft+i*(panelWidth+plotLeft+20), plotTop)
		lines = max(lines, len(one.series))
	}
	width, height := len(p.panels)*(panelWidth+plotLeft+20)+20, plotTop+panelHeight+50+lines*legendLine
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">
<title>%s</title>
<rect width="%d" height="%d" fill="#ffffff"/>
`, width, height, escaped(p.title), width, height)
	out.Write(body.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// draw draws a panel with its upper left corner at a place.
func (p panel) draw(b *bytes.Buffer, left, top int) {
	x, y := p.axes()
	at := func(q point) (float64, float64) {
		return float64(left) + x.part(q.x)*panelWidth, float64(top) + (1-y.part(q.y))*panelHeight
	}
	words := func(x, y float64, anchor, text string) {
		fmt.Fprintf(b, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\" fill=\"#333333\">%s</text>\n", x, y, anchor,
			escaped(text))
	}
	words(float64(left), float64(top-16), "start", p.title)
	for _, tick := range x.ticks() {
		px, _ := at(point{tick, y.from})
		fmt.Fprintf(b, "<path d=\"M%.1f %d v%d\" stroke=\"#dddddd\"/>\n", px, top, panelHeight)
		words(px, float64(top+panelHeight+16), "middle", fmt.Sprintf("%g", tick))
	}
	for _, tick := range y.ticks() {
		_, py := at(point{x.from, tick})
		fmt.Fprintf(b, "<path d=\"M%d %.1f h%d\" stroke=\"#dddddd\"/>\n", left, py, panelWidth)
		words(float64(left-6), py+4, "end", fmt.Sprintf("%g", tick))
	}
	words(float64(left+panelWidth/2), float64(top+panelHeight+34), "middle", "files")
	for i, s := range p.series {
		colour := plotColours[s.colour%len(plotColours)]
		style := fmt.Sprintf("stroke=\"%s\" stroke-width=\"2\" fill=\"none\"", colour)
		if s.dashed {
			style += " stroke-dasharray=\"6 4\""
		}
		path := ""
		for j, q := range s.points {
			px, py := at(q)
			path += fmt.Sprintf("%c%.1f %.1f ", "ML"[min(j, 1)], px, py)
			fmt.Fprintf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", px, py, colour)
		}
		fmt.Fprintf(b, "<path d=\"%s\" %s/>\n", path, style)
		below := float64(top + panelHeight + 52 + i*legendLine)
		fmt.Fprintf(b, "<path d=\"M%d %.0f h30\" %s/>\n", left, below-4, style)
		words(float64(left+38), below, "start", s.name)
	}
}

// axes are those that hold all points.
func (p panel) axes() (x, y axis) {
	x, y = axis{math.Inf(1), 0}, axis{math.Inf(1), 0}
	for _, s := range p.series {
		for _, q := range s.points {
			x, y = x.with(q.x), y.with(q.y)
		}
	}
	return x.rounded(), y.rounded()
}

// axis is a logarithmic axis.
type axis struct{ from, to float64 }

func (a axis) with(v float64) axis { return axis{min(a.from, v), max(a.to, v)} }

// plotSteps are where an axis begins and ends, and has its ticks, within a power of ten.
var plotSteps = []float64{1, 2, 5}

// rounded widens an axis to the next ticks.
func (a axis) rounded() axis {
	from, to := math.Pow(10, math.Floor(math.Log10(a.from))), math.Pow(10, math.Ceil(math.Log10(a.to)))
	for _, tick := range (axis{from, to}).ticks() {
		if tick <= a.from {
			from = tick
		}
		if tick >= a.to {
			return axis{from, tick}
		}
	}
	return axis{from, to}
}

func (a axis) ticks() (out []float64) {
	for power := math.Floor(math.Log10(a.from)); power <= math.Log10(a.to); power++ {
		for _, step := range plotSteps {
			if v := step * math.Pow(10, power); v >= a.from*0.999 && v <= a.to*1.001 {
				out = append(out, v)
			}
		}
	}
	return out
}

// part is where a value lies on the axis, from 0 to 1.
func (a axis) part(v float64) float64 { return math.Log(v/a.from) / math.Log(a.to/a.from) }

func escaped(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a bytes.Buffer takes all
	return b.String()
}

func TestPlot(t *testing.T) {
	testkit.Equal(t, axis{1300, 48_000}.rounded(), axis{1000, 50_000})
	testkit.Equal(t, fmt.Sprint(axis{1000, 50_000}.ticks()), "[1000 2000 5000 10000 20000 50000]")
	testkit.Equal(t, fmt.Sprint(axis{0.5, 2}.ticks()), "[0.5 1 2]")
	p := plot{"a & b", []panel{{"seconds", []series{{"cold <1>", false, 0, []point{{1000, 1}, {10_000, 10}}}}}}}
	raw := p.svg()
	testkit.Must(t, xml.Unmarshal(raw, new(struct{})))
	// Ten times the files at ten times the cost is the diagonal of the panel.
	testkit.Holds(t, string(raw), fmt.Sprintf("<path d=\"M%d.0 %d.0 L%d.0 %d.0 \"", plotLeft, plotTop+panelHeight,
		plotLeft+panelWidth, plotTop))
	testkit.Holds(t, string(raw), "cold &lt;1&gt;")
}
