import type { promotionCalls } from "@perya/contract/promotions";
import { present } from "@perya/kernel/assert";
import { ok } from "@perya/kernel/result";
import type { Merchant } from "../brand/brand.ts";
import type { Announcements } from "../content/content.ts";
import { DEVICE_COOKIE, type Gifts, type Routes } from "../identity/identity.ts";
import type { Application } from "./promotions.store.ts";
import type { Promotions } from "./promotions.ts";

export function promotionRoutes(
  promotions: Promotions,
  announcements: Announcements,
  gifts: Pick<Gifts, "claimOf">,
): Routes<typeof promotionCalls> {
  async function replies(merchant: Merchant, list: readonly Application[], language: string) {
    const ids = list.map(({ promotionId }) => promotionId);
    const titles = await announcements.titles(merchant, ids, language);
    return list.map((one) => ({
      ...one,
      images: [...one.images],
      title: titles.get(one.promotionId) ?? "",
    }));
  }
  return {
    "PUT /api/v1/promotions/uploads/{id}": ({ session, params, rawBody, ...call }) =>
      promotions.upload(session, params.id, rawBody, call),

    "GET /api/v1/promotions/uploads/{id}": async ({ session, params }) => {
      const picture = await promotions.picture(session, params.id);
      if (!picture.ok) return picture;
      return ok({ type: "image/jpeg" as const, data: picture.value.toString("base64") });
    },

    "POST /api/v1/promotions/applications": async (call) => {
      const { merchant, session, body, language } = call;
      const promotion = { promotion: body.promotionId };
      const origin = { token: call.cookie(DEVICE_COOKIE), address: call.address };
      const claim = await gifts.claimOf(merchant, session, promotion, origin);
      const sent = await promotions.apply(merchant, session, body, claim);
      if (!sent.ok) return sent;
      const [reply] = await replies(merchant, [sent.value], language);
      return ok(present(reply, "a reply for each application"));
    },

    "GET /api/v1/promotions/applications": async ({ merchant, session, language }) =>
      ok({ list: await replies(merchant, await promotions.list(session), language) }),
  };
}
