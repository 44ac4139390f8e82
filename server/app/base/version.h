// Which tweed this is: the version is TWEED_VERSION.
#pragma once

extern const char app_commit[];     // of git, 12 digits, "-dirty" where files differ from it; "unknown"
extern const char app_commit_day[]; // 2026-03-01; "" where the commit is unknown
extern const char app_build[];      // kind of build, compiler, processor, what is left out
