import { type Refusal, refusal } from "@perya/contract/refusal";
import { assert, present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { systemElapsed } from "../../../platform/clock.ts";
import { isNamedOnCoordinator } from "../../../platform/postgres/distribute.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import { isForeignKeyViolation } from "../../../platform/postgres/violations.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import { isOn, type Merchant } from "../../brand/brand.ts";
import { doorFault, TRIAL_TYPE } from "../members/member-type.ts";
import { deleteTrial, findMember, keepTrial, type MemberRow } from "../members/members.store.ts";
import { deleteSessionsOf } from "../sessions/sessions.store.ts";
import type { Device, LoggedIn, Sessions } from "../sessions/sessions.ts";
import { findUnusedTrials } from "./free-play.store.ts";
import { NewAccounts } from "./new-accounts.ts";
import type { AddMember, Wallets } from "./new-member.ts";

/** By then its session has expired, and nothing else opens a free-play account. */
const TRIALS_KEPT_MS = 30 * DAY_MS;
const TRIALS_A_SLICE = 500;
/** A longer run would delay the later sweeps; the next run does the rest. */
const TRIALS_RUN_MS = MINUTE_MS;

export interface FreePlayOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly sessions: Sessions;
  readonly wallets: Wallets;
  readonly addMember: AddMember;
  /** Milliseconds since any fixed moment; tests advance it themselves. */
  readonly elapsed?: () => number;
}

/** Accounts for free play: nobody registers them, and their money is the house's own currency. */
export class FreePlay {
  readonly #options: FreePlayOptions;
  readonly #elapsed: () => number;
  readonly #newAccounts: NewAccounts;

  constructor(options: FreePlayOptions) {
    this.#options = options;
    this.#elapsed = options.elapsed ?? systemElapsed;
    this.#newAccounts = new NewAccounts(options.pool, options.clock);
  }

  async start(merchant: Merchant, device: Device): Promise<Result<LoggedIn, Refusal>> {
    if (!isOn(merchant, "FREEPLAY3")) return refuse(refusal("feature_off"));
    const closed = doorFault(merchant, TRIAL_TYPE, device.host);
    if (closed !== null) return refuse(closed);
    const place = await this.#newAccounts.takeTrial(merchant, device);
    if (!place.ok) return place;
    let member: MemberRow | null = null;
    try {
      member = await this.#add(merchant);
    } finally {
      if (member === null) await place.value.giveBack();
    }
    return ok(await this.#options.sessions.start(member, device, "trial"));
  }

  async #add(merchant: Merchant): Promise<MemberRow> {
    const id = mintId("member", this.#options.clock.now(), this.#options.entropy.bytes(16));
    const added = await this.#options.addMember(merchant, {
      id,
      merchantId: merchant.id,
      username: `trial${id.slice(-10)}`,
      nickname: null,
      email: null,
      birthday: null,
      affiliateCode: null,
      type: TRIAL_TYPE,
      passwordHash: null,
    });
    assert(added === "added", "a fresh trial name is free");
    const opened = { id, merchant, type: TRIAL_TYPE };
    await this.#options.wallets.giveTrialCredit(opened, merchant.settings.trialCreditMinor);
    return present(await findMember(this.#options.pool, merchant.id, id), "the new trial member");
  }

  /**
   * A job runs this: it deletes free-play accounts that nobody used for long, with their sessions.
   * Accounts that were played with stay, and so do all ledger entries, since nothing is deleted
   * from the books. A run takes a minute at most.
   * @param clear deletes what other modules have of a member who never played; false if they played
   */
  async sweep(clear: (memberId: string) => Promise<boolean>): Promise<void> {
    const unusedSince = this.#options.clock.now() - TRIALS_KEPT_MS;
    const until = this.#elapsed() + TRIALS_RUN_MS;
    const nextSlice = () => findUnusedTrials(this.#options.pool, unusedSince, TRIALS_A_SLICE);
    // Each account is deleted or marked, so that the next slice has others.
    for (let ids = await nextSlice(); ids.length > 0; ids = await nextSlice()) {
      for (const id of ids) {
        if (this.#elapsed() >= until) return;
        const gone = (await clear(id)) && (await this.#delete(id));
        if (!gone) await keepTrial(this.#options.pool, id);
      }
    }
  }

  /** False if another module has something of the account, such as a game that it kept. */
  async #delete(id: string): Promise<boolean> {
    if (await isNamedOnCoordinator(this.#options.pool, "member_id", id)) return false;
    try {
      await withTransaction(this.#options.pool, async (client) => {
        await deleteSessionsOf(client, id);
        await deleteTrial(client, id);
      });
      return true;
    } catch (error) {
      if (isForeignKeyViolation(error)) return false;
      throw error;
    }
  }
}
