// @vitest-environment jsdom

import { notify } from "@perya/ui/notify";
import { act } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { ApplySheet } from "./apply-sheet.tsx";

const sent = vi.hoisted((): { remark: string }[] => []);
/** What the sheet passes to the command. */
const command = vi.hoisted(() => ({ onDone: () => undefined as undefined }));

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
vi.mock("../../shell/command.tsx", () => ({
  useCommand: (_: string, told: { onDone: () => undefined }) => {
    command.onDone = told.onDone;
    return { view: { phase: "rest" }, send: (body: { remark: string }) => sent.push(body) };
  },
  CommandState: () => null,
}));

const PROMOTION = { id: "ann_1", title: "First ride" };
const page = pageOfEachTest();

beforeEach(async () => {
  sent.length = 0;
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined }));
  await page.draw(<ApplySheet open close={() => undefined} promotion={PROMOTION as never} />);
});

it.each([
  ["letters", "x"],
  ["emoji", "🪁"],
])(
  "[G2.10-16] a remark of 140 %s is counted as 140 and sent whole, and a 141st is refused",
  async (_of, sign) => {
    await write(sign.repeat(71));
    expect(document.body.textContent).toContain("71/140");
    await write(sign.repeat(140));
    expect(document.body.textContent).toContain("140/140");
    await write(sign.repeat(141));
    expect(remark().value).toBe(sign.repeat(140));
    expect(document.body.textContent).toContain("140/140");
    await act(async () => document.querySelector("form")?.requestSubmit());
    expect(sent).toMatchObject([{ promotionId: "ann_1", remark: sign.repeat(140) }]);
  },
);

it("[G2.10-16] the field itself sets no limit, because a browser would count an emoji as two", () => {
  expect(remark().maxLength).toBe(-1);
});

it("[A9-05] the message that an application was sent shows for 1.5 s", async () => {
  const success = vi.spyOn(notify, "success").mockReturnValue(undefined);
  await act(async () => command.onDone());
  expect(success.mock.calls).toEqual([["activity.sent", 1_500]]);
  success.mockRestore();
});

function remark(): HTMLTextAreaElement {
  const area = document.querySelector("textarea");
  if (area === null) throw new Error("no remark");
  return area;
}

async function write(text: string): Promise<void> {
  const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set;
  await act(async () => {
    set?.call(remark(), text);
    remark().dispatchEvent(new Event("input", { bubbles: true }));
  });
}
