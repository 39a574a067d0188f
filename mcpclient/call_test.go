package mcpclient_test

import (
	"encoding/json"
	"testing"

	"lspi/internal/testkit"
	"lspi/mcpclient"
)

func TestCall(t *testing.T) {
	c := inProcess(t, plain.Serve)
	testkit.Equal(t, c.Status().State, mcpclient.NotStarted, "state")
	got := call(t, c, "echo", `{"z":12345678901234567890,"a":[1.0]}`)
	testkit.Equal(t, got, `{"content":[{"type":"text","text":"ok"}],"structuredContent":{"sent":{"_meta":{"progressToken":1},"name":"echo","arguments":{"z":12345678901234567890,"a":[1.0]}}}}`, "result")
	st := c.Status()
	testkit.Equal(t, st.State, mcpclient.Ready, "state")
	testkit.Equal(t, st.Info.Name+" "+st.Info.Version, "scripted 1.2.3", "server")
}

func TestProcess(t *testing.T) {
	c := program(t, "plain")
	call(t, c, "echo", `{}`)
	pid := c.Status().PID
	if pid == 0 || !alive(pid) {
		t.Fatalf("pid %d", pid)
	}
	c.Close()
	if alive(pid) {
		t.Error("it lives on")
	}
	_, err := c.CallTool(t.Context(), mcpclient.Call{Name: "echo", Arguments: json.RawMessage(`{}`)})
	wantKind(t, err, mcpclient.Closed)
	testkit.Equal(t, c.Status().State, mcpclient.Ended, "state")
}
