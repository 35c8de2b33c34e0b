import { createCanvas, loadImage } from "@napi-rs/canvas";
import { describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../tests/server/answers.ts";
import { redraw } from "./picture.ts";

describe("a picture that was sent", () => {
  it("[G2.10-14] is judged by its content: PNG and JPEG are drawn, whatever they are called", async () => {
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

  it("is refused where it only begins like one", async () => {
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
    // The one after a broken one is drawn as ever.
    expect(taken(await redraw(png)).width).toBe(40);
  });

  it("keeps nothing that its camera wrote, and stands as the camera was held", async () => {
    const sent = withExif(picture(40, 20, "image/jpeg"));
    expect(sent.includes("Exif")).toBe(true);
    const { image, width, height } = taken(await redraw(sent));
    expect([width, height]).toEqual([20, 40]);
    expect(image.includes("Exif")).toBe(false);
    expect(image.includes("GPS")).toBe(false);
  });

  it("is made smaller where it is larger than anyone needs, and never unfolds without bound", async () => {
    const { width, height } = taken(await redraw(picture(4_000, 1_000, "image/png")));
    expect([width, height]).toEqual([2_000, 500]);
    // A header that claims more than there is: nothing of it is unfolded.
    const bomb = picture(4, 4, "image/png");
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    expect(codeOf(await redraw(bomb))).toBe("image too_big");
  });

  it("that is clear stands on white", async () => {
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

/** The way a phone writes it: held upright (orientation 6), and where it was. */
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
