import { crc32, deflateSync } from "node:zlib";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { describe, expect, it, vi } from "vitest";
import { codeOf, taken } from "../../../../tests/server/answers.ts";
import { redraw as redrawBy } from "./picture.ts";
import { Unavailable } from "./unavailable.ts";

// Works as usual; its inputs are counted.
const decoder = vi.fn(async (file: Buffer) => loadImage(file));
const redraw = (sent: Buffer) => redrawBy(sent, undefined, decoder);

describe("an uploaded picture", () => {
  it("[G2.10-14] is judged by its content: PNG and JPEG are drawn, under any name", async () => {
    for (const kind of ["image/png", "image/jpeg"] as const) {
      const { image, width, height } = taken(await redraw(picture(40, 20, kind)));
      expect([width, height, image.subarray(0, 3).toString("hex")]).toEqual([40, 20, "ffd8ff"]);
      expect(await colourAt(image, 2, 2)).toEqual("red");
      expect(await colourAt(image, 37, 17)).toEqual("blue");
    }
  });

  it("[G2.10-14] of any other kind is refused by name: GIF, WebP, SVG, PDF, a page, nothing", async () => {
    const gif = Buffer.from("GIF89a\x01\x00\x01\x00\x80\x00\x00", "latin1");
    const others = [
      gif,
      createCanvas(4, 4).toBuffer("image/webp"),
      Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"),
      Buffer.from("%PDF-1.7"),
      Buffer.from("<!doctype html><script>alert(1)</script>"),
      Buffer.from(""),
    ];
    for (const one of others) expect(codeOf(await redraw(one))).toBe("image not_allowed");
  });

  it("is refused if it only begins like one", async () => {
    const png = picture(40, 20, "image/png");
    const jpeg = picture(40, 20, "image/jpeg");
    for (const one of [
      png.subarray(0, 8),
      png.subarray(0, 30),
      jpeg.subarray(0, 4),
      jpeg.subarray(0, 30),
      Buffer.concat([Buffer.from("ffd8ff", "hex"), Buffer.alloc(64, 1)]),
    ]) {
      expect(codeOf(await redraw(one))).toBe("image bad_format");
    }
    // The one after a broken one is drawn as usual.
    expect(taken(await redraw(png)).width).toBe(40);
  });

  it("keeps nothing that its camera wrote, and is upright as the camera was held", async () => {
    const sent = withExif(picture(40, 20, "image/jpeg"));
    expect(sent.includes("Exif")).toBe(true);
    const { image, width, height } = taken(await redraw(sent));
    expect([width, height]).toEqual([20, 40]);
    expect(image.includes("Exif")).toBe(false);
    expect(image.includes("GPS")).toBe(false);
  });

  it("is made smaller if it is larger than anyone needs, and is never decoded without a limit", async () => {
    const { width, height } = taken(await redraw(picture(4_000, 1_000, "image/png")));
    expect([width, height]).toEqual([2_000, 500]);
    // A header that claims more than there is: nothing of it is decoded.
    const bomb = picture(4, 4, "image/png");
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    decoder.mockClear();
    expect(await redraw(bomb)).toMatchObject({
      error: { fields: [{ field: "image", code: "too_big", unit: "pixels" }] },
    });
    const camera = picture(4, 4, "image/jpeg");
    camera.writeUInt16BE(6_000, frameAt(camera) + 7);
    camera.writeUInt16BE(4_500, frameAt(camera) + 5);
    expect(codeOf(await redraw(camera))).toBe("image too_big");
    expect(decoder).not.toHaveBeenCalled();
  });

  it("as a JPEG is decoded only if no decoder could read another size in it", async () => {
    const jpeg = picture(40, 20, "image/jpeg");
    const frame = frameAt(jpeg);
    const scan = jpeg.indexOf(Buffer.from("ffda", "hex"));
    const small = tinyFrame(jpeg).toString("hex");
    const arithmetic = Buffer.from(jpeg);
    arithmetic[frame + 1] = 0xc9;
    const endless = Buffer.from(jpeg);
    endless.writeUInt16BE(0, frame + 5);
    const scans = Array.from({ length: 40 }, () => jpeg.subarray(scan, jpeg.length - 2));
    const tricks: Record<string, Buffer> = {
      "a marker that stands alone": hiding(jpeg, 0x01),
      "a restart without data": hiding(jpeg, 0xd0),
      "the last restart without data": hiding(jpeg, 0xd7),
      "a start within": hiding(jpeg, 0xd8),
      "an end within": hiding(jpeg, 0xd9),
      "bytes that fill": put(jpeg, 2, "ff"),
      "bytes of no segment": put(jpeg, frame, "00"),
      "an unknown marker": put(jpeg, 2, "ff020002"),
      "two frames": put(jpeg, frame, small),
      "a frame behind its scan": put(jpeg, jpeg.length - 2, small),
      "a height told behind its scan": put(jpeg, jpeg.length - 2, "ffdc0004ffff"),
      "no height": endless,
      "a frame of another kind": arithmetic,
      "scans without end": Buffer.concat([jpeg.subarray(0, scan), ...scans, jpeg.subarray(-2)]),
    };
    decoder.mockClear();
    for (const [trick, file] of Object.entries(tricks)) {
      expect([trick, codeOf(await redraw(file))]).toEqual([trick, "image bad_format"]);
      expect([trick, decoder.mock.calls.length]).toEqual([trick, 0]);
    }
  });

  it("as a JPEG is drawn with what phones write after it, of which nothing is read", async () => {
    const jpeg = picture(40, 20, "image/jpeg");
    decoder.mockClear();
    const { width } = taken(await redraw(Buffer.concat([jpeg, picture(8, 8, "image/jpeg")])));
    expect([width, givenToDecoder().equals(jpeg)]).toEqual([40, true]);
  });

  it("is not drawn if the decoder made another size of it than was judged", async () => {
    const other = await loadImage(picture(80, 40, "image/png"));
    for (const kind of ["image/png", "image/jpeg"] as const) {
      decoder.mockResolvedValueOnce(other);
      expect(codeOf(await redraw(picture(40, 20, kind)))).toBe("image bad_format");
    }
  });

  it("waits in one of a few places while others are drawn, and is refused until later if none is free", async () => {
    const png = picture(40, 20, "image/png");
    const held = holdDecoder();
    const first = redraw(png);
    await held.begun;
    const waiting = Array.from({ length: 8 }, () => redraw(png));
    await expect(redraw(png)).rejects.toBeInstanceOf(Unavailable);
    held.goOn();
    for (const one of [first, ...waiting]) expect(taken(await one).width).toBe(40);
  });

  it("is not drawn if its sender hangs up while it waits, and waits no longer", async () => {
    const png = picture(40, 20, "image/png");
    const held = holdDecoder();
    const first = redraw(png);
    await held.begun;
    const hangUp = new AbortController();
    const left = redrawBy(png, hangUp.signal, decoder);
    const after = redraw(png);
    hangUp.abort();
    await expect(left).rejects.toBeInstanceOf(Unavailable);
    held.goOn();
    expect(taken(await after).width).toBe(40);
    expect(taken(await first).width).toBe(40);
    expect(decoder).toHaveBeenCalledTimes(2);
  });

  it("as a PNG is decoded only if its chunks are whole and its one header comes first", async () => {
    const png = picture(40, 20, "image/png");
    const header = png.subarray(8, 33);
    const early = chunk("tEXt", Buffer.from("a\0b"));
    const long = chunk("IHDR", Buffer.concat([header.subarray(8, 21), Buffer.alloc(1)]));
    const beyond = Buffer.from(png);
    beyond.writeUInt32BE(0x7fffffff, 33);
    const none = Array.from({ length: 20_000 }, () => chunk("IDAT", Buffer.alloc(0)));
    const tricks: Record<string, Buffer> = {
      "two headers": put(png, 33, header.toString("hex")),
      "something before its header": put(png, 8, early.toString("hex")),
      "a header that is too long": Buffer.concat([png.subarray(0, 8), long, png.subarray(33)]),
      "a chunk that ends beyond the file": beyond,
      "a chunk that nobody knows and all must": put(png, 33, chunk("CgBI", early).toString("hex")),
      "pieces without end": Buffer.concat([png.subarray(0, 33), ...none, png.subarray(33)]),
      "no end": png.subarray(0, png.length - 12),
    };
    decoder.mockClear();
    for (const [trick, file] of Object.entries(tricks)) {
      expect([trick, codeOf(await redraw(file))]).toEqual([trick, "image bad_format"]);
      expect([trick, decoder.mock.calls.length]).toEqual([trick, 0]);
    }
  });

  it("as a PNG has no profile, text or second frame of it decoded", async () => {
    const png = picture(40, 20, "image/png");
    const much = deflateSync(Buffer.alloc(1_000_000));
    const named = (type: string) => chunk(type, Buffer.concat([Buffer.from("a\0\0"), much]));
    const more = [
      ...["iCCP", "zTXt", "iTXt"].map(named),
      chunk("acTL", Buffer.from("0000000200000000", "hex")),
      chunk("fcTL", Buffer.alloc(26)),
      chunk("fdAT", much),
    ];
    const sent = Buffer.concat([png.subarray(0, 33), ...more, png.subarray(33)]);
    decoder.mockClear();
    const { width, height } = taken(await redraw(sent));
    expect([width, height]).toEqual([40, 20]);
    const given = givenToDecoder();
    for (const type of ["iCCP", "zTXt", "iTXt", "acTL", "fcTL", "fdAT"]) {
      expect([type, given.includes(type)]).toEqual([type, false]);
    }
  });

  it("that is transparent gets a white background", async () => {
    const clear = createCanvas(8, 8).toBuffer("image/png");
    expect(await colourAt(taken(await redraw(clear)).image, 4, 4)).toBe("white");
  });
});

