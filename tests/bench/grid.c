// Links of a grid, row by row.
#include "grid.h"

#include <math.h>
#include <stdlib.h>

const GridWay grid_ways[GRID_WAYS] = {{0, 1, GRID_STRETCH}, {1, 0, GRID_STRETCH}, {1, 1, GRID_SHEAR},
                                      {-1, 1, GRID_SHEAR},  {0, 2, GRID_BEND},    {2, 0, GRID_BEND}};

bool grid_init(Grid *grid, int rows, int columns) {
    *grid = (Grid){rows, columns, 0, malloc((size_t)(rows * columns * GRID_WAYS) * sizeof(GridLink))};
    if (!grid->links) return false;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            for (int way = 0; way < GRID_WAYS; way++) {
                int r = row + grid_ways[way].down, c = column + grid_ways[way].right;
                int a = row * columns + column, b = r * columns + c;
                if (r < 0 || r >= rows || c >= columns) continue;
                if (grid_is_pinned(grid, a) && grid_is_pinned(grid, b)) continue;
                float length = grid_way_length(&grid_ways[way]);
                grid->links[grid->link_count++] = (GridLink){a, b, length, grid_ways[way].kind};
            }
    return true;
}

float grid_way_length(const GridWay *way) {
    return GRID_CELL * hypotf((float)way->down, (float)way->right);
}

void grid_finish(Grid *grid) {
    free(grid->links);
}

void grid_position(const Grid *grid, int particle, float out_position[3]) {
    out_position[0] = GRID_CELL * (float)(particle % grid->columns);
    out_position[1] = -GRID_CELL * (float)(particle / grid->columns);
    out_position[2] = 0.1f * GRID_CELL * sinf(1.7f * (float)particle);
}

bool grid_is_pinned(const Grid *grid, int particle) {
    return particle < grid->columns;
}
