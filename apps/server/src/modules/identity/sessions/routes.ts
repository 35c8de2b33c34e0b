import type { Call } from "@perya/contract/call";
import type { Handlers } from "../../../platform/http/handlers.ts";
import type { Merchant } from "../../brand/brand.ts";
import type { Session } from "./session.ts";

/** Handlers of a part of the contract, as modules behind the login write them. */
export type Routes<Cs extends Record<string, Call>> = Handlers<Cs, Merchant, Session>;
