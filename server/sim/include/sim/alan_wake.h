// The factors of the Alan Wake article, 0..1 "at 60 Hz, n iterations", as a fabric's values: what such a
// factor k does in its own n iterations of a 60 Hz step, a compliance does at every rate.
//
//   a = sum(w) dt^2 R / (1 - R), R = (1 - k)^n;   c = -ln(1 - d) / dt;   dt = 1/60 s
//
// A factor belongs to a grid: w is the inverse mass of a particle that carries a square cell. The fabric is
// then the same cloth on every grid.
#pragma once

typedef struct SimArticleGrid {
    int iterations; // 1..100
    float cell;     // m, side of a cell
    float density;  // kg/m^2
} SimArticleGrid;

// N/m, of links between direct neighbours (stretch) or across cells (shear). Infinite for a factor of 1,
// here and below NaN for NaN.
float sim_article_stiffness(const SimArticleGrid *grid, float factor);

// m, the drape length whose links between second neighbours (bend = "article") bend like that; infinite
// for 1.
float sim_article_drape(const SimArticleGrid *grid, float factor);

// 1/s, for the share of its velocity that a particle loses in a step; infinite for 1.
float sim_article_damping(float factor);
