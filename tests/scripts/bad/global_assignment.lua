counter = 0
