import "@perya/ui/tokens.css";
import "@perya/ui/base.css";
import "@perya/ui/fonts.css";
import "./first-paint.css";
import { painted } from "@perya/ui/painted";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, startTransition, useLayoutEffect } from "react";
import { createRoot } from "react-dom/client";
import { keepInstallPrompt } from "../shell/install-prompt.ts";
import { runMode } from "../shell/run-mode.ts";
import { queries, queryClient } from "../shell/server.ts";
import { followOtherTabs, keepSessionOf } from "../shell/session.ts";
import { storedLanguage, switchLanguage } from "../shell/text.ts";
import { bootConfig, keepForNextStart, seedQueries } from "./boot-data.ts";
import { router } from "./router.tsx";
import { signInAgain } from "./session-start.ts";
import { startUp } from "./start-up.ts";
import { applyStyle } from "./theme.ts";

/** A first screen says itself that the status is late, in milliseconds. */
const STATUS_WAIT_MAX_MS = 3_000;
/** A screen whose code is later than this, in milliseconds, keeps its placeholder in the shell. */
const SCREEN_WAIT_MAX_MS = 500;

keepInstallPrompt();
if (runMode() === "APP") {
  void import("./native-bridge.ts").then(({ sendLinksOutside }) => sendLinksOutside());
}

const place = document.getElementById("root");
if (place === null) throw new Error("the page has no #root");

/** The promise, or its first so many milliseconds. */
function atMost(waitMs: number, work: Promise<unknown>): Promise<unknown> {
  return Promise.race([work, new Promise((done) => setTimeout(done, waitMs))]);
}

/** The history is followed here until the router is mounted, which then does. */
let unfollow = () => {};

function Mounted() {
  useLayoutEffect(() => {
    unfollow();
    dispatchEvent(new Event("perya:started"));
  }, []);
  return null;
}

const config = bootConfig();
await startUp({
  setMerchant() {
    if (config.merchantId !== null) keepSessionOf(config.merchantId);
  },
  addAppStyle: () => applyStyle(document.documentElement),
  async switchLanguage() {
    await Promise.all([switchLanguage(storedLanguage() ?? config.defaultLanguage), painted()]);
  },
  async fetchStatus() {
    keepForNextStart();
    seedQueries();
    await atMost(STATUS_WAIT_MAX_MS, queryClient.ensureQueryData(queries.status()));
  },
  async signIn() {
    followOtherTabs();
    await signInAgain();
  },
  async loadScreen() {
    // A function of its own: the router takes itself on, and the same one twice would be one.
    unfollow = router.history.subscribe((change) => void router.load(change));
    await atMost(SCREEN_WAIT_MAX_MS, router.load());
  },
  render() {
    const root = createRoot(place);
    // In slices, between which the page stays alive.
    startTransition(() => {
      root.render(
        <StrictMode>
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router} />
            <Mounted />
          </QueryClientProvider>
        </StrictMode>,
      );
    });
  },
});

if ("serviceWorker" in navigator && import.meta.env.PROD) {
  // After everything that the first screen needs.
  const register = () => void navigator.serviceWorker.register("/sw.js");
  if (document.readyState === "complete") register();
  else addEventListener("load", register);
}
