// The tables that tests/bench prints; each measures and prints.
#pragma once

void table_links(void); // a link-solve: ours, the limit, scalar, Bullet
void table_ticks(void); // a jacket's tick, by kernel and by number of jackets
void table_parts(void); // a jacket's tick, by its parts
void table_order(void); // stretch, penetration and rest of the jacket, in our order and the article's
void table_self_collision(void); // a jacket's tick with and without self-collision
void table_springs(void);        // Provot's sheet, both solvers on a skirt, sheets of three sizes
void table_numbers(void);        // a number of a frame
void table_scripts(void);        // on_tick of a crowd
