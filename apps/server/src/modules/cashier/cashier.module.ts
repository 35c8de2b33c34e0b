import { eachByItself } from "../../platform/each-by-itself.ts";
import { idOf } from "../../platform/jobs.ts";
import { sweepPictureDays } from "../../platform/kept-pictures.ts";
import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import type { Brands } from "../brand/brand.ts";
import { cashierRoutes, type DeviceOf } from "./cashier.routes.ts";
import { Cashier } from "./cashier.ts";
import { sweepCashier } from "./cashier-sweep.ts";
import { createGatewayProvider } from "./gateway-provider.ts";
import { ManualEvidence } from "./manual-evidence.ts";
import { createManualProvider } from "./manual-provider.ts";
import { operatorCashierRoutes } from "./operator-cashier.routes.ts";
import { OperatorDeposits } from "./operator-deposits.ts";
import { OperatorWithdrawals } from "./operator-withdrawals.ts";
import { openMethods } from "./payments.ts";
import { sandboxPages } from "./sandbox-pages.ts";
import { createSandboxProvider, SEND_CALLBACK } from "./sandbox-provider.ts";
import { walletRoutes } from "./wallet.routes.ts";
import { REVIEW_WITHDRAWAL, type WithdrawalOptions } from "./withdrawals.ts";

type Wired = "providers" | "merchantById" | "publicUrl" | "onChange" | "onAlarm";

export interface CashierModuleOptions extends ModuleParts, Omit<WithdrawalOptions, Wired> {
  readonly brands: Brands;
  readonly deviceOf: DeviceOf;
  /** This server's own address from the inside, once it listens. */
  readonly callBase: () => string;
}

export type CashierModule = ReturnType<typeof cashierModule>;

export function cashierModule(options: CashierModuleOptions) {
  const { pool, clock, ledger, log, config, brands, publish, deviceOf } = options;
  const { sandbox, providers } = providersOf(options);
  const onAlarm = (what: string, about: object) => log.warn(about, what);
  const cashier = new Cashier({
    ...options,
    ...{ providers, onAlarm, publicUrl: config.publicUrl },
    merchantById: (id) => brands.byId(id),
    onChange: (memberId) =>
      publish("cashier", memberId, { version: clock.now(), after: 0, event: {} }),
  });
  const { deposits, withdrawals } = cashier;
  const evidence = new ManualEvidence(pool, clock, deposits);
  return {
    ...{ deposits, withdrawals },
    calls: {
      ...cashierRoutes({ cashier, evidence, deviceOf }),
      ...walletRoutes(ledger),
      ...operatorCashierRoutes({
        deposits: new OperatorDeposits(pool, clock, cashier),
        withdrawals: new OperatorWithdrawals(pool, clock, cashier),
      }),
    },
    channels: { cashier: async () => ({ version: clock.now(), data: {} }) },
    tasks: {
      [SEND_CALLBACK]: async (payload: unknown) => sandbox?.deliver(payload),
      [REVIEW_WITHDRAWAL]: (payload: unknown) => withdrawals.review(idOf(payload)),
      cashier_sweep: () => sweepCashier({ pool, clock, deposits, withdrawals, onAlarm }),
      cashier_expire: () => deposits.expire(),
      receipts_sweep: () =>
        eachByItself({
          receipts: () => evidence.sweep(),
          "picture days": () => sweepPictureDays(pool, clock.now()),
        }),
    },
    outside: cashier.providerTasks,
    schedule: {
      cashier_expire: "* * * * *",
      cashier_sweep: "* * * * *",
      receipts_sweep: "27 * * * *",
    },
    pages: (app) => {
      if (sandbox !== null) sandboxPages(app, sandbox);
    },
    prepare: async () => {
      for (const brand of await brands.all()) {
        if (openMethods(providers, brand).length > 0) continue;
        log.warn({ brand: brand.code }, "the cashier is closed: no provider serves its methods");
      }
    },
  } satisfies ServerModule;
}

function providersOf({ pool, clock, entropy, config, callBase }: CashierModuleOptions) {
  // Never beside real money: it books payments as paid that nobody made.
  const sandbox =
    config.environment === "production"
      ? null
      : createSandboxProvider({
          ...{ pool, clock, entropy },
          secret: config.sandboxPaymentSecret,
          callbackBase: callBase,
        });
  const gateway =
    config.paymentGateway === null
      ? null
      : createGatewayProvider({ clock, ...config.paymentGateway });
  const manual = createManualProvider({ pool, clock, entropy });
  return { sandbox, providers: [manual, gateway, sandbox].filter((one) => one !== null) };
}
