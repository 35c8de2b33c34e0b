/** Enough to read a receipt; the server keeps little more. */
const SIDE_MAX = 1_600;
const QUALITY = 0.82;
/** Sent within seconds over a slow line, so drawing it again gains nothing. */
const SMALL_BYTES = 300_000;

/** One at a time is decoded: a photograph takes a hundred megabytes of the phone meanwhile. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * The picture as it is sent: an original photograph would take too long over a slow line. Returns
 * the file unchanged where this browser cannot make it smaller.
 */
export async function smallerPicture(file: Blob): Promise<Blob> {
  if (file.size <= SMALL_BYTES) return file;
  const mine = turn.then(() => drawSmaller(file)).catch(() => null);
  turn = mine;
  const drawn = await mine;
  return drawn !== null && drawn.size < file.size ? drawn : file;
}

/** As a JPEG, in the camera's orientation. */
async function drawSmaller(file: Blob): Promise<Blob | null> {
  const seen = await createImageBitmap(file, { imageOrientation: "from-image" });
  try {
    const scale = Math.min(1, SIDE_MAX / Math.max(seen.width, seen.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(seen.width * scale));
    canvas.height = Math.max(1, Math.round(seen.height * scale));
    const context = canvas.getContext("2d");
    if (context === null) return null;
    // Clear areas of a PNG would be black in a JPEG.
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingQuality = "high";
    context.drawImage(seen, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
  } finally {
    seen.close();
  }
}