/** Red at the left, blue at the right. */
function picture(width: number, height: number, kind: "image/png" | "image/jpeg"): Buffer {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  context.fillStyle = "#f00";
  context.fillRect(0, 0, width, height);
  context.fillStyle = "#00f";
  context.fillRect(width / 2, 0, width / 2, height);
  return kind === "image/png" ? canvas.toBuffer("image/png") : canvas.toBuffer("image/jpeg");
}

/** As a phone writes it: held upright (orientation 6), and where it was. */
function withExif(jpeg: Buffer): Buffer {
  const tiff = Buffer.from("49492a000800000001001201030001000000060000000000000000", "hex");
  const body = Buffer.concat([
    Buffer.from("Exif\0\0"),
    tiff,
    Buffer.from("GPS 14.5995N 120.9842E"),
  ]);
  const head = Buffer.from([0xff, 0xe1, 0, body.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]);
}

/** What the decoder was last given. */
function givenToDecoder(): Buffer {
  const [file] = decoder.mock.lastCall ?? [];
  return Buffer.isBuffer(file) ? file : Buffer.alloc(0);
}

/**
 * A JPEG in which a decoder that reads a length after that marker finds a frame of one pixel, and
 * one that knows that it has none reads the frame that is drawn.
 */
function hiding(jpeg: Buffer, marker: number): Buffer {
  const landing = 4 + 0xffe0;
  const note = Buffer.alloc(60_000);
  const notes = [jpeg.subarray(0, 2), Buffer.from([0xff, marker]), jpeg.subarray(2, frameAt(jpeg))];
  while (Buffer.concat(notes).length < landing) {
    notes.push(Buffer.from("fffeea62", "hex"), note);
  }
  const whole = Buffer.concat([...notes, jpeg.subarray(frameAt(jpeg))]);
  tinyFrame(jpeg).copy(whole, landing);
  return whole;
}

