import type { redRainCalls } from "@perya/contract/red-rain";
import { type Clock, SECOND_MS } from "@perya/kernel/instant";
import { type Currency, currencyOf, money, toWire } from "@perya/kernel/money";
import { ok } from "@perya/kernel/result";
import { createSharedReads } from "../../platform/shared-reads.ts";
import { DEVICE_COOKIE, type Gifts, type Routes } from "../identity/identity.ts";
import type { PacketRow } from "./red-rain.store.ts";
import type { RedRains } from "./red-rain.ts";

/** Many watch a rain at once. */
const SHARED_MS = SECOND_MS;

export function redRainRoutes(
  rains: RedRains,
  clock: Clock,
  gifts: Pick<Gifts, "claimOf">,
): Routes<typeof redRainCalls> {
  const shared = createSharedReads(clock, SHARED_MS);
  return {
    "GET /api/v1/red-rain": async ({ merchant, session }) => {
      const { next, past } = await shared(merchant.id, () => rains.board(merchant));
      const ids = [...(next === null ? [] : [next]), ...past].map(({ id }) => id);
      const mine = await rains.caughtBy(session, ids);
      const mineOf = (rain: { readonly id: string; readonly currency: string }) =>
        mine
          .filter((packet) => packet.rain_id === rain.id)
          .map((packet) => packetReply(packet, currencyOf(rain.currency)));
      return ok({
        now: clock.now(),
        rain: next && {
          id: next.id,
          startsAt: next.starts_at.getTime(),
          endsAt: next.ends_at.getTime(),
          budget: toWire(money(next.budget_minor, currencyOf(next.currency))),
          largest: toWire(money(next.largest_minor, currencyOf(next.currency))),
          catchMax: next.catch_max,
          left: next.left,
          mine: mineOf(next),
        },
        past: past.map((rain) => ({
          id: rain.id,
          startsAt: rain.startsAt,
          caught: rain.caught,
          given: toWire(money(rain.givenMinor, currencyOf(rain.currency))),
          mine: mineOf(rain),
          winners: rain.winners.map(({ account, amountMinor, at }) => ({
            account,
            amount: toWire(money(amountMinor, currencyOf(rain.currency))),
            at,
          })),
        })),
      });
    },

    "POST /api/v1/red-rain/catches": async (call) => {
      const { merchant, session, body } = call;
      const rain = { rain: body.rainId };
      const origin = { token: call.cookie(DEVICE_COOKIE), address: call.address };
      const claim = await gifts.claimOf(merchant, session, rain, origin);
      const caught = await rains.catch(merchant, session, body, claim);
      if (!caught.ok) return caught;
      const { packet, currency } = caught.value;
      const reply = packetReply(packet, currencyOf(currency));
      return ok({ id: packet.catch_id, rainId: packet.rain_id, ...reply });
    },
  };
}

function packetReply({ amount_minor, caught_at }: PacketRow, currency: Currency) {
  return { amount: toWire(money(amount_minor, currency)), at: caught_at.getTime() };
}
