import { create } from "zustand";
import type { toast as Toast, ToastOptions } from "./toast.tsx";

/** The toast library loads with the first toast, not with the first screen. */
export const useToastsWanted = create<boolean>(() => false);

let toasterIsUp: (toast: typeof Toast) => void = () => undefined;
const toaster = new Promise<typeof Toast>((resolve) => {
  toasterIsUp = resolve;
});

/** Called by the toaster once it is on the page; it then shows earlier messages. */
export function toasterMounted(toast: typeof Toast): void {
  toasterIsUp(toast);
}

/** Its code failed to load: the next toast loads it again, and shows waiting messages too. */
export function toasterFailed(): void {
  useToastsWanted.setState(false, true);
}

type Kind = "success" | "error" | "info" | "loading";

function say(kind: Kind, text: string | (() => string), options: ToastOptions): void {
  useToastsWanted.setState(true, true);
  void toaster.then((toast) => toast[kind](typeof text === "string" ? text : text(), options));
}

/** Toasts of the same id replace each other. */
export const notify = {
  success: (text: string, durationMs?: number) => say("success", text, { durationMs }),
  error: (text: string | (() => string), id?: string, durationMs?: number) =>
    say("error", text, id === undefined ? { durationMs } : { id, durationMs }),
  info: (text: string, durationMs?: number) => say("info", text, { durationMs }),
  /** Stays until it is dismissed, or for the given time. */
  loading: (text: string, id: string, durationMs?: number) =>
    say("loading", text, { id, durationMs }),
  dismiss: (id: string) => void toaster.then((toast) => toast.dismiss(id)),
};
