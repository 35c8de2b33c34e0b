/** A file that every decoder reads alike, and the size that it draws. */
export interface PlainPicture {
  readonly file: Buffer;
  readonly width: number;
  readonly height: number;
}

const PNG_START = Buffer.from("89504e470d0a1a0a", "hex");
const JPEG_START = Buffer.from("ffd8ff", "hex");

/** PNG, third edition, 11.2 and 11.3.1: the chunks that paint. */
const PNG_PAINTS = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"];
const PNG_FRAME_BYTES = 12;
const IHDR_BYTES = 13;
/** Encoders write one for each four kilobytes and more. */
const CHUNKS_MAX = 10_000;

/** ITU-T T.81, table B.1, by the second byte of each marker. */
const STUFFED = 0x00;
const BASELINE = 0xc0;
const PROGRESSIVE = 0xc2;
const HUFFMAN_TABLES = 0xc4;
const RESTARTS = { first: 0xd0, last: 0xd7 };
const END = 0xd9;
const SCAN = 0xda;
const QUANTISATION = 0xdb;
const RESTART_INTERVAL = 0xdd;
const APPLICATION = { first: 0xe0, last: 0xef };
const COMMENT = 0xfe;
const FILL = 0xff;
const PASSED_OVER = [HUFFMAN_TABLES, QUANTISATION, RESTART_INTERVAL, COMMENT];
/** Encoders write ten or so, and each covers the whole picture however few its bytes. */
const SCANS_MAX = 32;

/** By its first bytes, under any name; null for neither. */
export function formatOf(file: Buffer): "png" | "jpeg" | null {
  if (file.subarray(0, PNG_START.length).equals(PNG_START)) return "png";
  return file.subarray(0, JPEG_START.length).equals(JPEG_START) ? "jpeg" : null;
}

/**
 * A PNG without anything that does not paint: profiles and texts decompress beyond their size, and
 * other frames are not seen. Null if its chunks are not whole or in a forbidden place.
 */
export function plainPng(file: Buffer): PlainPicture | null {
  const kept: Buffer[] = [PNG_START];
  const types = new Set<string>();
  let at = PNG_START.length;
  for (let chunks = 0; at + PNG_FRAME_BYTES <= file.length; chunks += 1) {
    if (chunks === CHUNKS_MAX) return null;
    const length = file.readUInt32BE(at);
    const type = file.toString("latin1", at + 4, at + 8);
    const end = at + PNG_FRAME_BYTES + length;
    if (end > file.length) return null;
    const isHeader = type === "IHDR";
    // The header comes first, and once.
    if (isHeader !== (types.size === 0)) return null;
    if (isHeader && length !== IHDR_BYTES) return null;
    if (PNG_PAINTS.includes(type)) kept.push(file.subarray(at, end));
    // A chunk whose name begins with a capital may not be left out.
    else if (/^[^a-z]/.test(type)) return null;
    types.add(type);
    if (type === "IEND") break;
    at = end;
  }
  if (!types.has("IDAT") || !types.has("IEND")) return null;
  const plain = Buffer.concat(kept);
  return sized(plain, plain.readUInt32BE(16), plain.readUInt32BE(20));
}

/**
 * A JPEG, up to its end, of one frame that is baseline or progressive, and of so many scans. Null
 * if it contains anything that encoders do not write and that decoders may read in different ways:
 * before its first scan it has only segments, each with its length.
 */
export function plainJpeg(file: Buffer): PlainPicture | null {
  let frame: { readonly width: number; readonly height: number } | null = null;
  let scans = 0;
  let at = 2;
  while (at + 4 <= file.length) {
    const marker = file[at + 1] ?? FILL;
    const length = file.readUInt16BE(at + 2);
    if (file[at] !== 0xff || length < 2 || at + 2 + length > file.length) return null;
    if (marker >= BASELINE && marker <= PROGRESSIVE) {
      if (frame !== null || length < 8) return null;
      frame = { width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) };
    } else if (marker === SCAN) {
      scans += 1;
      if (frame === null || scans > SCANS_MAX) return null;
    } else if (!isPassedOver(marker)) return null;
    at += 2 + length;
    if (scans === 0) continue;
    at = nextMarker(file, at);
    if ((file[at + 1] ?? END) === END) break;
  }
  if (frame === null || scans === 0) return null;
  return sized(file.subarray(0, at + 2), frame.width, frame.height);
}

/** The end of the compressed data that begins here; the end of the file if it has none. */
function nextMarker(file: Buffer, from: number): number {
  for (let at = from; at < file.length; at += 1) {
    if (file[at] !== 0xff) continue;
    const next = file[at + 1] ?? END;
    const isData = next === STUFFED || next === FILL;
    if (!isData && !(next >= RESTARTS.first && next <= RESTARTS.last)) return at;
  }
  return file.length;
}

function isPassedOver(marker: number): boolean {
  if (marker >= APPLICATION.first && marker <= APPLICATION.last) return true;
  return PASSED_OVER.includes(marker);
}

function sized(file: Buffer, width: number, height: number): PlainPicture | null {
  return width < 1 || height < 1 ? null : { file, width, height };
}
