import type { ReactNode } from "react";
import { useText } from "../../shell/text.ts";

/** The page while it is read: grey shapes in the places of what comes. */
export function WaitingPage({ children }: { readonly children: ReactNode }) {
  const { t } = useText();
  return (
    <div className="page-body" role="status" aria-label={t("shell.loading")}>
      {children}
    </div>
  );
}
