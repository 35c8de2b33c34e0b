import "@perya/ui/tokens.css";
import "@perya/ui/base.css";
import "@perya/ui/fonts.css";
import "./first-paint.css";
import { painted } from "@perya/ui/painted";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { router } from "./router.tsx";
import { bootConfig, keepForNextStart, seedQueries } from "./shell/boot-data.ts";
import { keepInstallPrompt } from "./shell/install-prompt.ts";
import { runMode } from "./shell/run-mode.ts";
import { queries, queryClient } from "./shell/server.ts";
import { followOtherTabs, keepSessionOf } from "./shell/session.ts";
import { signInAgain } from "./shell/session-start.ts";
import { startUp } from "./shell/start-up.ts";
import { storedLanguage, switchLanguage } from "./shell/text.ts";
import { applyStyle } from "./shell/theme.ts";

/** A first screen says itself that the status is late, in milliseconds. */
const STATUS_WAIT_MAX_MS = 3_000;

keepInstallPrompt();
if (runMode() === "APP") {
  void import("./shell/native-bridge.ts").then(({ sendLinksOutside }) => sendLinksOutside());
}

const place = document.getElementById("root");
if (place === null) throw new Error("the page has no #root");

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
    seedQueries();
    keepForNextStart();
    const enough = new Promise((done) => setTimeout(done, STATUS_WAIT_MAX_MS));
    await Promise.race([queryClient.ensureQueryData(queries.status()), enough]);
  },
  async signIn() {
    followOtherTabs();
    await signInAgain();
  },
  render() {
    createRoot(place).render(
      <StrictMode>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </StrictMode>,
    );
  },
});

if ("serviceWorker" in navigator && import.meta.env.PROD) {
  // After everything that the first screen needs.
  const register = () => void navigator.serviceWorker.register("/sw.js");
  if (document.readyState === "complete") register();
  else addEventListener("load", register);
}
