import type { IncomingMessage, ServerResponse } from "node:http";
import { SECOND_MS } from "@perya/kernel/instant";
import { blocksOf, machinesAt } from "../address-block.ts";
import { NoTurn, Turns } from "../turns.ts";
import type { Writer } from "./free-play.ts";

/** Of one member: a form sends its pictures together. */
const OF_MEMBER = { max: 3, waitingMax: 6 };
/** Of all at one address who never paid in: their accounts cost nothing. */
const OF_ADDRESS = { max: 12, waitingMax: 24 };
/** Of all who paid in, and as many of all who never did: 160 MB each, of 5 MB an upload. */
const TOGETHER = { max: 32, waitingMax: 64 };
/** A body of which nothing comes for so long is not waited for. */
const STILL_MS = 10 * SECOND_MS;

/**
 * Bounds the large bodies that are taken in at once, since what has come of each is in memory until
 * its call is answered: by member, by address and together. Whoever finds no place waits, with all
 * of the body still on the way. Who paid in waits for nobody else who did not.
 */
export class Uploads {
  readonly #turns = new Turns();

  /**
   * Waits for a place, which is free again once the call is answered or its caller is gone.
   * @throws NoTurn as `Turns.take` does, and where the caller has gone meanwhile
   */
  async begin(writer: Writer, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const ends: (() => void)[] = [];
    const end = () => {
      for (const one of ends.splice(0)) one();
    };
    try {
      for (const { name, max, waitingMax } of await linesOf(writer)) {
        ends.push(await this.#turns.take(name, max, waitingMax));
      }
      if (response.destroyed || request.destroyed) throw new NoTurn("who waited has hung up");
    } catch (error) {
      end();
      throw error;
    }
    const still = endWhereStill(request);
    response.once("close", () => {
      clearInterval(still);
      end();
    });
  }
}

/** The narrow ones first, so that one member's wait takes no place of the others'. */
async function linesOf({ memberId, merchantId, address, hasPaidIn }: Writer) {
  const own = { name: memberId, ...OF_MEMBER };
  if (await hasPaidIn()) return [own, { name: "paid in", ...TOGETHER }];
  const machines = machinesAt(address);
  const places = blocksOf(address).map(({ block, times }) => ({
    name: `${merchantId} ${block}`,
    max: OF_ADDRESS.max * machines * times,
    waitingMax: OF_ADDRESS.waitingMax * machines * times,
  }));
  return [own, ...places, { name: "never paid in", ...TOGETHER }];
}

/** Hangs up where a body that is not all there stands still. */
function endWhereStill(request: IncomingMessage): NodeJS.Timeout {
  const { socket } = request;
  let read = socket.bytesRead;
  const look = setInterval(() => {
    if (request.complete) return clearInterval(look);
    if (socket.bytesRead === read) socket.destroy();
    read = socket.bytesRead;
  }, STILL_MS);
  return look.unref();
}
