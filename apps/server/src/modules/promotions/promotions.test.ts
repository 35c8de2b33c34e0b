import { createCanvas } from "@napi-rs/canvas";
import { fieldRefusal } from "@perya/contract/refusal";
import { type IdKind, mintId } from "@perya/kernel/ids";
import { DAY_MS, HOUR_MS } from "@perya/kernel/instant";
import { describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import {
  EVENING,
  ledgerOfFile,
  makeBrand,
  makeMember,
  manualClock,
  seededEntropy,
} from "../../../../../tests/server/fixtures.ts";
import { siblingClaim } from "../../../../../tests/server/sibling-claim.ts";
import { itOfOneServer } from "../../../../../tests/setup/one-server.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { DAY_MAX_BYTES, NO_CALL } from "../../platform/kept-pictures.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { type Announcement, Announcements, insertAnnouncements } from "../content/content.ts";
import { CLAIMS_NOTHING, lockMember, type Session } from "../identity/identity.ts";
import type { NewApplication } from "./promotions.store.ts";
import { Promotions } from "./promotions.ts";

const entropy = seededEntropy("promotions");
const clock = manualClock();

const open = id("announcement");
const other = id("announcement");
const closed = id("announcement");
const over = id("announcement");

const db = await databaseOfFile();
const ledger = ledgerOfFile(db);
const harness = new Promotions(db.pool, clock, new Announcements(db.pool, clock));
const merchant = await makeBrand(db.pool, clock);
await insertAnnouncements(db.pool, merchant.id, [
  promotion(open, { takesApplications: true }),
  promotion(other, { takesApplications: true }),
  promotion(closed, {}),
  promotion(over, { takesApplications: true, endsAt: EVENING - 1 }),
]);
const deps = { pool: db.pool, ledger, clock };
const maria = await makeMember(deps, merchant);
const bea = await makeMember(deps, merchant);

describe("an application", () => {
  it("is taken once, with its pictures in their order, and waits", async () => {
    const images = [await send(maria), await send(maria)];
    const given = { id: id("application"), promotionId: open, remark: " Resibo ko po. ", images };
    const sent = taken(await harness.apply(merchant, maria, given, CLAIMS_NOTHING));
    expect(sent).toEqual({
      ...given,
      remark: "Resibo ko po.",
      state: "pending",
      answer: "",
      sentAt: clock.now(),
      decidedAt: null,
    });
    clock.advance(HOUR_MS);
    expect(taken(await harness.apply(merchant, maria, given, CLAIMS_NOTHING))).toEqual(sent);
    expect(await harness.list(maria)).toEqual([sent]);
    expect(await harness.list(bea)).toEqual([]);
    const changed = { ...given, remark: "something else" };
    expect(codeOf(await harness.apply(merchant, maria, changed, CLAIMS_NOTHING))).toBe("id_reused");
  });

  it("waits alone: another for the same promotion is refused until the house has decided", async () => {
    const next = { id: id("application"), promotionId: open, remark: "", images: [] };
    expect(codeOf(await harness.apply(merchant, maria, next, CLAIMS_NOTHING))).toBe(
      "too_many_open",
    );
    const [waiting] = await harness.list(maria);
    const decision = { state: "rejected", answer: "Malabo ang resibo." } as const;
    expect(codeOf(await harness.decide(bea, waiting?.id ?? "", decision))).toBe("wrong_state");
    taken(await harness.decide(maria, waiting?.id ?? "", decision));
    expect((await harness.list(maria))[0]).toMatchObject({ ...decision, decidedAt: clock.now() });
    const approved = { state: "approved", answer: "" } as const;
    expect(codeOf(await harness.decide(maria, waiting?.id ?? "", approved))).toBe("wrong_state");
    taken(await harness.apply(merchant, maria, next, CLAIMS_NOTHING));
  });

  itOfOneServer("its own limits")(
    "blocks nothing that only refers to the player, such as a payment",
    async () => {
      const rowCount = await withTransaction(db.pool, async (client) => {
        await lockMember(client, maria.memberId);
        const refer = "SELECT FROM members WHERE id = $1 FOR KEY SHARE NOWAIT";
        return (await db.pool.query(refer, [maria.memberId])).rowCount;
      });
      expect(rowCount).toBe(1);
    },
  );

  it("is taken once of twenty that arrive at one moment", async () => {
    const many = Array.from({ length: 20 }, () =>
      harness.apply(
        merchant,
        bea,
        {
          id: id("application"),
          promotionId: other,
          remark: "",
          images: [],
        },
        CLAIMS_NOTHING,
      ),
    );
    const codes = (await Promise.all(many)).map((one) => (one.ok ? "taken" : codeOf(one)));
    expect(codes.filter((code) => code === "taken")).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(["taken", "too_many_open"]));
  });

  it("is for a promotion that runs and takes any", async () => {
    const to = (promotionId: string) => ({
      id: id("application"),
      promotionId,
      remark: "",
      images: [],
    });
    expect(codeOf(await harness.apply(merchant, bea, to(closed), CLAIMS_NOTHING))).toBe(
      "wrong_state",
    );
    for (const none of [over, id("announcement")]) {
      expect(codeOf(await harness.apply(merchant, bea, to(none), CLAIMS_NOTHING))).toBe(
        "promotionId not_allowed",
      );
    }
  });

  it("is refused to a blocked member, who still gets the answer to one sent before", async () => {
    const before = { id: id("application"), promotionId: other, remark: "", images: [] };
    const tess = await makeMember({ pool: db.pool, ledger, clock }, merchant);
    const sent = taken(await harness.apply(merchant, tess, before, CLAIMS_NOTHING));
    const blocked = { ...tess, blocked: true };
    expect(taken(await harness.apply(merchant, blocked, before, CLAIMS_NOTHING))).toEqual(sent);
    const next = { ...before, id: id("application"), promotionId: open };
    expect(codeOf(await harness.apply(merchant, blocked, next, CLAIMS_NOTHING))).toBe(
      "member_blocked",
    );
  });

  it("takes pictures of the player's own, each in one application and in one place", async () => {
    const mine = await send(bea);
    const hers = await send(maria);
    const of = (images: string[]) => ({
      id: id("application"),
      promotionId: open,
      remark: "",
      images,
    });
    for (const images of [[hers], [mine, hers], [mine, mine], [id("upload")]]) {
      expect(codeOf(await harness.apply(merchant, bea, of(images), CLAIMS_NOTHING))).toBe(
        "images not_allowed",
      );
    }
    const sent = taken(await harness.apply(merchant, bea, of([mine]), CLAIMS_NOTHING));
    taken(await harness.decide(bea, sent.id, { state: "approved", answer: "" }));
    expect(codeOf(await harness.apply(merchant, bea, of([mine]), CLAIMS_NOTHING))).toBe(
      "images not_allowed",
    );
  });

  it("that is refused, or rejected in the end, leaves the promotion to a sibling account", async () => {
    const deps = { pool: db.pool, ledger, clock };
    const [jun, ana] = [await makeMember(deps, merchant), await makeMember(deps, merchant)];
    const of = (promotionId: string, images: string[] = []) => ({
      ...{ id: id("application"), promotionId, remark: "", images },
    });
    const refused = [of(closed), of(id("announcement")), of(open, [id("upload")])];
    for (const given of refused) expect(codeOf(await applyAs(jun, given))).not.toBe("ok");
    const blocked = { ...jun, blocked: true };
    expect(codeOf(await applyAs(blocked, of(open)))).toBe("member_blocked");
    const first = of(open);
    taken(await applyAs(ana, first));
    expect(codeOf(await applyAs(jun, of(open)))).toBe("gift_taken");
    taken(await harness.decide(ana, first.id, { state: "rejected", answer: "" }));
    const second = of(open);
    taken(await applyAs(jun, second));
    expect(codeOf(await applyAs(ana, of(open)))).toBe("gift_taken");
    taken(await applyAs(ana, first));
    // An approval holds, whatever the house says of another application.
    taken(await harness.decide(jun, second.id, { state: "approved", answer: "" }));
    const third = of(open);
    taken(await applyAs(jun, third));
    taken(await harness.decide(jun, third.id, { state: "rejected", answer: "" }));
    expect(codeOf(await applyAs(ana, of(open)))).toBe("gift_taken");
  });

  it("[G2.10-15 G2.10-16] can hold neither a fourth picture nor a longer remark in the database", async () => {
    const [one] = await harness.list(bea);
    const fourth = await send(bea);
    const key = [merchant.id, bea.memberId, fourth, one?.id];
    const sql = `UPDATE promotion_uploads SET application_id = $4, place = 4
                 WHERE merchant_id = $1 AND member_id = $2 AND id = $3`;
    await expect(db.pool.query(sql, key)).rejects.toThrow(/place/);
    const long = "UPDATE promotion_applications SET remark = repeat('x', 141) WHERE id = $1";
    await expect(db.pool.query(long, [one?.id])).rejects.toThrow(/remark/);
  });
});

