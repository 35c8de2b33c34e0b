import type { IncomingMessage } from "node:http";
import { SECOND_MS } from "@perya/kernel/instant";
import { blocksOf, machinesAt } from "../address-block.ts";
import { NoTurn, Turns } from "../turns.ts";
import type { Writer } from "./free-play.ts";

/** Of one member: a form sends its pictures together. */
const OF_MEMBER = { max: 3, waitingMax: 6 };
/** Of all at one address, of those who paid in and of those who never did. */
const OF_ADDRESS = { max: 8, waitingMax: 16 };
/** Of all of one brand, likewise. */
const OF_BRAND = { max: 16, waitingMax: 32 };
/** Of all brands, likewise: 160 MB each, of 5 MB an upload. */
const TOGETHER = { max: 32, waitingMax: 64 };
/** A body of which less comes between two looks is not waited for: it holds a place for nothing. */
const LOOK_EVERY_MS = 10 * SECOND_MS;
const LEAST_BYTES = 16 * 1_024;

/**
 * Bounds the large bodies that are taken in at once, since what has come of each is in memory until
 * its call is answered: by member, by address, by brand and together. Whoever finds no place waits,
 * with all of the body still on the way. Who paid in waits for nobody who did not, whose accounts
 * cost nothing.
 */
export class Uploads {
  readonly #turns = new Turns();

  /**
   * Waits for a place; answers what gives it back. It is given back by itself where the caller goes.
   * @throws NoTurn as `Turns.take` does, and where the caller has gone meanwhile
   */
  async begin(writer: Writer, request: IncomingMessage): Promise<() => void> {
    const ends: (() => void)[] = [];
    const { socket } = request;
    const end = () => {
      socket.off("close", end);
      for (const one of ends.splice(0)) one();
    };
    try {
      for (const { name, max, waitingMax } of await linesOf(writer)) {
        ends.push(await this.#turns.take(name, max, waitingMax));
      }
      if (socket.destroyed) throw new NoTurn("who waited has hung up");
    } catch (error) {
      end();
      throw error;
    }
    // Of an answer that waits behind another on its connection Node tells no end.
    socket.on("close", end);
    ends.push(hangUpWhereSlow(request));
    return end;
  }
}

/** The narrow ones first, so that one member's wait takes no place of the others'. */
async function linesOf({ memberId, merchantId, address, hasPaidIn }: Writer) {
  const who = (await hasPaidIn()) ? "paid in" : "never paid in";
  const machines = machinesAt(address);
  const places = blocksOf(address).map(({ block, times }) => ({
    name: `${who} ${merchantId} ${block}`,
    max: OF_ADDRESS.max * machines * times,
    waitingMax: OF_ADDRESS.waitingMax * machines * times,
  }));
  return [
    { name: memberId, ...OF_MEMBER },
    ...places,
    { name: `${who} ${merchantId}`, ...OF_BRAND },
    { name: who, ...TOGETHER },
  ];
}

/** Hangs up where a body that is not all there hardly comes; answers what ends the watch. */
function hangUpWhereSlow(request: IncomingMessage): () => void {
  const { socket } = request;
  let read = socket.bytesRead;
  const look = setInterval(() => {
    if (request.complete) return clearInterval(look);
    if (socket.bytesRead < read + LEAST_BYTES) socket.destroy();
    read = socket.bytesRead;
  }, LOOK_EVERY_MS);
  look.unref();
  return () => clearInterval(look);
}
