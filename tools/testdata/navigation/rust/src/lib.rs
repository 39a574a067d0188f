//! Shop.
use std::fmt;

/// Has an area.
///
/// # Examples
/// ```
/// let s = shop::Square { side: 1.0 };
/// ```
pub trait Shape {
    /// In square metres.
    fn area(&self) -> f64;
    fn name(&self) -> String { "shape".into() }
}

/// A square.
#[derive(Debug, Clone)]
pub struct Square { pub side: f64 }

impl Square {
    /// Makes one.
    pub fn new(side: f64) -> Self { Self { side } }
}

impl Shape for Square {
    fn area(&self) -> f64 { self.side * self.side }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "□") }
}

pub struct Wrapper<T>(pub T);
impl<T: Clone> Wrapper<T> {
    pub fn get(&self) -> T { self.0.clone() }
}
impl<T> From<T> for Wrapper<T> { fn from(t: T) -> Self { Wrapper(t) } }
impl<'a, T: Shape> Shape for Wrapper<&'a T> { fn area(&self) -> f64 { self.0.area() } }

pub mod deep {
    pub mod er {
        pub fn dig() -> i32 { 1 }
        pub enum Kind { A, B { x: i32 } }
    }
}
macro_rules! twice { ($e:expr) => { $e + $e } }
pub const MAX: i32 = 3;
/* é 𝛼 */ pub fn sum(shapes: &[&dyn Shape]) -> f64 {
    fn local() {}
    local();
    let _ = twice!(1);
    shapes.iter().map(|s| s.area()).sum()
}
