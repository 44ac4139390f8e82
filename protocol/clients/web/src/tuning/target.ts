// A fabric, or the fabric of one garment, whose values are tuned.
import { FABRIC_GROUPS, type FabricDescription, type FabricValues, type Garment } from "../net/protocol";
import type { Server } from "../net/server";

export type Target = { fabric: string } | { character: string; garment: string };

/** Values by the path of their key: "damping", "edge.wind". */
export type Values = Map<string, number>;

/** Values that are set, or are to be set. */
export interface Change {
  target: Target;
  values: Values;
}

export function sameTarget(a: Target, b: Target): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function nameOf(target: Target): string {
  return "fabric" in target ? target.fabric : `${target.character} · ${target.garment}`;
}

export function valuesOf(description: FabricDescription): Values {
  const values: Values = new Map();
  for (const group of FABRIC_GROUPS)
    for (const [key, { value }] of Object.entries(description[group])) values.set(group === "values" ? key : `${group}.${key}`, value);
  return values;
}

export function toParams(values: Values): FabricValues {
  const params: FabricValues = {};
  for (const [path, value] of values) {
    const [group, key] = path.split(".");
    if (key === undefined) params[path] = value;
    else ((params[group] ??= {}) as Record<string, number>)[key] = value;
  }
  return params;
}

export function fromParams(params: FabricValues): Values {
  const values: Values = new Map();
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === "number") values.set(name, value);
    else for (const [key, number] of Object.entries(value)) values.set(`${name}.${key}`, number);
  }
  return values;
}

export function getFabric(server: Server, target: Target): Promise<FabricDescription> {
  return server.request<FabricDescription>("fabric.get", target);
}

/** What a character's garments have other values of than their fabrics. */
export async function tunedGarments(server: Server, character: string, garments: Garment[]): Promise<Change[]> {
  const changes = await Promise.all(garments.map(async ({ name, fabric }) => {
    const target = { character, garment: name };
    const [own, common] = await Promise.all([target, { fabric }].map(async (one) => valuesOf(await getFabric(server, one))));
    return { target, values: new Map([...own].filter(([key, value]) => common.get(key) !== value)) };
  }));
  return changes.filter(({ values }) => values.size > 0);
}

/** The requests that set values. */
export function requestsOf(changes: Change[]): [method: string, params: object][] {
  return changes.map(({ target, values }) => ["fabric.set", { ...target, values: toParams(values) }]);
}
