import type { Clock, Entropy } from "@perya/kernel/instant";
import type pg from "pg";
import {
  createCaptchas,
  simplePuzzle,
} from "../../apps/server/src/modules/identity/defence/captcha.ts";

export interface ReadCaptcha {
  readonly captchaId: string;
  /** The picture's text: signs, or an equation that ends in `=?`. */
  readonly shown: string;
  readonly captcha: string;
}

/** Simple captchas, signs and equations in turn, read from the random bytes that draw them. */
export function openCaptchaReader(pool: pg.Pool, clock: Clock, entropy: Entropy) {
  let puzzle = new Uint8Array();
  let puzzles = 0;
  const captchas = createCaptchas(pool, clock, {
    bytes: (length) => {
      const bytes = entropy.bytes(length);
      if (length !== 8) return bytes;
      puzzle = bytes.with(0, puzzles++ % 256);
      return puzzle;
    },
  });
  return {
    captchas,
    async read(merchantId: string): Promise<ReadCaptcha> {
      const { id } = await captchas.make(merchantId, "simple");
      const { shown, answer } = simplePuzzle(puzzle);
      return { captchaId: id, shown, captcha: answer };
    },
  };
}