describe("a picture", () => {
  it("is stored once under its sender's id, and shown only to its sender", async () => {
    const upload = id("upload");
    const first = taken(await harness.upload(maria, upload, png("#f00")));
    expect(taken(await harness.upload(maria, upload, png("#f00")))).toEqual(first);
    expect(codeOf(await harness.upload(maria, upload, png("#00f")))).toBe("id_reused");
    expect(
      taken(await harness.picture(maria, upload))
        .subarray(0, 3)
        .toString("hex"),
    ).toBe("ffd8ff");
    expect(codeOf(await harness.picture(bea, upload))).toBe("not_found");
    // The same id is another picture of another sender's.
    taken(await harness.upload(bea, upload, png("#0f0")));
    expect(taken(await harness.upload(maria, upload, png("#f00")))).toEqual(first);
  });

  it("that its sender sent before is stored as it was drawn, under any id", async () => {
    const tess = await makeMember({ pool: db.pool, ledger, clock }, merchant);
    const [first, second] = [id("upload"), id("upload")];
    taken(await harness.upload(tess, first, png("#abc")));
    // Nobody waits for it, so it would not be drawn.
    const hungUp = { ...NO_CALL, hangUp: AbortSignal.abort() };
    taken(await harness.upload(tess, second, png("#abc"), hungUp));
    await expect(harness.upload(tess, id("upload"), png("#abd"), hungUp)).rejects.toThrow(
      "hung up",
    );
    expect(taken(await harness.picture(tess, second))).toEqual(
      taken(await harness.picture(tess, first)),
    );
  });

  it("that no application took is deleted by the seventh after it, or after a day", async () => {
    const tess = await makeMember({ pool: db.pool, ledger, clock }, merchant);
    const sent: string[] = [];
    for (let i = 0; i < 7; i++) {
      clock.advance(1);
      sent.push(await send(tess));
    }
    const kept = async () => {
      const found = await Promise.all(sent.map((one) => harness.picture(tess, one)));
      return found.map(({ ok }) => ok);
    };
    expect(await kept()).toEqual([false, true, true, true, true, true, true]);
    const given = { id: id("application"), promotionId: open, remark: "" };
    const images = [sent[6] ?? ""];
    taken(await harness.apply(merchant, tess, { ...given, images }, CLAIMS_NOTHING));
    clock.advance(DAY_MS - 8);
    await harness.sweep();
    expect(await kept()).toEqual([false, true, true, true, true, true, true]);
    clock.advance(9);
    await harness.sweep();
    expect(await kept()).toEqual([false, false, false, false, false, false, true]);
  });

  it("that an application is just taking stays, though its day is over at this moment", async () => {
    const tess = await makeMember({ pool: db.pool, ledger, clock }, merchant);
    const upload = await send(tess);
    const given = { id: id("application"), promotionId: open, remark: "", images: [upload] };
    const sweeps = async () => {
      clock.advance(DAY_MS + 1);
      await harness.sweep();
    };
    expect(taken(await harness.apply(merchant, tess, given, sweeps)).images).toEqual([upload]);
    expect((await harness.picture(tess, upload)).ok).toBe(true);
  });

  it("of an application waits with it, and is deleted 180 days after the house decided", async () => {
    const tess = await makeMember({ pool: db.pool, ledger, clock }, merchant);
    const upload = await send(tess);
    const given = { id: id("application"), promotionId: open, remark: "", images: [upload] };
    taken(await harness.apply(merchant, tess, given, CLAIMS_NOTHING));
    const isKept = async () => (await harness.picture(tess, upload)).ok;
    clock.advance(300 * DAY_MS);
    await harness.sweep();
    expect(await isKept()).toBe(true);
    taken(await harness.decide(tess, given.id, { state: "approved", answer: "" }));
    clock.advance(179 * DAY_MS);
    await harness.sweep();
    expect(await isKept()).toBe(true);
    clock.advance(2 * DAY_MS);
    await harness.sweep();
    expect(await isKept()).toBe(false);
  });

  it("counts in the bytes a day for which a player, receipts included, and their address have room", async () => {
    const tess = await makeMember({ pool: db.pool, ledger, clock }, merchant);
    await send(tess);
    await db.pool.query("UPDATE picture_days SET bytes = $2 WHERE member_id = $1", [
      tess.memberId,
      DAY_MAX_BYTES - 10,
    ]);
    expect(codeOf(await harness.upload(tess, id("upload"), png("#0f1")))).toBe("image day_spent");
    const lisa = await makeMember({ pool: db.pool, ledger, clock }, merchant);
    const roomForPicture = async () => fieldRefusal("image", "day_spent");
    const full = { ...NO_CALL, roomForPicture };
    expect(codeOf(await harness.upload(lisa, id("upload"), png("#0f1"), full))).toBe(
      "image day_spent",
    );
    clock.advance(DAY_MS);
    await send(tess);
  });
});

/** Applies as a member whose money goes where that of all the others goes. */
async function applyAs(who: Session, given: NewApplication) {
  const occasion = { promotion: given.promotionId };
  const parts = { pool: db.pool, clock, entropy };
  return harness.apply(merchant, who, given, await siblingClaim(parts, merchant, who, occasion));
}

async function send(who: Session): Promise<string> {
  const upload = id("upload");
  taken(await harness.upload(who, upload, png("#fc0")));
  return upload;
}

function png(colour: string): Buffer {
  const canvas = createCanvas(6, 4);
  const context = canvas.getContext("2d");
  context.fillStyle = colour;
  context.fillRect(0, 0, 6, 4);
  return canvas.toBuffer("image/png");
}

function id(kind: IdKind): string {
  return mintId(kind, EVENING, entropy.bytes(16));
}

function promotion(promotionId: string, change: Partial<Announcement>): Announcement {
  return {
    id: promotionId,
    type: "PR",
    groupName: "m_home",
    category: "new_player",
    title: { TY: "Promo", EN: "Promotion" },
    content: { TY: "", EN: "" },
    url: "",
    scene: "",
    startsAt: EVENING - HOUR_MS,
    endsAt: null,
    takesApplications: false,
    ...change,
  };
}
