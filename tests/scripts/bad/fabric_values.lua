return tweed.fabric {
  name = "loden",
  density = 400,
  streach = 15000,
  edge = { dampng = .6, wind = "strong" },
  spring = { damping = -1 },
}
