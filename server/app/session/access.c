// Tokens to roles.
#include "session/access.h"

#include <protocol/message.h>

static AppAccessResult fail_token(AppAccess *access, ProtocolParams params, ProtocolError *out_error);

AppAccess app_access_begin(const AppTokens *tokens) {
    const ProtocolRole role = tokens->count > 0 ? PROTOCOL_ROLE_NONE : PROTOCOL_ROLE_OPERATOR;
    return (AppAccess){role, role};
}

AppAccessResult app_access_open(AppAccess *access, const AppTokens *tokens, ProtocolParams params,
                                ProtocolError *out_error) {
    const int64_t protocol = protocol_param_integer(params, "protocol");
    if (protocol_param_given(params, "protocol") && protocol != PROTOCOL_VERSION) {
        protocol_error_version(out_error, (double)protocol);
        return APP_ACCESS_REFUSED;
    }
    AppAccess opened = *access; // a connection that has shown its token need not do so again
    if (tokens->count > 0 && protocol_param_given(params, "token"))
        opened.granted = app_tokens_role(tokens, protocol_param_string(params, "token"));
    if (opened.granted == PROTOCOL_ROLE_NONE) return fail_token(access, params, out_error);
    const ProtocolRole wish = (ProtocolRole)protocol_param_choice(params, "role");
    opened.role = wish == PROTOCOL_ROLE_NONE ? opened.granted : wish;
    if (opened.role > opened.granted) {
        protocol_error_set(out_error, PROTOCOL_NOT_ALLOWED, "params.role",
                           "session.open: the token is one for the role %s, not %s",
                           protocol_role_name(opened.granted), protocol_role_name(opened.role));
        return APP_ACCESS_REFUSED;
    }
    *access = opened;
    return APP_ACCESS_OPENED;
}

static AppAccessResult fail_token(AppAccess *access, ProtocolParams params, ProtocolError *out_error) {
    const bool is_wrong = protocol_param_given(params, "token");
    protocol_error_set(out_error, PROTOCOL_NOT_ALLOWED, "params.token",
                       is_wrong ? "session.open: the token is wrong" : "session.open needs a token");
    if (!is_wrong) return APP_ACCESS_REFUSED;
    *access = (AppAccess){PROTOCOL_ROLE_NONE, PROTOCOL_ROLE_NONE};
    return APP_ACCESS_WRONG_TOKEN;
}
