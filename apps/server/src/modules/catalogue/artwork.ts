import { brotliCompressSync, constants } from "node:zlib";
import { BANNER_SCENES, type BannerScene, bannerSvg } from "@perya/art/banner";
import { MOTIFS, type Motif, tileSvg } from "@perya/art/tile";
import { vendorMarkSvg } from "@perya/art/vendor-mark";
import type { GameType } from "@perya/contract/catalogue";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { Merchant } from "../identity/identity.ts";
import { type GameRow, searchName } from "./catalogue.store.ts";
import type { Catalogue } from "./catalogue.ts";

/** Pictures kept compressed; a tile is about 1.3 kB. */
const PICTURES_MAX = 4_000;
/** The art of a game changes only with a new build; a day is short enough for that. */
const CACHE_CONTROL = "public, max-age=86400, stale-while-revalidate=604800";

interface Picture {
  readonly svg: Buffer;
  readonly brotli: Buffer;
}

/**
 * Generated artwork under /art: tiles by game, banners by scene, marks by vendor. Made on first
 * request from a seed, so a game that an operator adds has its picture at once.
 */
export function serveArtwork(
  app: FastifyInstance,
  catalogue: Catalogue,
  merchantOf: (host: string) => Promise<Merchant | null>,
): void {
  const pictures = new LRUCache<string, Picture>({ max: PICTURES_MAX });

  function send(request: FastifyRequest, reply: FastifyReply, name: string, draw: () => string) {
    const picture = pictures.get(name) ?? compress(draw());
    pictures.set(name, picture);
    void reply
      .type("image/svg+xml; charset=utf-8")
      .header("cache-control", CACHE_CONTROL)
      .header("vary", "accept-encoding");
    if (!/\bbr\b/.test(String(request.headers["accept-encoding"] ?? ""))) {
      return reply.send(picture.svg);
    }
    return reply.header("content-encoding", "br").send(picture.brotli);
  }

  app.get<{ Params: { file: string } }>("/art/tile/:file", async (request, reply) => {
    const match = /^(\d{1,9})\.svg$/.exec(request.params.file);
    const merchant = await merchantOf(request.hostname);
    if (match === null || merchant === null) return reply.code(404).send();
    const name = `tile ${merchant.id} ${match[1]}`;
    if (pictures.has(name)) return send(request, reply, name, () => "");
    const game = await catalogue.game(merchant, Number(match[1]));
    if (game === null) return reply.code(404).send();
    return send(request, reply, name, () => drawTile(game));
  });

  app.get<{ Params: { file: string } }>("/art/banner/:file", async (request, reply) => {
    const scene = request.params.file.replace(/\.svg$/, "");
    if (!isScene(scene)) return reply.code(404).send();
    return send(request, reply, `banner ${scene}`, () => bannerSvg({ seed: scene, scene }));
  });

  app.get<{ Params: { file: string } }>("/art/vendor/:file", async (request, reply) => {
    const match = /^([A-Z0-9_]{1,30})\.svg$/.exec(request.params.file);
    const code = match?.[1];
    if (code === undefined) return reply.code(404).send();
    return send(request, reply, `vendor ${code}`, () =>
      vendorMarkSvg({ seed: code, letters: code.slice(0, 2) }),
    );
  });
}

function drawTile(game: GameRow): string {
  return tileSvg({
    seed: game.game_id,
    category: game.game_type,
    motif: game.house_game ?? motifOf(game.name, game.game_type, game.node_id),
  });
}

/**
 * The subject that a game's name speaks of; where it names none of its category's, the motif goes
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
  return { svg: bytes, brotli: brotliCompressSync(bytes, { params }) };
}
