import { brotliCompressSync, constants } from "node:zlib";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { BANNER_SCENES, type BannerScene, bannerSvg } from "@perya/art/banner";
import { houseSubject } from "@perya/art/house-art";
import { portraitSvg } from "@perya/art/portrait";
import { MOTIFS, type Motif, tileSvg } from "@perya/art/tile";
import { vendorMarkSvg } from "@perya/art/vendor-mark";
import type { GameType } from "@perya/contract/catalogue";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { Merchant } from "../brand/brand.ts";
import { type GameRow, searchName } from "./catalogue.store.ts";
import type { Catalogue } from "./catalogue.ts";

/** Pictures cached compressed; a tile is about 1.3 kB. */
const PICTURES_MAX = 4_000;
/** The art of a game changes only with a new build; a day is short enough for that. */
const CACHE_CONTROL = "public, max-age=86400, stale-while-revalidate=604800";

interface Picture {
  readonly type: string;
  readonly bytes: Buffer;
  readonly brotli: Buffer | null;
}

/** Side in pixels of a vendor's icon for clients without SVG: three times its size on a screen. */
const VENDOR_ICON_PX = { COLOR: 96, SMALL: 84 } as const;
/** Of no game: it may replace any. */
const DEFAULT_TILE = { seed: "default", category: "RNG", motif: "parol" } as const;
/** The one vendor whose icon is not named by its code, as the specification has one. */
const VENDOR_OF_ICON: Readonly<Record<string, string>> = { PISTA: "PGE" };

/**
 * Generated artwork under /art: tiles by game, banners by scene, marks by vendor, portraits by
 * dealer. Made on first request from a seed, so a game that an operator adds has its picture at
 * once; only for what a brand's catalogue has, so that made-up names neither cost the drawing nor
 * push others out of the cache.
 */
export function serveArtwork(
  app: FastifyInstance,
  catalogue: Catalogue,
  merchantOf: (host: string) => Promise<Merchant | null>,
): void {
  const pictures = new LRUCache<string, Picture>({ max: PICTURES_MAX });

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    draw: () => Picture | null | Promise<Picture | null>,
    vary = "accept-encoding",
  ) {
    const picture = pictures.get(name) ?? (await draw());
    if (picture === null) return reply.code(404).send();
    pictures.set(name, picture);
    void reply
      .type(picture.type)
      .header("cache-control", CACHE_CONTROL)
      // An image CDN of another origin serves it unchanged.
      .header("cross-origin-resource-policy", "cross-origin")
      .header("vary", vary);
    const takesBrotli = /\bbr\b/.test(String(request.headers["accept-encoding"] ?? ""));
    if (picture.brotli === null || !takesBrotli) return reply.send(picture.bytes);
    return reply.header("content-encoding", "br").send(picture.brotli);
  }

  app.get<{ Params: { file: string } }>("/art/tile/:file", async (request, reply) => {
    // The replacement for a picture that does not load.
    if (request.params.file === "default.svg") {
      return send(request, reply, "tile default", () => compress(tileSvg(DEFAULT_TILE)));
    }
    const match = /^(\d{1,9})\.svg$/.exec(request.params.file);
    const merchant = await merchantOf(request.sender.hostname);
    if (match === null || merchant === null) return reply.code(404).send();
    return send(request, reply, `tile ${merchant.id} ${match[1]}`, async () => {
      const game = await catalogue.game(merchant, Number(match[1]));
      return game && compress(await drawTile(game));
    });
  });

  app.get<{ Params: { file: string } }>("/art/banner/:file", async (request, reply) => {
    const scene = request.params.file.replace(/\.svg$/, "");
    if (!isScene(scene)) return reply.code(404).send();
    return send(request, reply, `banner ${scene}`, () =>
      compress(bannerSvg({ seed: scene, scene })),
    );
  });

  app.get<{ Params: { file: string } }>("/art/portrait/:file", async (request, reply) => {
    const id = /^([a-z0-9-]{1,40})\.svg$/.exec(request.params.file)?.[1];
    const merchant = await merchantOf(request.sender.hostname);
    if (id === undefined || merchant === null) return reply.code(404).send();
    return send(request, reply, `portrait ${merchant.id} ${id}`, async () => {
      const deals = await catalogue.hasLiveModel(merchant, id);
      return deals ? compress(portraitSvg(id)) : null;
    });
  });

  app.get<{ Params: { file: string } }>("/art/vendor/:file", async (request, reply) => {
    const match = /^([A-Z0-9_]{1,30})(?:\.svg|-(COLOR|SMALL)\.png)$/.exec(request.params.file);
    const called = match?.[1];
    const kind = match?.[2] as keyof typeof VENDOR_ICON_PX | undefined; // by the pattern
    const merchant = await merchantOf(request.sender.hostname);
    if (called === undefined || merchant === null) return reply.code(404).send();
    const code = VENDOR_OF_ICON[called] ?? called;
    const draw = () => vendorMarkSvg({ seed: code, letters: code.slice(0, 2) });
    // An image by its type, not by its name: half a kilobyte as drawn, ten as pixels.
    const drawn = kind === undefined || /\bimage\/svg\+xml\b/.test(request.headers.accept ?? "");
    return send(
      request,
      reply,
      `vendor ${merchant.id} ${code} ${drawn ? "drawn" : kind}`,
      async () => {
        if (!(await catalogue.hasVendor(merchant, code))) return null;
        return drawn ? compress(draw()) : rasterize(draw(), VENDOR_ICON_PX[kind]);
      },
      "accept, accept-encoding",
    );
  });
}

