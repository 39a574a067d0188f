#pragma once
namespace ui {
/// A widget. Draws itself.
///
/// \param none nothing
class Widget {
public:
  explicit Widget(int id);
  virtual ~Widget();
  virtual void draw() const = 0;
  bool operator==(const Widget &o) const { return id_ == o.id_; }
  bool operator<(const Widget &o) const { return id_ < o.id_; }
  operator bool() const { return true; }
  struct Inner { int x; };
  enum class Color { Red, Green };
private:
  int id_;
};
template <typename T> class Box {
public:
  T get() const { return v; }
  T v;
};
template <> class Box<int> { public: int get() const { return 1; } };
} // namespace ui
int area(int w, int h);
int area(double w);
