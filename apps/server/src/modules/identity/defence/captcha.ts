import { createHash, timingSafeEqual } from "node:crypto";
import { createCanvas } from "@napi-rs/canvas";
import type { CaptchaKind } from "@perya/contract/auth";
import { refusal } from "@perya/contract/refusal";
import { mintId } from "@perya/kernel/ids";
import { type Clock, type Entropy, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import type pg from "pg";
import type { Db } from "../../../platform/postgres/pool.ts";
import { insertCaptcha, takeCaptcha } from "./once.store.ts";

/** Characters of a picture that the player copies. */
const SIGNS = 5;
const LIFE_MS = 5 * MINUTE_MS;
const WIDTH = 160;
const HEIGHT = 56;
/** 32 letters and digits that nobody confuses with one another. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/** What a caller may answer (accounts §5, §9). */
const ANSWER = /^[A-Za-z0-9]{1,16}$/;

/** Refuses a caller who may not go on before they have read a picture. */
export const CAPTCHA_WRONG = refusal("captcha_wrong", { captchaRequired: true });

export interface Captchas {
  make(
    merchantId: string,
    kind?: CaptchaKind,
  ): Promise<{ id: string; cap: string; expiresAt: Instant }>;
  /**
   * Each captcha is tried once, right or wrong, and is valid only where its kind is asked for;
   * letters count in either case.
   */
  check(
    merchantId: string,
    kind: CaptchaKind,
    given: { readonly captchaId?: string | undefined; readonly captcha?: string | undefined },
  ): Promise<boolean>;
  /** As `check`, within a transaction: the try is used up when that commits. */
  checkIn(
    client: pg.ClientBase,
    merchantId: string,
    kind: CaptchaKind,
    given: { readonly captchaId: string; readonly captcha: string },
  ): Promise<boolean>;
}

export function createCaptchas(pool: pg.Pool, clock: Clock, entropy: Entropy): Captchas {
  async function take(
    db: Db,
    merchantId: string,
    kind: CaptchaKind,
    id: string,
    answer: string,
  ): Promise<boolean> {
    if (!ANSWER.test(answer)) return false;
    const hash = await takeCaptcha(db, { merchantId, kind, id }, clock.now());
    return hash !== null && timingSafeEqual(hash, hashOf(id, answer));
  }

  return {
    async make(merchantId, kind = "digits") {
      const id = mintId("captcha", clock.now(), entropy.bytes(16));
      const { shown, answer } =
        kind === "digits" ? digits(entropy) : simplePuzzle(entropy.bytes(8));
      const expiresAt = clock.now() + LIFE_MS;
      const kept = { id, merchantId, kind, answerHash: hashOf(id, answer) };
      await insertCaptcha(pool, kept, expiresAt);
      const png = draw(shown, entropy.bytes(256));
      return { id, cap: png.toString("base64"), expiresAt };
    },
    async check(merchantId, kind, { captchaId: id, captcha: answer }) {
      return id !== undefined && answer !== undefined && take(pool, merchantId, kind, id, answer);
    },
    checkIn: (client, merchantId, kind, { captchaId, captcha }) =>
      take(client, merchantId, kind, captchaId, captcha),
  };
}

interface Puzzle {
  readonly shown: string;
  readonly answer: string;
}

function digits(entropy: Entropy): Puzzle {
  let answer = "";
  while (answer.length < SIGNS) {
    for (const byte of entropy.bytes(16)) {
      // 250 is the largest multiple of ten in a byte, so every digit is equally likely.
      if (byte < 250 && answer.length < SIGNS) answer += byte % 10;
    }
  }
  return { shown: answer, answer };
}

/**
 * Characters every other time, else an equation. Its number has four digits, so that guessing a
 * result blindly is not worth it.
 */
export function simplePuzzle(bytes: Uint8Array): Puzzle {
  const [which = 0, one = 0, other = 0, ...rest] = bytes;
  if (which % 2 === 0) {
    const signs = rest.slice(0, SIGNS).map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
    return { shown: signs.join(""), answer: signs.join("") };
  }
  const [more, less] = [1_000 + ((one * 256 + other) % 9_000), 1 + ((rest[0] ?? 0) % 9)];
  const plus = which % 4 === 1;
  const answer = String(plus ? more + less : more - less);
  return { shown: `${more}${plus ? "+" : "−"}${less}=?`, answer };
}

function hashOf(id: string, answer: string): Buffer {
  return createHash("sha256").update(`${id}\n${answer.toUpperCase()}`).digest();
}

/** Characters turned, shifted and crossed by lines; a raster, since scripts can read SVG paths. */
function draw(shown: string, noise: Uint8Array): Buffer {
  const canvas = createCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext("2d");
  let at = 0;
  const chance = () => (noise[at++ % noise.length] ?? 0) / 255;
  context.fillStyle = "#241c3a";
  context.fillRect(0, 0, WIDTH, HEIGHT);
  for (let i = 0; i < 120; i++) {
    context.fillStyle = `rgba(255, 220, 150, ${0.1 + chance() * 0.3})`;
    context.fillRect(chance() * WIDTH, chance() * HEIGHT, 1.5, 1.5);
  }
  context.textBaseline = "middle";
  context.textAlign = "center";
  const signs = [...shown];
  const slot = WIDTH / signs.length;
  // The largest size at which the characters do not overlap.
  const size = Math.min(30, slot + 4);
  signs.forEach((sign, i) => {
    context.save();
    context.translate(slot * (i + 0.5) + (chance() - 0.5) * 8, HEIGHT / 2 + (chance() - 0.5) * 12);
    context.rotate((chance() - 0.5) * 0.7);
    context.font = `700 ${size + chance() * 8}px sans-serif`;
    context.fillStyle = `hsl(${35 + chance() * 30}, 95%, ${66 + chance() * 16}%)`;
    context.fillText(sign, 0, 0);
    context.restore();
  });
  for (let i = 0; i < 4; i++) {
    context.strokeStyle = `hsla(${300 + chance() * 60}, 70%, 70%, 0.7)`;
    context.lineWidth = 1 + chance();
    context.beginPath();
    context.moveTo(0, chance() * HEIGHT);
    context.bezierCurveTo(
      WIDTH * 0.3,
      chance() * HEIGHT,
      WIDTH * 0.6,
      chance() * HEIGHT,
      WIDTH,
      chance() * HEIGHT,
    );
    context.stroke();
  }
  return canvas.toBuffer("image/png");
}
