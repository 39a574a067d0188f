package lsp

// Recent is the open document that was asked about last; "" when none is open.
func (s *Server) Recent() string {
	s.docs.mu.Lock()
	defer s.docs.mu.Unlock()
	if front := s.docs.order.Front(); front != nil {
		return front.Value.(*document).path
	}
	return ""
}
