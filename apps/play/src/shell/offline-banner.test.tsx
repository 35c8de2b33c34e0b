// @vitest-environment jsdom
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { OfflineBanner } from "./offline-banner.tsx";
import ToasterHost from "./toaster-host.tsx";

// The build makes the catalogues of texts.
vi.mock("./text.ts", () => ({
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id }),
}));

let root: Root;

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined }));
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <>
        <OfflineBanner />
        <ToasterHost />
      </>,
    ),
  );
});

afterEach(async () => {
  await act(async () => root.unmount());
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.unstubAllGlobals();
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
