import { afterEach, describe, expect, it, vi } from "vitest";
import { smallerPicture } from "./smaller-picture.ts";

const photograph = new Blob([new Uint8Array(4_000_000)], { type: "image/jpeg" });

afterEach(() => void vi.unstubAllGlobals());

/** A browser that reads pictures of this size, and makes JPEGs of so many bytes. */
function browser(seen: { readonly width: number; readonly height: number }, bytes: number) {
  const close = vi.fn();
  const context = { fillRect: vi.fn(), drawImage: vi.fn() };
  const canvas = {
    width: 0,
    height: 0,
    getContext: () => context,
    toBlob: (done: (blob: Blob) => void, type: string) =>
      done(new Blob([new Uint8Array(bytes)], { type })),
  };
  const open = vi.fn(async (..._given: unknown[]) => ({ ...seen, close }));
  vi.stubGlobal("createImageBitmap", open);
  vi.stubGlobal("document", { createElement: () => canvas });
  return { canvas, close, open };
}

describe("a picture that is sent", () => {
  it("is drawn smaller first, in its camera's orientation, and freed", async () => {
    const { canvas, close, open } = browser({ width: 3_000, height: 4_000 }, 250_000);
    const sent = await smallerPicture(photograph);
    expect([sent.size, sent.type]).toEqual([250_000, "image/jpeg"]);
    expect([canvas.width, canvas.height]).toEqual([1_200, 1_600]);
    expect(open.mock.calls[0]?.[1]).toEqual({ imageOrientation: "from-image" });
    expect(close).toHaveBeenCalledOnce();
  });

  it("keeps its size where it has few pixels, and never grows", async () => {
    const { canvas } = browser({ width: 800, height: 600 }, 100_000);
    expect((await smallerPicture(photograph)).size).toBe(100_000);
    expect([canvas.width, canvas.height]).toEqual([800, 600]);
    browser({ width: 800, height: 600 }, photograph.size);
    expect(await smallerPicture(photograph)).toBe(photograph);
  });

  it("is sent unchanged where it is small, or the browser cannot draw it", async () => {
    const { open } = browser({ width: 800, height: 600 }, 1);
    const small = new Blob([new Uint8Array(300_000)]);
    expect(await smallerPicture(small)).toBe(small);
    expect(open).not.toHaveBeenCalled();
    open.mockRejectedValueOnce(new Error("no picture"));
    expect(await smallerPicture(photograph)).toBe(photograph);
    vi.unstubAllGlobals();
    expect(await smallerPicture(photograph)).toBe(photograph);
  });
});
