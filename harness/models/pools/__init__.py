"""Working slots behind one small port, so that a plain count and a real worker pool are interchangeable."""