function frameAt(jpeg: Buffer): number {
  return jpeg.indexOf(Buffer.from("ffc0", "hex"));
}

/** The picture's own frame, but of one pixel. */
function tinyFrame(jpeg: Buffer): Buffer {
  const at = frameAt(jpeg);
  const frame = Buffer.from(jpeg.subarray(at, at + 2 + jpeg.readUInt16BE(at + 2)));
  frame.writeUInt16BE(1, 5);
  frame.writeUInt16BE(1, 7);
  return frame;
}

function put(file: Buffer, at: number, digits: string): Buffer {
  return Buffer.concat([file.subarray(0, at), Buffer.from(digits, "hex"), file.subarray(at)]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

async function colourAt(image: Buffer, x: number, y: number): Promise<string> {
  const seen = await loadImage(image);
  const canvas = createCanvas(seen.width, seen.height);
  const context = canvas.getContext("2d");
  context.drawImage(seen, 0, 0);
  const [red = 0, green = 0, blue = 0] = context.getImageData(x, y, 1, 1).data;
  if (red > 200 && green > 200 && blue > 200) return "white";
  if (red > 200) return "red";
  return blue > 200 ? "blue" : `${red} ${green} ${blue}`;
}

/** Holds the drawing of the next picture until it is released. */
function holdDecoder() {
  decoder.mockClear();
  let goOn = () => {};
  let begin = () => {};
  const begun = new Promise<void>((done) => {
    begin = done;
  });
  const gate = new Promise<void>((done) => {
    goOn = done;
  });
  decoder.mockImplementationOnce(async (file) => {
    begin();
    await gate;
    return loadImage(file);
  });
  return { begun, goOn: () => goOn() };
}
