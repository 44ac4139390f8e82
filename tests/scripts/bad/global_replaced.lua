function print() end
