import type { Canvas, Image } from "@napi-rs/canvas";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { fieldRefusal, limitRefusal, type Refusal } from "@perya/contract/refusal";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { formatOf, type PlainPicture, plainJpeg, plainPng } from "./plain-picture.ts";
import { Turns } from "./turns.ts";

export interface Picture {
  /** JPEG. */
  readonly image: Buffer;
  readonly width: number;
  readonly height: number;
}

/**
 * What a picture may unfold to, a phone's 24 megapixels: four bytes a pixel are held while it is
 * drawn, and nothing else is answered while it is made smaller.
 */
const PIXELS_MAX = 25_000_000;
/** Enough to read a receipt by. */
const SIDE_MAX = 2_000;
const QUALITY = 82;
const FIELD = "image";

/** One picture is unfolded at a time, however many arrive. */
const turns = new Turns();
/** Those that wait keep what was sent, 5 MB each at most; who finds no place comes again. */
const WAITING_MAX = 8;

/**
 * A picture drawn anew: only what is seen of it remains, neither place nor camera nor anything
 * that hid behind the pixels. Refuses, naming `image`, what is neither PNG nor JPEG by its
 * content, what has more pixels than we unfold, and what is broken.
 * @param hangUp of who sent it, who then leaves the line
 * @param unfold the decoder; tests count what it is given
 * @throws NoTurn where too many wait, for too long, or who sent it has hung up
 */
export async function redraw(
  sent: Buffer,
  hangUp?: AbortSignal,
  unfold: (file: Buffer) => Promise<Image> = loadImage,
): Promise<Result<Picture, Refusal>> {
  const format = formatOf(sent);
  if (format === null) return refuse(fieldRefusal(FIELD, "not_allowed"));
  const plain = format === "png" ? plainPng(sent) : plainJpeg(sent);
  if (plain === null) return refuse(fieldRefusal(FIELD, "bad_format"));
  if (plain.width * plain.height > PIXELS_MAX) {
    return refuse(limitRefusal(FIELD, "too_big", `${PIXELS_MAX}`, "pixels"));
  }
  const line = { max: 1, waitingMax: WAITING_MAX, hangUp };
  return turns.run("draw", line, () => draw(plain, unfold));
}

async function draw(
  plain: PlainPicture,
  unfold: (file: Buffer) => Promise<Image>,
): Promise<Result<Picture, Refusal>> {
  let seen: Image;
  try {
    // Turned as its camera was held.
    seen = await unfold(plain.file);
  } catch {
    return refuse(fieldRefusal(FIELD, "bad_format"));
  }
  // The decoder takes no bound; of what it makes that we did not judge, nothing is drawn.
  if (seen.width * seen.height !== plain.width * plain.height) {
    return refuse(fieldRefusal(FIELD, "bad_format"));
  }
  const scale = Math.min(1, SIDE_MAX / Math.max(seen.width, seen.height));
  const width = Math.max(1, Math.round(seen.width * scale));
  const height = Math.max(1, Math.round(seen.height * scale));
  const canvas: Canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  // Where a PNG is clear a JPEG would be black.
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width, height);
  context.drawImage(seen, 0, 0, width, height);
  return ok({ image: await canvas.encode("jpeg", QUALITY), width, height });
}
