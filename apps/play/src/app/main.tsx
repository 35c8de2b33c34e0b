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

/** The status may take so long; after that the first screen reports it as late. In milliseconds. */
const STATUS_WAIT_MAX_MS = 3_000;
/** A screen whose code takes longer, in milliseconds, keeps its placeholder in the shell. */
const SCREEN_WAIT_MAX_MS = 500;

keepInstallPrompt();
if (runMode() === "APP") {
  void import("./native-bridge.ts").then(({ sendLinksOutside }) => sendLinksOutside());
}

const place = document.getElementById("root");
if (place === null) throw new Error("the page has no #root");

/** Waits for the promise, but no longer than so many milliseconds. */
function atMost(waitMs: number, work: Promise<unknown>): Promise<unknown> {
  return Promise.race([work, new Promise((done) => setTimeout(done, waitMs))]);
}

/** Follows the history until the router is mounted and does so itself. */
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
    // A separate function: the router subscribes its own, and the same function twice counts as
    // one.
    unfollow = router.history.subscribe((change) => void router.load(change));
    await atMost(SCREEN_WAIT_MAX_MS, router.load());
  },
  render() {
    const root = createRoot(place);
    // In slices, between which the page stays responsive.
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
