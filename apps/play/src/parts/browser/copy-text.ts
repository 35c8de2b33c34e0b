import { notify } from "@perya/ui/notify";
import { TOAST_MS } from "@perya/ui/toast-times";
import { textOf } from "../../shell/text.ts";

/** Copies a text to the clipboard and says so; a browser may forbid it. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify.success(textOf("shell.copy_success"), TOAST_MS.copied);
  } catch {
    notify.error(() => textOf("error.copy_failed"), "copy");
  }
}
