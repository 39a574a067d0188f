package edit_test

const victimKey = "LSPI_EDIT_VICTIM"

func victim() {}
