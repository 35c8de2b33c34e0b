import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { earlierAssets } from "./build/earlier-assets.ts";
import { firstPaint } from "./build/first-paint.ts";
import { ownArt } from "./build/own-art.ts";
import { ownTexts } from "./build/own-texts.ts";

export default defineConfig({
  plugins: [react(), ownTexts(), ownArt(), firstPaint(), earlierAssets()],
  build: {
    target: "es2022",
    assetsDir: "assets",
    // Small files as data: URLs would need a looser content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      input: { app: "index.html", sw: "src/sw/sw.ts" },
      output: {
        // A service worker's address must not change with its content.
        // Two files before the first screen instead of forty: what changes seldom, and the rest.
        codeSplitting: {
          groups: [
            { name: "framework", tags: ["$initial"], test: /node_modules/, priority: 2 },
            // The entry is no part of a group: it must stay a chunk of its own.
            {
              name: "first",
              tags: ["$initial"],
              test: /src\/(app\/(?!main|router)|shell|parts|features)|packages\//,
              priority: 1,
            },
            // What home asks for once it stands, …
            {
              ...{ name: "later", test: /parts\/promotion|icons\/x\./, minShareCount: 2 },
              priority: 0.5,
            },
            // … and what three screens or popups have in common: a request for each small piece
            // costs a phone more than the pieces do. Games have their own.
            {
              ...{ name: "shared", minShareCount: 3, maxModuleSize: 4_000 },
              test: /play\/src\/(app|shell|parts|features)|packages\/(ui|client|kernel|contract)|lucide|base-ui|floating-ui/,
            },
          ],
        },
        entryFileNames: (chunk) => (chunk.name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
      },
    },
  },
});
