import "@perya/ui/tokens.css";
import "@perya/ui/base.css";
import "@perya/ui/fonts.css";
import "./first-paint.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { router } from "./router.tsx";
import { rememberStatus, seedQueries } from "./shell/boot-data.ts";
import { queryClient } from "./shell/server.ts";
import { followOtherTabs } from "./shell/session.ts";
import { signInAgain } from "./shell/session-start.ts";
import { storedLanguage, switchLanguage } from "./shell/text.ts";

const place = document.getElementById("root");
if (place === null) throw new Error("the page has no #root");

await Promise.all([switchLanguage(storedLanguage()), outlinePainted()]);
seedQueries();
rememberStatus();
followOtherTabs();
await signInAgain();
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);

if ("serviceWorker" in navigator && import.meta.env.PROD) {
  // After everything that the first screen needs.
  const register = () => void navigator.serviceWorker.register("/sw.js");
  if (document.readyState === "complete") register();
  else addEventListener("load", register);
}

/** The outline with its banner is on the screen before the app takes its place. */
function outlinePainted(): Promise<void> {
  if (document.hidden) return Promise.resolve();
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}
