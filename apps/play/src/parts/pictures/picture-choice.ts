import { PICTURE_MAX_BYTES, PICTURES_MAX } from "@perya/contract/promotion-rules";

export type PictureFault = "kind" | "size" | "count";

const PNG_START = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG_START = [0xff, 0xd8, 0xff];

export interface Choice {
  readonly taken: readonly Blob[];
  /** Of the first that was left out. */
  readonly fault: PictureFault | null;
}

/**
 * The chosen files that may be sent beside so many existing ones. A file's first bytes decide its
 * kind, as at the server, not its name or the type that the phone gives.
 */
export async function choosePictures(files: readonly Blob[], already: number): Promise<Choice> {
  const taken: Blob[] = [];
  let fault: PictureFault | null = null;
  for (const file of files) {
    const own = await faultOf(file);
    const wrong = own ?? (already + taken.length >= PICTURES_MAX ? "count" : null);
    if (wrong === null) taken.push(file);
    else fault ??= wrong;
  }
  return { taken, fault };
}

async function faultOf(file: Blob): Promise<PictureFault | null> {
  const start = new Uint8Array(await file.slice(0, PNG_START.length).arrayBuffer());
  const begins = (bytes: readonly number[]) => bytes.every((byte, at) => start[at] === byte);
  if (!begins(PNG_START) && !begins(JPEG_START)) return "kind";
  return file.size > PICTURE_MAX_BYTES ? "size" : null;
}
