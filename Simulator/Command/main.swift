print("simulator")
