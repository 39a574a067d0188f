int alone;
