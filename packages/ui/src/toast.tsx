import type { ReactNode } from "react";
import { Toaster as SonnerToaster, toast as sonner } from "sonner";
// The library also writes this sheet into the page at run time; a strict CSP forbids that, so it is
// bundled like any other.
import "sonner/dist/styles.css";
import { ErrorIcon, InfoIcon, SuccessIcon } from "./icon.tsx";
import styles from "./toast.module.css";
import { TOAST_MS } from "./toast-times.tsx";

export interface ToastOptions {
  /** A toast with an id that is already shown is replaced, never stacked. */
  id?: string;
  durationMs?: number | undefined;
  description?: ReactNode;
}

/** Each call returns the toast's id, for `toast.dismiss`. */
export const toast = {
  success: (text: ReactNode, options?: ToastOptions) =>
    sonner.success(text, told(options, TOAST_MS.success)),
  error: (text: ReactNode, options?: ToastOptions) =>
    sonner.error(text, told(options, TOAST_MS.short)),
  info: (text: ReactNode, options?: ToastOptions) =>
    sonner.info(text, told(options, TOAST_MS.short)),
  /** Stays until it is dismissed or its time is up. */
  loading: (text: ReactNode, options?: ToastOptions) => {
    const { duration, ...shown } = told(options, TOAST_MS.loadingMax);
    const id = sonner.loading(text, shown);
    clearTimeout(ends.get(id));
    ends.set(
      id,
      setTimeout(() => toast.dismiss(id), duration),
    );
    return id;
  },
  dismiss: (id: string | number) => {
    clearTimeout(ends.get(id));
    ends.delete(id);
    sonner.dismiss(id);
  },
};

/** The library shows loading toasts forever, whatever their duration. */
const ends = new Map<string | number, ReturnType<typeof setTimeout>>();

/** Exists once in the shell. `label` names the live region. */
export function Toaster({ label, dir }: { label: string; dir?: "ltr" | "rtl" | undefined }) {
  return (
    <SonnerToaster
      containerAriaLabel={label}
      dir={dir ?? "ltr"}
      theme="dark"
      position="top-center"
      offset={{ top: 72 }}
      mobileOffset={{ top: "calc(72px + env(safe-area-inset-top, 0px))", left: 16, right: 16 }}
      visibleToasts={3}
      icons={{
        success: <SuccessIcon size={20} />,
        error: <ErrorIcon size={20} />,
        info: <InfoIcon size={20} />,
      }}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast: styles.toast ?? "",
          description: styles.description ?? "",
        },
      }}
    />
  );
}

function told(options: ToastOptions | undefined, durationMs: number) {
  const { durationMs: asked, ...rest } = options ?? {};
  return { ...rest, duration: asked ?? durationMs };
}
