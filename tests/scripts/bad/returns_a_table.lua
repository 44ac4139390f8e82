return { name = "wake" }
