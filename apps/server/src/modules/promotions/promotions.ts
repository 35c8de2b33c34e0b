import { createHash } from "node:crypto";
import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { type Clock, DAY_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import {
  countPicture,
  DISPUTED_MS,
  inSteps,
  NO_CALL,
  type PictureCall,
} from "../../platform/kept-pictures.ts";
import { redraw } from "../../platform/picture.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { Merchant } from "../brand/brand.ts";
import type { Announcements } from "../content/content.ts";
import type { MemberKey } from "../identity/identity.ts";
import { type ClaimGift, give, lockMember, releaseGift } from "../identity/identity.ts";
import {
  type Application,
  decideApplication,
  findApplication,
  findPending,
  findSameUpload,
  findUpload,
  hasStanding,
  insertApplication,
  insertUpload,
  listApplications,
  looseUploads,
  type NewApplication,
  sweepUploads,
} from "./promotions.store.ts";

/** Pictures that wait for their application; a form takes three, and one may be chosen anew. */
const LOOSE_MAX = 6;
const LOOSE_KEPT_MS = DAY_MS;
const LIST_MAX = 50;

export interface SentUpload {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** Takes players' applications for promotions, with their pictures; the house decides on them. */
export class Promotions {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #announcements: Pick<Announcements, "promotion">;

  constructor(pool: pg.Pool, clock: Clock, announcements: Pick<Announcements, "promotion">) {
    this.#pool = pool;
    this.#clock = clock;
    this.#announcements = announcements;
  }

  /**
   * Stores a picture under an id of its sender's, once however often it comes. Refuses, naming
   * `image`, a picture that we cannot draw (see `redraw`) or that is too much for one day, and with
   * `id_reused` another one.
   * @throws Unavailable as `redraw`
   */
  async upload(
    who: MemberKey,
    id: string,
    sent: Buffer,
    { hangUp, roomForPicture }: PictureCall = NO_CALL,
  ): Promise<Result<SentUpload, Refusal>> {
    const sentHash = createHash("sha256").update(sent).digest();
    const before = await findUpload(this.#pool, who, id);
    if (before !== null) return sentBefore(id, sentHash, before);
    const known = await findSameUpload(this.#pool, who, sentHash);
    const picture = known === null ? await redraw(sent, hangUp) : ok(known);
    if (!picture.ok) return picture;
    const full = await roomForPicture(picture.value.image.length);
    if (full !== null) return refuse(full);
    return withTransaction(this.#pool, async (client) => {
      await lockMember(client, who.memberId);
      const meanwhile = await findUpload(client, who, id);
      if (meanwhile !== null) return sentBefore(id, sentHash, meanwhile);
      const upload = { ...picture.value, id, sentHash };
      const at = this.#clock.now();
      const refused = await countPicture(client, who.memberId, upload.image.length, at);
      if (refused !== null) return refuse(refused);
      await insertUpload(client, who, upload, LOOSE_MAX, at);
      return ok({ id, width: upload.width, height: upload.height });
    });
  }

  /** A picture of the player's own; refuses with `not_found`. */
  async picture(who: MemberKey, id: string): Promise<Result<Buffer, Refusal>> {
    const found = await findUpload(this.#pool, who, id);
    return found === null ? refuse(refusal("not_found")) : ok(found.image);
  }

  /**
   * An application is taken once under its id. Refuses with `not_found` (`promotionId`), with
   * `wrong_state` if the promotion takes none, names `images` that are not the player's own or
   * belong to another application, `too_many_open` while one for this promotion waits, `id_reused`,
   * `member_blocked`, and as the claim on the promotion does, which is made with it.
   */
  async apply(
    merchant: Merchant,
    who: MemberKey & { readonly blocked: boolean },
    given: NewApplication,
    claim: ClaimGift,
  ): Promise<Result<Application, Refusal>> {
    const application = { ...given, remark: given.remark.trim() };
    const promotion = await this.#announcements.promotion(merchant, application.promotionId);
    return give(this.#pool, async (client) => {
      await lockMember(client, who.memberId);
      const before = await findApplication(client, who, application.id);
      if (before !== null) {
        return isSame(application, before) ? ok(before) : refuse(refusal("id_reused"));
      }
      if (who.blocked) return refuse(refusal("member_blocked"));
      if (promotion === null) {
        const fields = [{ field: "promotionId", code: "not_allowed" as const }];
        return refuse(refusal("not_found", { fields }));
      }
      if (!promotion.takesApplications) return refuse(refusal("wrong_state"));
      const { images } = application;
      const loose = await looseUploads(client, who, images);
      // As many as there are names: none is the same twice, none is missing.
      if (loose.size < images.length) return refuse(fieldRefusal("images", "not_allowed"));
      if ((await findPending(client, who, application.promotionId)) !== null) {
        return refuse(refusal("too_many_open"));
      }
      await claim(client);
      await insertApplication(client, who, application, this.#clock.now());
      const sent = await findApplication(client, who, application.id);
      return ok(present(sent, "the application that was just sent"));
    });
  }

  list(who: MemberKey): Promise<Application[]> {
    return listApplications(this.#pool, who, LIST_MAX);
  }

  /**
   * The house's decision; refuses with `wrong_state` an application that waits for none. A player
   * who was only ever rejected has been given nothing, and keeps the promotion from nobody.
   */
  async decide(
    who: MemberKey,
    id: string,
    decision: { readonly state: "approved" | "rejected"; readonly answer: string },
  ): Promise<Result<null, Refusal>> {
    return withTransaction(this.#pool, async (client) => {
      await lockMember(client, who.memberId);
      const promotion = await decideApplication(client, who, id, decision, this.#clock.now());
      if (promotion === null) return refuse(refusal("wrong_state"));
      if (!(await hasStanding(client, who, promotion))) {
        await releaseGift(client, who, { promotion });
      }
      return ok(null);
    });
  }

  /**
   * Deletes pictures that no application took within a day, and those of a decided one when it can
   * no longer be disputed.
   */
  sweep(): Promise<void> {
    return inSteps((limit) =>
      sweepUploads(this.#pool, this.#clock.now(), {
        limit,
        looseMs: LOOSE_KEPT_MS,
        decidedMs: DISPUTED_MS,
      }),
    );
  }
}

function sentBefore(
  id: string,
  sentHash: Buffer,
  before: { readonly sentHash: Buffer; readonly width: number; readonly height: number },
): Result<SentUpload, Refusal> {
  if (!before.sentHash.equals(sentHash)) return refuse(refusal("id_reused"));
  return ok({ id, width: before.width, height: before.height });
}

function isSame(one: NewApplication, other: NewApplication): boolean {
  return (
    one.promotionId === other.promotionId &&
    one.remark === other.remark &&
    one.images.join() === other.images.join()
  );
}
