return require "helpers.circle"
