//! What tests need of the real one, and nothing else: see testkit.SmallStd.
#![no_std]

pub use core::{concat, env, include, prelude};
