// @vitest-environment jsdom
import { act } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../tests/play/page-of-each-test.tsx";
import { OfflineBanner } from "./offline-banner.tsx";
import ToasterHost from "./toaster-host.tsx";

vi.mock("./text.ts", () => import("../../../../tests/play/texts-as-ids.ts"));

const page = pageOfEachTest();

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined }));
  await page.draw(
    <>
      <OfflineBanner />
      <ToasterHost />
    </>,
  );
});

it("[G9-03] the message that the network is back shows for 1.5 s, and disappears by itself", async () => {
  await act(async () => void dispatchEvent(new Event("online")));
  await pass(0);
  expect(told()).toBe("shell.back_online");
  await pass(1_499);
  expect(told()).toBe("shell.back_online");
  await pass(1);
  expect(told()).toBeUndefined();
});

/** The text of a toast that is not disappearing. */
function told(): string | undefined {
  const shown = document.querySelector('[data-sonner-toast][data-removed="false"]');
  return shown?.textContent?.trim();
}

async function pass(ms: number): Promise<void> {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
  });
}
