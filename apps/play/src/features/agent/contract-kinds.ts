import type { Reply } from "@perya/client/api";
import type { ContractKind } from "@perya/contract/agents";
import type { MessageId } from "../../shell/text.ts";

type Requirement = keyof Reply<"GET /api/v1/agent/contract-info">;

export interface KindOfContract {
  readonly kind: ContractKind;
  readonly title: MessageId;
  readonly path: string;
  /** The field that is not empty while a contract waits (games §2.9). */
  readonly requirement: Requirement;
}

/** In the order in which home leads to them. */
export const KINDS: readonly KindOfContract[] = [
  {
    kind: "daily",
    title: "screen.salary_contract",
    path: "/m/member/agent/getSalaryContract",
    requirement: "dailysalreqtype",
  },
  {
    kind: "dividend",
    title: "screen.dividend_contract",
    path: "/m/member/agent/getDevidendContract",
    requirement: "divtypecompperiodreq",
  },
  {
    kind: "hourly",
    title: "screen.hourly_contract",
    path: "/m/member/agent/getHourContract",
    requirement: "contracthoursalreq",
  },
];
