import { createCanvas, loadImage } from "@napi-rs/canvas";
import { type Plugin, runnerImport } from "vite";

/** PNG sizes that browsers and home screens ask for; iOS rounds its icon itself. */
const ICONS: Readonly<Record<string, { readonly size: number; readonly maskable: boolean }>> = {
  "icons/icon-192.png": { size: 192, maskable: false },
  "icons/icon-512.png": { size: 512, maskable: false },
  "icons/maskable-192.png": { size: 192, maskable: true },
  "icons/maskable-512.png": { size: 512, maskable: true },
  "icons/apple-touch-icon.png": { size: 180, maskable: true },
};

/** Pictures of the app itself, drawn from the generated artwork so that no file is kept of them. */
export function ownArt(): Plugin {
  let loading: Promise<Art> | undefined;
  const art = () => {
    loading ??= loadArt();
    return loading;
  };
  return {
    name: "own-art",
    async generateBundle() {
      for (const [fileName, draw] of Object.entries(drawings(await art()))) {
        this.emitFile({ type: "asset", fileName, source: await draw() });
      }
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const name = (request.url ?? "").split("?")[0]?.slice(1) ?? "";
        if (!/^(icons|scenes)\//.test(name)) return next();
        art()
          .then(async (drawn) => drawings(drawn)[name]?.())
          .then((picture) => {
            if (picture === undefined) return next();
            const type = name.endsWith(".png") ? "image/png" : "image/svg+xml";
            response.setHeader("content-type", type).end(picture);
          }, next);
      });
    },
  };
}

type BrandMark = typeof import("@perya/art/brand-mark");
type EmptyScenes = typeof import("@perya/art/empty-scene");
type Art = BrandMark & EmptyScenes;

/** The artwork is TypeScript of this workspace, so Vite reads it rather than Node. */
async function loadArt(): Promise<Art> {
  const [mark, scenes] = await Promise.all([
    runnerImport<BrandMark>("@perya/art/brand-mark"),
    runnerImport<EmptyScenes>("@perya/art/empty-scene"),
  ]);
  return { ...mark.module, ...scenes.module };
}

/** Every picture by its file name. */
function drawings(art: Art): Record<string, () => string | Promise<Buffer>> {
  const all: Record<string, () => string | Promise<Buffer>> = {
    "icons/mark.svg": art.brandMarkSvg,
  };
  for (const scene of art.EMPTY_SCENES) {
    all[`scenes/${scene}.svg`] = () => art.emptySceneSvg(scene);
  }
  for (const [fileName, { size, maskable }] of Object.entries(ICONS)) {
    all[fileName] = () => rasterise(art.appIconSvg({ maskable }), size);
  }
  return all;
}

async function rasterise(svg: string, size: number): Promise<Buffer> {
  const sized = svg.replace("<svg ", `<svg width='${size}' height='${size}' `);
  const canvas = createCanvas(size, size);
  canvas.getContext("2d").drawImage(await loadImage(Buffer.from(sized)), 0, 0, size, size);
  return canvas.encode("png");
}
