//! What tests need of the real one, and nothing else: see testkit.SmallStd.
#![no_core]

#[rustc_builtin_macro]
#[macro_export]
macro_rules! include {
    ($file:expr $(,)?) => {{}};
}

#[rustc_builtin_macro]
#[macro_export]
macro_rules! concat {
    ($($e:expr),* $(,)?) => {{}};
}

#[rustc_builtin_macro]
#[macro_export]
macro_rules! env {
    ($name:expr $(,)?) => {{}};
}

#[rustc_builtin_macro]
#[macro_export]
macro_rules! format_args {
    ($($arg:tt)*) => {{}};
}

#[macro_export]
macro_rules! panic {
    ($($arg:tt)*) => {{ let _ = $crate::format_args!($($arg)*); loop {} }};
}

#[macro_export]
macro_rules! todo {
    ($($arg:tt)*) => { $crate::panic!($($arg)*) };
}

#[macro_export]
macro_rules! assert {
    ($value:expr $(, $($arg:tt)*)?) => {{ let _ = $value; $(let _ = $crate::format_args!($($arg)*);)? }};
}

#[macro_export]
macro_rules! assert_eq {
    ($left:expr, $right:expr $(, $($arg:tt)*)?) => {{ let _ = (&$left, &$right); $(let _ = $crate::format_args!($($arg)*);)? }};
}

#[macro_export]
macro_rules! println {
    ($($arg:tt)*) => {{ let _ = $crate::format_args!($($arg)*); }};
}

pub mod prelude {
    pub mod v1 {
        pub use crate::{assert, assert_eq, concat, env, format_args, include, panic, println, todo};
    }
    pub mod rust_2021 {
        pub use super::v1::*;
    }
}
