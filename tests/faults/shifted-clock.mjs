import { subscribe } from "node:diagnostics_channel";

/** Loaded before the product, whose clock it shifts by CLOCK_OFFSET_MS. */
const offset = Number(process.env.CLOCK_OFFSET_MS);
const { now } = Date;
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(now() + offset);
    else super(...given);
  }

  static now() {
    return now() + offset;
  }
};

// Node dates its answers by its own clock; these show the clock that the program reads.
subscribe("http.server.request.start", ({ response }) => {
  response.setHeader("date", new Date().toUTCString());
});
