// Package handover lets one process serve the host of another one without a copy of each message in between. The process that the host has
// started, the giver, passes both ends of the host's pipes or sockets to the taker, over a Unix socket, with memory that both have ([Offer]).
// The taker reads what the host sends directly into this memory ([Memory]) and notes there what has been answered. When it ends, also by a
// kill, the memory has every byte that was taken from the host, and the giver goes on from there.
//
// Only Linux has all that is needed: memory that is a file without a name, and a way to open a pipe once more, so that reads and writes can
// be waited for without a change for others that have the same pipe.
package handover
