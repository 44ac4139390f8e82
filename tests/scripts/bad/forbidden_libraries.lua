os.execute("ls")
