// The two looks of the scene. Colours are sRGB.

export type ThemeName = "light" | "dark";

export interface Theme {
  zenith: string;
  horizon: string;
  floor: string; // beneath the viewer; fades into the horizon
  pool: string; // the floor where the light falls
  grid: string;
  gridOpacity: number;
  shadow: string;
  shadowOpacity: number;
  sun: { color: string; intensity: number };
  fill: { color: string; intensity: number }; // from the camera's side; at most, where it looks against the sun
  sky: { above: string; below: string; intensity: number };
  environment: number;
  exposure: number;
  line: string; // skeleton
  mannequin: string;
}

export const THEMES: Record<ThemeName, Theme> = {
  light: {
    zenith: "#b9c6cf", horizon: "#e9e6df", floor: "#d6d0c5", pool: "#e6e1d7", grid: "#6b6356", gridOpacity: 0.22,
    shadow: "#3a2f2a", shadowOpacity: 0.55,
    sun: { color: "#fff0da", intensity: 2.7 },
    fill: { color: "#fff4e6", intensity: 1.9 },
    sky: { above: "#dfeaf5", below: "#b9a58d", intensity: 0.22 },
    environment: 0.66, exposure: 0.92, line: "#1f5f8b", mannequin: "#b3aa9e",
  },
  dark: {
    zenith: "#12161c", horizon: "#2b3037", floor: "#1b1e22", pool: "#3a3d40", grid: "#c8d2dc", gridOpacity: 0.12,
    shadow: "#000000", shadowOpacity: 0.72,
    sun: { color: "#ffe6c4", intensity: 2.9 },
    fill: { color: "#f3ecff", intensity: 1.7 },
    sky: { above: "#9fb6d0", below: "#3a3330", intensity: 0.16 },
    environment: 0.55, exposure: 0.98, line: "#7cc4ff", mannequin: "#a49c92",
  },
};
