import { brotliCompressSync, constants } from "node:zlib";
import { BANNER_SCENES, type BannerScene, bannerSvg } from "@perya/art/banner";
import { MOTIFS, tileSvg } from "@perya/art/tile";
import { vendorMarkSvg } from "@perya/art/vendor-mark";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { Merchant } from "../identity/identity.ts";
import type { Catalogue, GameRow } from "./catalogue.ts";

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

/** Neighbours in a list get different subjects: the motif goes round with the node id. */
function drawTile(game: GameRow): string {
  const motifs = MOTIFS[game.game_type];
  const motif = game.house_game ?? motifs[game.node_id % motifs.length];
  const request = { seed: game.game_id, category: game.game_type };
  return tileSvg(motif === undefined ? request : { ...request, motif });
}

function isScene(name: string): name is BannerScene {
  return BANNER_SCENES.some((scene) => scene === name);
}

function compress(svg: string): Picture {
  const bytes = Buffer.from(svg);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return { svg: bytes, brotli: brotliCompressSync(bytes, { params }) };
}
