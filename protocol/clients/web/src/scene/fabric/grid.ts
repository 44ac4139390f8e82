// Points sorted into the cells of a grid, to find those near a place.

const MOST = 64; // cells along a side: of wide meshes they are larger

export class Grid {
  readonly least = [Infinity, Infinity, Infinity]; // the corner where the cells begin
  readonly size: number; // m, the side of a cell
  readonly counts = [0, 0, 0]; // cells along each axis
  readonly starts: Uint32Array; // of each cell: where its points begin in `order`; x runs fastest
  readonly order: Uint32Array; // the points' numbers, cell by cell

  constructor(readonly points: ArrayLike<number>, size: number) {
    const count = points.length / 3, most = [-Infinity, -Infinity, -Infinity];
    for (let axis = 0; axis < 3; axis++) {
      let low = Infinity, high = -Infinity;
      for (let i = axis; i < points.length; i += 3) {
        if (points[i] < low) low = points[i];
        if (points[i] > high) high = points[i];
      }
      [this.least[axis], most[axis]] = [low, high];
    }
    this.size = Math.max(size, ...most.map((x, axis) => (x - this.least[axis]) / MOST));
    if (count > 0) this.counts = most.map((x, axis) => this.cell(x, axis) + 1);
    const [across, up, deep] = this.counts, cells = new Uint32Array(count);
    this.starts = new Uint32Array(across * up * deep + 1);
    this.order = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      cells[i] = this.cell(points[3 * i], 0) + across * (this.cell(points[3 * i + 1], 1) + up * this.cell(points[3 * i + 2], 2));
      this.starts[cells[i] + 1]++;
    }
    for (let i = 1; i < this.starts.length; i++) this.starts[i] += this.starts[i - 1];
    const ends = this.starts.slice();
    for (let i = 0; i < count; i++) this.order[ends[cells[i]]++] = i;
  }

  /** The number of a coordinate's cell along an axis; outside of the grid it is negative, or too great. */
  cell(x: number, axis: number): number {
    return Math.floor((x - this.least[axis]) / this.size);
  }

  /** Calls `visit` with each cell that meets a box, and the cell's number along each axis, until one returns true. */
  some(
    x0: number, y0: number, z0: number, x1: number, y1: number, z1: number,
    visit: (cell: number, x: number, y: number, z: number) => boolean,
  ): boolean {
    const [across, up, deep] = this.counts;
    const fromX = Math.max(0, this.cell(x0, 0)), toX = Math.min(across - 1, this.cell(x1, 0));
    const fromY = Math.max(0, this.cell(y0, 1)), toY = Math.min(up - 1, this.cell(y1, 1));
    const fromZ = Math.max(0, this.cell(z0, 2)), toZ = Math.min(deep - 1, this.cell(z1, 2));
    for (let z = fromZ; z <= toZ; z++) {
      for (let y = fromY; y <= toY; y++) {
        for (let x = fromX, cell = x + across * (y + up * z); x <= toX; x++, cell++)
          if (this.starts[cell] < this.starts[cell + 1] && visit(cell, x, y, z)) return true;
      }
    }
    return false;
  }
}
