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

pub mod prelude {
    pub mod v1 {
        pub use crate::{concat, env, include};
    }
    pub mod rust_2021 {
        pub use super::v1::*;
    }
}
