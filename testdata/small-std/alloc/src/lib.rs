// Empty on purpose: see testkit.SmallStd.
