// The program behind main().
#pragma once

// The exit status: 0, 1 failed, 2 wrong usage.
int app_main(int argc, char **argv);
