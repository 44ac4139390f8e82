// Prints a card for each fabric found: tweed_fabrics FOLDER..., folders that hold one named fabrics.
#include "measures.h"
#include "script/fabrics.h"
#include "script/findings.h"
#include "swatches.h"

#include <stdlib.h>

static int give_up(ScriptFindings *findings);
static void print_cards(const ScriptFabric *fabrics, int count);

int main(int argc, char **argv) {
    ScriptFindings findings = {0};
    const ScriptHostDef def = {.script_directories = (const char *const *)argv + 1,
                               .script_directory_count = argc - 1};
    ScriptHost *host = script_host_create(&def, &findings);
    if (!host) return give_up(&findings);
    int count;
    const ScriptFabric *fabrics = script_fabrics(host, &count);
    printf("%-16s", "fabric");
    for (int k = 0; k < MEASURES; k++) printf("%11s", measures()[k].name);
    printf("\n%-16s", "");
    for (int k = 0; k < MEASURES; k++) printf("%11s", measures()[k].unit);
    printf("\n");
    for (int first = 0; first < count; first += SWATCHES_MOST)
        print_cards(fabrics + first, count - first < SWATCHES_MOST ? count - first : SWATCHES_MOST);
    printf("\n");
    for (int k = 0; k < MEASURES; k++) printf("%-10s %s\n", measures()[k].name, measures()[k].help);
    script_host_destroy(host);
    script_findings_finish(&findings);
    return 0;
}

static int give_up(ScriptFindings *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        char *text = script_finding_text(&findings->items[i], true);
        if (text) fprintf(stderr, "%s\n", text);
        free(text);
    }
    script_findings_finish(findings);
    return 1;
}

static void print_cards(const ScriptFabric *fabrics, int count) {
    SimFabric values[SWATCHES_MOST];
    double found[MEASURES][SWATCHES_MOST];
    for (int i = 0; i < count; i++) values[i] = fabrics[i].values;
    for (int k = 0; k < MEASURES; k++) measures()[k].measure(values, count, 60, found[k]);
    for (int i = 0; i < count; i++) {
        printf("%-16s", fabrics[i].name);
        for (int k = 0; k < MEASURES; k++) printf("%11.3g", measures()[k].scale * found[k][i]);
        printf("\n");
    }
}
