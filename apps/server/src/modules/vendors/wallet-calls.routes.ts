import type { IncomingHttpHeaders } from "node:http";
import { type Refusal, refusal } from "@perya/contract/refusal";
import type { vendorWalletCalls } from "@perya/contract/vendor-wallet";
import { toWire } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { SIGNATURE_HEADER } from "../../platform/http/signature.ts";
import type { Routes } from "../identity/identity.ts";
import type { VendorAccess } from "./vendor-protocol.ts";
import type { Moved } from "./vendor-sessions.ts";
import { isSignedByVendor } from "./vendor-signature.ts";

/** @param access of our own protocol */
export function vendorWalletRoutes(access: VendorAccess): Routes<typeof vendorWalletCalls> {
  const { sessions: plays, clock } = access;

  interface Signed {
    readonly params: { readonly vendor: string };
    readonly rawBody: Buffer;
    readonly headers: IncomingHttpHeaders;
  }

  function faultOf(call: string, { params, rawBody, headers }: Signed): Refusal | null {
    const calling = access.connection(params.vendor);
    if (calling === null) return refusal("not_found");
    const given = headers[SIGNATURE_HEADER];
    const signature = Array.isArray(given) ? undefined : given;
    const path = `/api/v1/vendors/${params.vendor}/${call}`;
    return isSignedByVendor(calling.secrets, { path, body: rawBody, signature }, clock.now())
      ? null
      : refusal("bad_signature");
  }

  return {
    "POST /api/v1/vendors/{vendor}/plays": async (context) => {
      const fault = faultOf("plays", context);
      return fault === null ? plays.open(context.params.vendor, context.body.token) : refuse(fault);
    },

    "POST /api/v1/vendors/{vendor}/balance": async (context) => {
      const fault = faultOf("balance", context);
      if (fault !== null) return refuse(fault);
      const balance = await plays.balance(context.params.vendor, context.body.play);
      return balance.ok ? ok({ balance: toWire(balance.value) }) : balance;
    },

    "POST /api/v1/vendors/{vendor}/bet": async (context) => {
      const fault = faultOf("bet", context);
      if (fault !== null) return refuse(fault);
      return moved(await plays.bet(context.params.vendor, context.body));
    },

    "POST /api/v1/vendors/{vendor}/win": async (context) => {
      const fault = faultOf("win", context);
      if (fault !== null) return refuse(fault);
      return moved(await plays.win(context.params.vendor, context.body));
    },

    "POST /api/v1/vendors/{vendor}/rollback": async (context) => {
      const fault = faultOf("rollback", context);
      if (fault !== null) return refuse(fault);
      return moved(await plays.rollback(context.params.vendor, context.body));
    },
  };
}

function moved(answer: Result<Moved, Refusal>) {
  if (!answer.ok) return answer;
  const { balance, repeated } = answer.value;
  return ok({ balance: toWire(balance), repeated });
}
