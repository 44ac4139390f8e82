error({ code = 5 })
