#include "widget.h"
namespace {
int hidden() { return 1; }
struct Local { int y; };
}
namespace ui {
Widget::Widget(int id) : id_(id) {}
Widget::~Widget() {}
class Button : public Widget {
public:
  using Widget::Widget;
  void draw() const override { hidden(); }
};
class Label final : public Widget {
public:
  Label() : Widget(2) {}
  void draw() const override {}
};
}
/* é 𝛼 */ int area(int w, int h) { return w * h + hidden(); }
int area(double w) { return (int)w; }
int use() { ui::Button b(1); b.draw(); ui::Box<double> x; return area(1, 2) + (b == b) + x.get(); }
