import type { Canvas, Image } from "@napi-rs/canvas";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { fieldRefusal, type Refusal } from "@perya/contract/refusal";
import { ok, type Result, refuse } from "@perya/kernel/result";

export interface Picture {
  /** JPEG. */
  readonly image: Buffer;
  readonly width: number;
  readonly height: number;
}

/** What a picture may unfold to: four bytes a pixel are held while it is drawn. */
const PIXELS_MAX = 40_000_000;
/** Enough to read a receipt by. */
const SIDE_MAX = 2_000;
const QUALITY = 82;
const PNG_START = Buffer.from("89504e470d0a1a0a", "hex");
const JPEG_START = Buffer.from("ffd8ff", "hex");
const FIELD = "image";

/** One picture is unfolded at a time, however many arrive. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * A picture drawn anew: only what is seen of it remains, neither place nor camera nor anything
 * that hid behind the pixels. Refuses, naming `image`, what is neither PNG nor JPEG by its
 * content, what has more pixels than we unfold, and what is broken.
 */
export function redraw(sent: Buffer): Promise<Result<Picture, Refusal>> {
  const size = sizeOf(sent);
  if (size === null) return Promise.resolve(refuse(fieldRefusal(FIELD, "not_allowed")));
  const { width, height } = size;
  if (width < 1 || height < 1) {
    return Promise.resolve(refuse(fieldRefusal(FIELD, "bad_format")));
  }
  if (width * height > PIXELS_MAX) {
    return Promise.resolve(refuse(fieldRefusal(FIELD, "too_big", `${PIXELS_MAX}`)));
  }
  const drawn = turn.then(() => draw(sent));
  turn = drawn.catch(() => undefined);
  return drawn;
}

async function draw(sent: Buffer): Promise<Result<Picture, Refusal>> {
  let seen: Image;
  try {
    // Turned as its camera was held.
    seen = await loadImage(sent);
  } catch {
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

/** Width and height as the file itself says them; null for what is neither PNG nor JPEG. */
function sizeOf(file: Buffer): { readonly width: number; readonly height: number } | null {
  if (file.subarray(0, PNG_START.length).equals(PNG_START)) {
    const header = file.length >= 24 && file.toString("latin1", 12, 16) === "IHDR";
    return header
      ? { width: file.readUInt32BE(16), height: file.readUInt32BE(20) }
      : { width: 0, height: 0 };
  }
  return file.subarray(0, JPEG_START.length).equals(JPEG_START) ? jpegSize(file) : null;
}

/** From the frame header, behind whatever segments stand before it (ITU-T T.81, B.2.2). */
function jpegSize(file: Buffer): { readonly width: number; readonly height: number } {
  for (let at = 2; at + 9 < file.length; ) {
    if (file[at] !== 0xff) break;
    const marker = file[at + 1] ?? 0;
    // Fill bytes, and markers that stand alone.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = file.readUInt16BE(at + 2);
    const frame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (frame) return { width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) };
    if (length < 2) break;
    at += 2 + length;
  }
  return { width: 0, height: 0 };
}
