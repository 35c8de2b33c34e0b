import { subscribe } from "node:diagnostics_channel";

/** Loaded before the product's program: its clock is off by CLOCK_OFFSET_MS. */
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

// Node dates its answers by a clock of its own; these show the one that the program reads.
subscribe("http.server.request.start", ({ response }) => {
  response.setHeader("date", new Date().toUTCString());
});
