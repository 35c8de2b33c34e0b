import { createHash } from "node:crypto";
import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { type Clock, DAY_MS, HOUR_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import {
  countPicture,
  DISPUTED_MS,
  inSteps,
  NO_CALL,
  type PictureCall,
} from "../../platform/kept-pictures.ts";
import { type Picture, redraw } from "../../platform/picture.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import type { DepositRow } from "./deposits.store.ts";
import type { Deposits } from "./deposits.ts";
import {
  findManualDeposits,
  findReceipt,
  findSameReceipt,
  flagDeposits,
  lockOpenDeposit,
  type ManualDeposit,
  sweepReceipts,
  writeEvidence,
  writeReceipt,
} from "./manual-deposits.store.ts";
import { MANUAL } from "./manual-provider.ts";

const KEY = /^[A-Z0-9]{6,30}$/;

/** A picture that a player sent within this time is not drawn again. */
const DRAWN_AGAIN_MS = DAY_MS;

/** A player who sent a picture just as it expired must still give the transfer's number. */
const UNCLAIMED_MS = HOUR_MS;

export class ManualEvidence {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #deposits: Deposits;

  constructor(pool: pg.Pool, clock: Clock, deposits: Deposits) {
    this.#pool = pool;
    this.#clock = clock;
    this.#deposits = deposits;
  }

  details(rows: readonly DepositRow[]): Promise<Map<string, ManualDeposit>> {
    const ids = rows.filter(({ provider }) => provider === MANUAL).map(({ id }) => id);
    return findManualDeposits(this.#pool, ids);
  }

  /**
   * Stores a picture of the receipt, the last one sent; see `sweep` for how long. Refuses with
   * `not_found`, `wrong_state` for a deposit that was decided, and with a fault of `image` as
   * `redraw` does and if the player's pictures of a day are too many.
   * @throws Unavailable as `redraw`
   */
  async sendReceipt(
    session: Session,
    id: string,
    sent: Buffer,
    { hangUp, roomForPicture }: PictureCall = NO_CALL,
  ): Promise<Result<Pick<Picture, "width" | "height">, Refusal>> {
    const deposit = await this.#own(session, id);
    if (deposit === null) return refuse(refusal("not_found"));
    const sentHash = createHash("sha256").update(sent).digest();
    const before = await findReceipt(this.#pool, id);
    if (before?.sent_hash.equals(sentHash) === true) return ok(before);
    const since = this.#clock.now() - DRAWN_AGAIN_MS;
    const known = await findSameReceipt(this.#pool, deposit, sentHash, since);
    const picture = known === null ? await redraw(sent, hangUp) : ok(known);
    if (!picture.ok) return picture;
    const full = await roomForPicture(picture.value.image.length);
    if (full !== null) return refuse(full);
    return withTransaction(this.#pool, async (client) => {
      const open = await lockOpenDeposit(client, id);
      if (open === null) return refuse(refusal("wrong_state"));
      const { image } = picture.value;
      const at = this.#clock.now();
      const refused = await countPicture(client, session.memberId, image.length, at);
      if (refused !== null) return refuse(refused);
      const drawnHash = createHash("sha256").update(image).digest();
      await writeReceipt(client, open, { ...picture.value, sentHash, drawnHash }, at);
      return ok(picture.value);
    });
  }

  /**
   * The player says that they paid, and under which number; from then on an operator looks. A
   * number given for another deposit is refused, and both are flagged; an earlier number that a
   * better one corrects still belongs to this deposit. An expired one is opened again, and so
   * refused with `too_many_open` while as many others are open as the brand allows.
   */
  async claimPaid(
    merchant: Merchant,
    session: Session,
    id: string,
    reference: string,
  ): Promise<Result<DepositRow, Refusal>> {
    const deposit = await this.#own(session, id);
    if (deposit === null) return refuse(refusal("not_found"));
    const key = reference.toUpperCase().replace(/[^A-Z0-9]/g, "");
    if (!KEY.test(key)) return refuse(fieldRefusal("payerReference", "bad_format"));
    const details = (await this.details([deposit])).get(id);
    // One that expired all the same goes to an operator again.
    if (details?.payer_key === key && deposit.state !== "expired") return this.#answer(session, id);
    if (details?.has_receipt !== true) return refuse(fieldRefusal("receipt", "required"));
    const written = await withTransaction(this.#pool, async (client) => {
      if (!(await this.#deposits.hasRoomFor(client, merchant, deposit))) return "no_room" as const;
      if ((await lockOpenDeposit(client, id)) === null) return "decided" as const;
      const evidence = { reference: reference.trim(), key };
      const done = await writeEvidence(client, details, evidence, this.#clock.now());
      if (done === "written") await this.#deposits.awaitOperator(client, deposit);
      return done;
    });
    switch (written) {
      case "no_room":
        return refuse(refusal("too_many_open"));
      case "decided":
        return refuse(refusal("wrong_state"));
      case "taken":
        await flagDeposits(this.#pool, details, key);
        return refuse(fieldRefusal("payerReference", "taken"));
      case "too_many":
        return refuse(fieldRefusal("payerReference", "not_allowed"));
      case "written":
        this.#deposits.tellAwaiting(deposit);
        return this.#answer(session, id);
    }
  }

  /**
   * A job runs this: a receipt that nobody claimed is deleted an hour after its deposit's end, one
   * by which an operator decided when it can no longer be disputed.
   */
  sweep(): Promise<void> {
    return inSteps((limit) =>
      sweepReceipts(this.#pool, this.#clock.now(), {
        limit,
        unclaimedMs: UNCLAIMED_MS,
        decidedMs: DISPUTED_MS,
      }),
    );
  }

  async #answer(session: Session, id: string): Promise<Result<DepositRow, Refusal>> {
    const now = await this.#own(session, id);
    return now === null ? refuse(refusal("not_found")) : ok(now);
  }

  async #own(session: Session, id: string): Promise<DepositRow | null> {
    const deposit = await this.#deposits.find(session, id);
    return deposit?.provider === MANUAL ? deposit : null;
  }
}
