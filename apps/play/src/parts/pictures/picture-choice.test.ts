import { PICTURE_MAX_BYTES } from "@perya/contract/promotion-rules";
import { describe, expect, it } from "vitest";
import { choosePictures } from "./picture-choice.ts";

const png = picture([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const jpeg = picture([0xff, 0xd8, 0xff, 0xe0]);
const gif = picture([...Buffer.from("GIF89a")]);

describe("chosen pictures", () => {
  it("[G2.10-14] are PNG and JPEG by their bytes, whatever their names", async () => {
    expect(await choosePictures([png, jpeg], 0)).toEqual({ taken: [png, jpeg], fault: null });
    const named = new File([gif], "receipt.png", { type: "image/png" });
    expect(await choosePictures([named, png], 0)).toEqual({ taken: [png], fault: "kind" });
    expect((await choosePictures([new Blob([])], 0)).fault).toBe("kind");
  });

  it("[G2.10-15] have 5 MB at most each, and are three at most", async () => {
    const full = picture([0xff, 0xd8, 0xff], PICTURE_MAX_BYTES);
    const more = picture([0xff, 0xd8, 0xff], PICTURE_MAX_BYTES + 1);
    expect((await choosePictures([full], 0)).fault).toBeNull();
    expect(await choosePictures([more, png], 0)).toEqual({ taken: [png], fault: "size" });
    const four = await choosePictures([png, png, png, png], 0);
    expect([four.taken.length, four.fault]).toEqual([3, "count"]);
    expect(await choosePictures([png, jpeg], 2)).toEqual({ taken: [png], fault: "count" });
  });
});

function picture(start: readonly number[], size = 64): Blob {
  const bytes = new Uint8Array(size);
  bytes.set(start);
  return new Blob([bytes]);
}
