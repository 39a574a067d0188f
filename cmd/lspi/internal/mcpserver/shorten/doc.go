// Package shorten takes from a JSON value what makes it too large, so that it stays a value of the same shape:
// lists lose items at their end, and strings the end of their text, where most of it is. A schema that was
// satisfied before stays satisfied. The rest stays byte by byte. It is pure.
package shorten
