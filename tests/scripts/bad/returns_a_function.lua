return function(options) return options end
