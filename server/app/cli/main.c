// tweed's entry point.
#include "app/main.h"

int main(int argc, char **argv) {
    return app_main(argc, argv);
}
