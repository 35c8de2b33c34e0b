import { agentCalls } from "./agents.ts";
import { authCalls, memberCalls } from "./auth.ts";
import type { Call } from "./call.ts";
import { cashierCalls } from "./cashier.ts";
import { catalogueCalls } from "./catalogue.ts";
import { cockfightCalls } from "./cockfight.ts";
import { contentCalls } from "./content.ts";
import { externalAccountCalls, externalLoginCalls } from "./external-login.ts";
import { feedbackCalls } from "./feedback.ts";
import { helpCalls } from "./help.ts";
import { invitationCalls } from "./invitation.ts";
import { launchCalls } from "./launch.ts";
import { lotteryCalls } from "./lottery.ts";
import { operatorCalls, operatorCashierCalls } from "./operator-cashier.ts";
import { operatorWinCalls } from "./operator-wins.ts";
import { playerGameCalls } from "./player-games.ts";
import { promotionCalls } from "./promotions.ts";
import { recoveryCalls } from "./recovery.ts";
import { redRainCalls } from "./red-rain.ts";
import { roundCalls } from "./rounds.ts";
import { saranggolaCalls } from "./saranggola.ts";
import { passkeyCalls, securityCalls, twoFactorCalls } from "./security.ts";
import { smsCalls } from "./sms.ts";
import { sportsCalls } from "./sports.ts";
import { systemCalls } from "./system.ts";
import { vendorWalletCalls } from "./vendor-wallet.ts";

export const calls = {
  ...systemCalls,
  ...authCalls,
  ...smsCalls,
  ...recoveryCalls,
  ...securityCalls,
  ...twoFactorCalls,
  ...passkeyCalls,
  ...externalLoginCalls,
  ...externalAccountCalls,
  ...memberCalls,
  ...invitationCalls,
  ...agentCalls,
  ...catalogueCalls,
  ...launchCalls,
  ...playerGameCalls,
  ...contentCalls,
  ...feedbackCalls,
  ...helpCalls,
  ...promotionCalls,
  ...redRainCalls,
  ...cashierCalls,
  ...roundCalls,
  ...saranggolaCalls,
  ...lotteryCalls,
  ...cockfightCalls,
  ...sportsCalls,
  ...vendorWalletCalls,
  ...operatorCashierCalls,
  ...operatorWinCalls,
  ...operatorCalls,
} as const satisfies Record<string, Call>;

export type Calls = typeof calls;
export type AnyCallKey = keyof Calls;
