// From the place of a slider to a value and back: ranges of a fabric's values span up to six decades.
import type { FabricNumber } from "../net/protocol";

export interface Scale {
  toValue(place: number): number; // place: 0 to 1
  toPlace(value: number): number;
}

const CURVED = 8; // a range so many times the default is curved, so that the default is in reach
const DEFAULT_PLACE = 0.4;

export function scaleOf({ minimum, maximum, default: usual }: FabricNumber): Scale {
  if (minimum > 0 && maximum / minimum > 100) {
    const ratio = Math.log(maximum / minimum);
    return {
      toValue: (place) => round(minimum * Math.exp(ratio * place), maximum - minimum),
      toPlace: (value) => clamp(Math.log(value / minimum) / ratio),
    };
  }
  const span = maximum - minimum, ordinary = usual - minimum;
  const power = ordinary > 0 && span / ordinary > CURVED ? Math.log(ordinary / span) / Math.log(DEFAULT_PLACE)
    : ordinary === 0 && span > CURVED ? 3 : 1;
  return {
    toValue: (place) => round(minimum + span * clamp(place) ** power, span),
    toPlace: (value) => clamp(clamp((value - minimum) / span) ** (1 / power)),
  };
}

/** The value as a person writes it: three digits, or fewer. */
export function written(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5) return String(Number(value.toPrecision(3)));
  return String(Number(size >= 100 ? value.toFixed(0) : value.toPrecision(3)));
}

function round(value: number, span: number): number {
  const smallest = Math.abs(value) < span * 1e-9 ? 0 : value;
  return Number(smallest.toPrecision(3));
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
