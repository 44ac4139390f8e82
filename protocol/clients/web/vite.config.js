// Builds the page into dist/, each file of it also compressed by gzip, for servers that send files as they are.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";

const COMPRESSED = /\.(html|js|css|svg)$/;

function precompress() {
  let folder = "";
  return {
    name: "precompress",
    apply: "build",
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      for (const entry of readdirSync(folder, { recursive: true })) {
        const path = join(folder, String(entry));
        if (COMPRESSED.test(path)) writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    assetsInlineLimit: 0, // the server's Content-Security-Policy allows no data: URLs
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
  },
  worker: { format: "es" },
  server: { proxy: { "/v1": { target: "ws://127.0.0.1:7602", ws: true } } },
  plugins: [precompress()],
});
