package wire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

func TestEndOfStream(t *testing.T) {
	tests := []struct {
		name string
		last string
		want error
	}{
		{"clean", "", io.EOF},
		{"after junk", "panic: oh", io.EOF},
		{"inside a header", "Content-Length: 20\r\n", io.ErrUnexpectedEOF},
		{"inside a body", "Content-Length: 20\r\n\r\n{", io.ErrUnexpectedEOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lsptest.Bubble(t, func(t *testing.T) {
				requestEnded := make(chan error, 1)
				c, p := start(t, Options{Request: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
					<-ctx.Done()
					requestEnded <- context.Cause(ctx)
					return nil, nil
				}})
				if c.Err() != nil {
					t.Errorf("Err before the end: %v", c.Err())
				}
				wait := calling(t.Context(), c, "m", nil)
				p.expect(`{"jsonrpc":"2.0","method":"m","id":1}`)
				p.send(`{"jsonrpc":"2.0","id":1,"method":"ask"}`)
				synctest.Wait()
				began := time.Now()
				p.raw(tt.last)
				p.hup()
				_, err := wait()
				closed := wantErr[*ClosedError](t, err)
				if closed.Method != "m" || !errors.Is(err, tt.want) || time.Since(began) != 0 {
					t.Errorf("Call: %v after %v", err, time.Since(began))
				}
				<-c.Done()
				if c.Err() != tt.want {
					t.Errorf("Err %v, want %v", c.Err(), tt.want)
				}
				if cause := <-requestEnded; cause != tt.want {
					t.Errorf("cause of the handler's context: %v", cause)
				}
				synctest.Wait()
				wantErr[*ClosedError](t, c.Call(t.Context(), "later", nil, nil))
				if err := c.Notify(t.Context(), "later", nil); !errors.Is(err, tt.want) {
					t.Errorf("Notify: %v", err)
				}
				wantErr[*ClosedError](t, c.Notify(t.Context(), "later", nil))
			})
		})
	}
}

// The answer that a server gives just before it goes must not be lost to the end of the stream.
func TestAnswerThenEnd(t *testing.T) {
	for range 50 {
		lsptest.Bubble(t, func(t *testing.T) {
			c, p := start(t, Options{})
			wait := calling(t.Context(), c, "shutdown", nil)
			p.expect(`{"jsonrpc":"2.0","method":"shutdown","id":1}`)
			p.send(`{"jsonrpc":"2.0","id":1,"result":null}`)
			p.hup()
			if _, err := wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCloseReleasesCalls(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c, p := start(t, Options{Request: waitForEnd})
		waits := []func() (string, error){calling(t.Context(), c, "a", nil), calling(t.Context(), c, "b", nil)}
		p.read()
		p.read()
		p.send(`{"jsonrpc":"2.0","id":1,"method":"ask"}`)
		synctest.Wait()
		began := time.Now()
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if err := c.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
		}
		wg.Wait()
		for _, wait := range waits {
			_, err := wait()
			wantErr[*ClosedError](t, err)
			if !errors.Is(err, ErrClosed) {
				t.Errorf("Call: %v", err)
			}
		}
		if d := time.Since(began); d != 0 || c.Err() != ErrClosed {
			t.Errorf("took %v, Err %v", d, c.Err())
		}
		wantErr[*ClosedError](t, c.Call(t.Context(), "later", nil, nil))
	})
}

func TestCloseWritesWhatIsQueued(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c, p := start(t, Options{})
		for range 10 {
			c.Notify(t.Context(), "n", nil)
		}
		c.Notify(t.Context(), "exit", nil)
		go c.Close()
		for range 10 {
			p.expect(`{"jsonrpc":"2.0","method":"n"}`)
		}
		p.expect(`{"jsonrpc":"2.0","method":"exit"}`)
		if m, err := p.read(); err != io.EOF {
			t.Errorf("after the last message: %q, %v", m, err)
		}
	})
}

func TestCloseWhenTheServerDoesNotRead(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c, _ := start(t, Options{QueueBytes: 50})
		wait := calling(t.Context(), c, "first", nil)
		synctest.Wait()
		second := calling(t.Context(), c, "waits for room", nil)
		synctest.Wait()
		began := time.Now()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		testkit.Equal(t, time.Since(began), flushTime, "took")
		for _, wait := range []func() (string, error){wait, second} {
			_, err := wait()
			wantErr[*ClosedError](t, err)
		}
	})
}

func TestCloseIsBounded(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		stuck := make(chan struct{})
		_, w := io.Pipe()
		deaf := duplex{readerFunc(func([]byte) (int, error) { <-stuck; return 0, io.EOF }), w, w.Close}
		c := New(deaf, Options{})
		wait := calling(t.Context(), c, "m", nil)
		synctest.Wait()
		began := time.Now()
		if err := c.Close(); !errors.Is(err, errStuck) {
			t.Errorf("Close: %v", err)
		}
		testkit.Equal(t, time.Since(began), flushTime+joinTime, "took")
		_, err := wait()
		wantErr[*ClosedError](t, err)
		close(stuck)
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// When a write fails, what the server has said before is still heard; then, or after a second, the connection ends.
func TestWriteFails(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, holdsOpen := range []bool{false, true} {
		lsptest.Bubble(t, func(t *testing.T) {
			outR, outW := io.Pipe()
			fail := make(chan struct{})
			first := true
			c := New(duplex{outR, writerFunc(func(b []byte) (int, error) {
				if first {
					first = false
					return len(b), nil
				}
				<-fail
				return 0, broken
			}), outR.Close}, Options{})
			a := calling(t.Context(), c, "a", nil)
			synctest.Wait()
			b := calling(t.Context(), c, "b", nil)
			synctest.Wait()
			began := time.Now()
			close(fail)
			synctest.Wait()
			io.WriteString(outW, framed(`{"id":1,"result":"heard"}`))
			if r, err := a(); r != `"heard"` || err != nil {
				t.Errorf("a: %s, %v", r, err)
			}
			want, after := error(io.EOF), time.Duration(0)
			if holdsOpen {
				want, after = broken, brokenTime
			} else {
				outW.Close()
			}
			if _, err := b(); !errors.Is(err, want) || time.Since(began) != after {
				t.Errorf("b: %v after %v", err, time.Since(began))
			}
			wantErr[*ClosedError](t, c.Notify(t.Context(), "n", nil))
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
