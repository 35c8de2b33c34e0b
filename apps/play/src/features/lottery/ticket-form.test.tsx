// @vitest-environment jsdom
import type { ListedLottery } from "@perya/contract/lottery";
import { act, type ReactNode } from "react";
import { expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { TicketForm } from "./ticket-form.tsx";

const address = vi.hoisted(() => ({ popup: null as string | null }));

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
vi.mock("../../shell/popups.ts", () => ({
  usePopups: () => ({
    open: (popup: string) => {
      address.popup = popup;
    },
  }),
  useOpenPopup: () => address,
}));
vi.mock("@tanstack/react-router", () => ({ useNavigate: () => () => undefined }));
vi.mock("../../parts/time/countdown.tsx", () => ({ Countdown: () => null }));
vi.mock("./number-picker.tsx", () => ({
  NumberPicker: ({ onLucky }: { onLucky: () => void }) => (
    <button type="button" onClick={onLucky}>
      lucky
    </button>
  ),
}));
vi.mock("./pay-table.tsx", () => ({ PayTable: () => null }));
vi.mock("./tickets-page.tsx", () => ({ PLAY_TEXTS: {} }));
vi.mock("@perya/ui/sheet", () => ({
  ConfirmDialog: ({ open, children }: { open: boolean; children: ReactNode }) =>
    open && <p role="alertdialog">{children}</p>,
}));

const LOTTERY = {
  ...{ kind: "6-49", name: "Lotto", open: true, next: { id: "drw_1", number: 1, drawsAt: 1 } },
  ...{ last: null, bets: [], maxStake: { minor: 100_000n, currency: "PHP" } },
} as unknown as ListedLottery; // the form reads no more of it

const page = pageOfEachTest();

it("only the player who pressed confirms a ticket: after a reload no dialog opens with the first line", async () => {
  address.popup = "confirm";
  await page.draw(<TicketForm lottery={LOTTERY} />);
  const dialog = () => document.querySelector("[role=alertdialog]");
  const press = async (name: string) => {
    const buttons = [...document.querySelectorAll("button")];
    await act(async () => buttons.find(({ textContent }) => textContent === name)?.click());
  };
  await press("lucky");
  expect(dialog()).toBeNull();
  await press("lottery.buy");
  expect(dialog()).not.toBeNull();
});
