return require "tweed".fabric { name = "plain", density = .2 }
