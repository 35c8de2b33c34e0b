import type { IncomingMessage } from "node:http";
import { SECOND_MS } from "@perya/kernel/instant";
import { blocksOf, machinesAt, widestBlock } from "../address-block.ts";
import { FairRoom } from "../fair-room.ts";
import { Turns } from "../turns.ts";
import type { Writer } from "./free-play.ts";
import { hangUpOf } from "./hang-up.ts";

const MEGABYTE = 1_024 * 1_024;
/** Of one session, so that another of the member's has room beside it. */
const OF_SESSION = { max: 10 * MEGABYTE, waitingMax: 4 };
/** Of one member: a form sends its pictures together. */
const OF_MEMBER = { max: 15 * MEGABYTE, waitingMax: 6 };
/** Of all at one address, separately for those who paid in and those who never did. */
const OF_ADDRESS = { max: 40 * MEGABYTE, waitingMax: 16 };
/** Of all of one brand, likewise. */
const OF_BRAND = 80 * MEGABYTE;
/** Of all brands, likewise. */
const TOGETHER = 160 * MEGABYTE;

/** Any request has 30 s to arrive. */
const ARRIVES_WITHIN_MS = 30 * SECOND_MS;
const LOOK_EVERY_MS = 5 * SECOND_MS;

/**
 * Limits how many bytes of large bodies are read at once, since what has arrived of each is in
 * memory until its call ends: by session, member, address, brand and together. A body counts by the
 * length that it names, and must arrive at a matching pace: one that holds much sends much. A
 * request without room waits, with all of the body still on the way. Members who paid in wait for
 * nobody who did not, since accounts cost nothing; and if a brand's room is full, the address that
 * holds most of it gives way to one that would hold less, so that a few keep no other out.
 */
export class Uploads {
  readonly #turns = new Turns();
  readonly #rooms = new Map<string, FairRoom>();

  /**
   * Waits for room; answers the function that gives it back. It is given back by itself if the
   * caller goes before all of the body is read; after that, the call has it in memory, even if the
   * caller has gone.
   * @param maxBytes limit of what is read of the body
   * @throws NoTurn as `Turns.take` does, and if the caller has gone meanwhile
   */
  async begin(writer: Writer, request: IncomingMessage, maxBytes: number): Promise<() => void> {
    const ends: (() => void)[] = [];
    const hangUp = hangUpOf(request);
    const length = lengthOf(request, maxBytes);
    const end = () => {
      hangUp.removeEventListener("abort", leave);
      for (const one of ends.splice(0)) one();
    };
    const isRead = () => request.readableEnded;
    const leave = () => {
      if (!isRead()) end();
    };
    try {
      const who = (await writer.hasPaidIn()) ? "paid in" : "never paid in";
      for (const { name, max, waitingMax } of linesOf(writer, who)) {
        ends.push(await this.#turns.take(name, max, { waitingMax, weight: length, hangUp }));
      }
      const holding = {
        holder: widestBlock(writer.address),
        weight: length,
        hangUp,
        canGiveWay: () => !isRead(),
        giveWay: () => request.socket.destroy(),
      };
      ends.push(await this.#room(`${who} ${writer.merchantId}`, OF_BRAND).take(holding));
      ends.push(await this.#room(who, TOGETHER).take(holding));
    } catch (error) {
      end();
      throw error;
    }
    hangUp.addEventListener("abort", leave);
    ends.push(hangUpWhereSlow(request, length));
    return end;
  }

  #room(name: string, max: number): FairRoom {
    const room = this.#rooms.get(name) ?? new FairRoom(max);
    this.#rooms.set(name, room);
    return room;
  }
}

/** The narrow ones first, so that one member's wait takes no place from the others. */
function linesOf({ sessionId, memberId, merchantId, address }: Writer, who: string) {
  const machines = machinesAt(address);
  const places = blocksOf(address).map(({ block, times }) => ({
    name: `${who} ${merchantId} ${block}`,
    max: OF_ADDRESS.max * machines * times,
    waitingMax: OF_ADDRESS.waitingMax * machines * times,
  }));
  return [{ name: sessionId, ...OF_SESSION }, { name: memberId, ...OF_MEMBER }, ...places];
}

/** Added to the size of each request for its head, and for the part that is read while it waits. */
const LEAST_BYTES = 64 * 1_024;

/**
 * The size that a body may reach; one that names no length, or too much, is read to the maximum.
 */
function lengthOf({ headers }: IncomingMessage, maxBytes: number): number {
  const named = Number(headers["content-length"] ?? maxBytes);
  return Math.max(LEAST_BYTES, Math.min(named, maxBytes));
}

/**
 * Hangs up if a body comes at less than half the pace that would bring it in time: it holds its
 * room for nothing. One that has just begun to come may falter once. Answers the function that ends
 * the watch.
 */
function hangUpWhereSlow(request: IncomingMessage, length: number): () => void {
  const { socket } = request;
  const due = (length * LOOK_EVERY_MS) / ARRIVES_WITHIN_MS / 2;
  let least = socket.bytesRead - due;
  const look = setInterval(() => {
    if (request.complete) return clearInterval(look);
    least += due;
    if (socket.bytesRead < least) socket.destroy();
  }, LOOK_EVERY_MS);
  look.unref();
  return () => clearInterval(look);
}
