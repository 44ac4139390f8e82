// Interpolation of packed bones and lists, and their matrices.
import { BONE_NUMBERS } from "../net/protocol";

/**
 * Writes the world matrices of all bones `fraction` (0 to 1) of the way from `a` to `b` into `out`, column by column:
 * translations and scales are interpolated linearly, rotations on the shortest arc at constant speed.
 */
export function blendBones(a: Float32Array, b: Float32Array, fraction: number, out: Float32Array): void {
  const count = a.length / BONE_NUMBERS;
  for (let bone = 0; bone < count; bone++) {
    const at = bone * BONE_NUMBERS;
    let ax = a[at + 3], ay = a[at + 4], az = a[at + 5], aw = a[at + 6];
    if (fraction > 0) {
      const bx = b[at + 3], by = b[at + 4], bz = b[at + 5], bw = b[at + 6];
      const cosine = ax * bx + ay * by + az * bz + aw * bw;
      const sign = cosine < 0 ? -1 : 1;
      const angle = Math.acos(Math.min(Math.abs(cosine), 1));
      let first = 1 - fraction, second = fraction * sign; // where the sines lose their digits, the chord is as good
      if (angle > 1e-3) {
        first = Math.sin(first * angle);
        second = Math.sin(fraction * angle) * sign;
      }
      ax = ax * first + bx * second;
      ay = ay * first + by * second;
      az = az * first + bz * second;
      aw = aw * first + bw * second;
    }
    const length = Math.hypot(ax, ay, az, aw) || 1;
    compose(
      ax / length, ay / length, az / length, aw / length,
      a[at] + (b[at] - a[at]) * fraction, a[at + 1] + (b[at + 1] - a[at + 1]) * fraction, a[at + 2] + (b[at + 2] - a[at + 2]) * fraction,
      a[at + 7] + (b[at + 7] - a[at + 7]) * fraction, a[at + 8] + (b[at + 8] - a[at + 8]) * fraction, a[at + 9] + (b[at + 9] - a[at + 9]) * fraction,
      out, bone * 16);
  }
}

export function blendList(a: Float32Array, b: Float32Array, fraction: number, out: Float32Array): void {
  for (let i = 0; i < out.length; i++) out[i] = a[i] + (b[i] - a[i]) * fraction;
}

function compose(
  x: number, y: number, z: number, w: number, tx: number, ty: number, tz: number, sx: number, sy: number, sz: number,
  out: Float32Array, at: number,
): void {
  out[at] = (1 - 2 * (y * y + z * z)) * sx;
  out[at + 1] = 2 * (x * y + z * w) * sx;
  out[at + 2] = 2 * (x * z - y * w) * sx;
  out[at + 3] = 0;
  out[at + 4] = 2 * (x * y - z * w) * sy;
  out[at + 5] = (1 - 2 * (x * x + z * z)) * sy;
  out[at + 6] = 2 * (y * z + x * w) * sy;
  out[at + 7] = 0;
  out[at + 8] = 2 * (x * z + y * w) * sz;
  out[at + 9] = 2 * (y * z - x * w) * sz;
  out[at + 10] = (1 - 2 * (x * x + y * y)) * sz;
  out[at + 11] = 0;
  out[at + 12] = tx;
  out[at + 13] = ty;
  out[at + 14] = tz;
  out[at + 15] = 1;
}
