// `tweed check`: what is wrong with files, without starting anything.
#pragma once

#include "app/options.h"

// The exit status: 1 if there is an error.
int app_check(const AppOptions *options);
