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
 * The decoded size of a picture, a phone's 24 megapixels: four bytes per pixel are held while it is
 * drawn, and nothing else is answered while it is made smaller.
 */
const PIXELS_MAX = 25_000_000;
const SIDE_MAX = 2_000;
const QUALITY = 82;
const FIELD = "image";

/** One picture is decoded at a time, however many arrive. */
const turns = new Turns();
/** Waiting ones keep what was sent, 5 MB each at most; a sender without a place comes again. */
const WAITING_MAX = 8;

/**
 * A picture drawn anew: only what is visible remains, neither place nor camera nor anything hidden
 * behind the pixels. Refuses, naming `image`, a file that is neither PNG nor JPEG by its content,
 * one with more pixels than we decode, and a broken one.
 * @param hangUp of the sender, who then leaves the queue
 * @param unfold the decoder; tests count what it is given
 * @throws NoTurn if too many wait, for too long, or the sender has hung up
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
  // The decoder takes no limit; a size that we did not judge is not drawn.
  if (seen.width * seen.height !== plain.width * plain.height) {
    return refuse(fieldRefusal(FIELD, "bad_format"));
  }
  const scale = Math.min(1, SIDE_MAX / Math.max(seen.width, seen.height));
  const width = Math.max(1, Math.round(seen.width * scale));
  const height = Math.max(1, Math.round(seen.height * scale));
  const canvas: Canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  // Where a PNG is transparent a JPEG would be black.
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width, height);
  context.drawImage(seen, 0, 0, width, height);
  return ok({ image: await canvas.encode("jpeg", QUALITY), width, height });
}
