local secrets = require "../../unit/secrets"

return secrets