async function rasterize(svg: string, side: number): Promise<Picture> {
  const canvas = createCanvas(side, side);
  const image = await loadImage(Buffer.from(svg));
  canvas.getContext("2d").drawImage(image, 0, 0, side, side);
  return { type: "image/png", bytes: await canvas.encode("png"), brotli: null };
}

async function drawTile(game: GameRow): Promise<string> {
  const { game_id: seed, game_type: category, house_game: own } = game;
  if (own === null) {
    return tileSvg({ seed, category, motif: motifOf(game.name, category, game.node_id) });
  }
  return tileSvg({ seed, category, motif: own, subject: await houseSubject(own) });
}

/**
 * The subject that a game's name speaks of; if it names none of its category's, the motif goes
 * round with the node id, so that neighbours in a list get different subjects.
 */
export function motifOf(name: string, category: GameType, nodeId: number): Motif {
  const words = ` ${searchName(name)} `;
  const own = MOTIFS[category];
  const named = NAMED.find(([word, motif]) => own.includes(motif) && words.includes(` ${word} `));
  return named?.[1] ?? own[nodeId % own.length] ?? own[0];
}

/** Words of names, folded as searchName folds them, and what they picture. */
const NAMED: readonly (readonly [word: string, motif: Motif])[] = [
  ["jeepney", "jeepney"],
  ["mangga", "mango"],
  ["mango", "mango"],
  ["sampaguita", "sampaguita"],
  ["kalabaw", "carabao"],
  ["carabao", "carabao"],
  ["kalesa", "kalesa"],
  ["halo halo", "halo-halo"],
  ["bahay kubo", "kubo"],
  ["tarsier", "tarsier"],
  ["perlas", "perlas"],
  ["bakunawa", "bakunawa"],
  ["buko", "buko"],
  ["salakot", "salakot"],
  ["tambol", "tambol"],
  ["ati atihan", "tambol"],
  ["araw", "araw"],
  ["bituin", "parol"],
  ["parol", "parol"],
  ["ginto", "ginto"],
  ["gold", "ginto"],
  ["roulette", "roulette"],
  ["baccarat", "punto"],
  ["blackjack", "baraha"],
  ["hold em", "tsips"],
  ["sic bo", "dado"],
  ["wheel", "rueda-swerte"],
  ["tongits", "tongits"],
  ["mahjong", "mahjong"],
  ["domino", "domino"],
  ["pusoy", "korona"],
  ["lucky 9", "alas"],
  ["bangus", "bangus"],
  ["lapu lapu", "lapu-lapu"],
  ["pawikan", "pawikan"],
  ["pugita", "pugita"],
  ["treasure", "baul"],
  ["bounty", "baul"],
  ["hunter", "sibat"],
  ["deep", "angkla"],
  ["basketball", "basketbol"],
  ["football", "putbol"],
  ["boxing", "boksing"],
  ["volleyball", "bolibol"],
  ["tennis", "tenis"],
  ["kampilan", "kampilan"],
  ["strike", "asinta"],
  ["league", "tropeo"],
  ["meron", "manok-pula"],
  ["wala", "manok-asul"],
  ["rumble", "salpukan"],
  ["3d", "tatlong-numero"],
  ["bingo", "bingo"],
];

function isScene(name: string): name is BannerScene {
  return BANNER_SCENES.some((scene) => scene === name);
}

function compress(svg: string): Picture {
  const bytes = Buffer.from(svg);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  const type = "image/svg+xml; charset=utf-8";
  return { type, bytes, brotli: brotliCompressSync(bytes, { params }) };
}
