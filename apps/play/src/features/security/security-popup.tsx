import { ListSkeleton } from "@perya/ui/skeleton";
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, Suspense } from "react";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { lazyPart } from "../../shell/lazy-part.tsx";
import type { PopupProps } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { isTrial, useSession } from "../../shell/session.ts";
import { Sheet } from "../../shell/sheet.tsx";
import { type MessageId, useText } from "../../shell/text.ts";
import { useShows } from "../../shell/use-shows.ts";
import { FreshProofSheet } from "./fresh-proof-sheet.tsx";
import type { SecuritySheet } from "./safety.ts";

export type SheetName = "email" | "mobile" | "totp" | "passkeys" | "external" | "payment";

const SHEETS: Readonly<
  Record<SheetName, { title: MessageId; Content: ComponentType<SecuritySheet> }>
> = {
  email: { title: "security.email", Content: lazyPart(() => import("./email-sheet.tsx")) },
  mobile: { title: "security.mobile", Content: lazyPart(() => import("./mobile-sheet.tsx")) },
  totp: { title: "security.totp", Content: lazyPart(() => import("./totp-sheet.tsx")) },
  passkeys: { title: "security.passkeys", Content: lazyPart(() => import("./passkeys-sheet.tsx")) },
  external: { title: "security.external", Content: lazyPart(() => import("./external-sheet.tsx")) },
  payment: { title: "security.payment", Content: lazyPart(() => import("./payment-sheet.tsx")) },
};

/** Each setting of the security centre, in a sheet of its own over the page. */
export default function SecurityPopup({ open, close, id }: PopupProps) {
  const { t } = useText();
  const real = useSession(({ session }) => session !== null && !isTrial(session));
  const shows = useShows();
  const allowed = real && shows("/m/securityCenter");
  const security = useQuery({ ...screenQueries.security(), enabled: allowed });
  const sheet = isSheetName(id) ? SHEETS[id] : null;
  if (sheet === null || !allowed) return null;
  const { title, Content } = sheet;
  const waiting = <ListSkeleton count={2} label={t("shell.loading")} />;
  return (
    <Sheet open={open} close={close} title={t(title)}>
      {security.isError && security.data === undefined && <QueryFailed query={security} />}
      {security.isPending && waiting}
      {security.data !== undefined && (
        <Suspense fallback={waiting}>
          <Content state={security.data} close={close} />
        </Suspense>
      )}
      <FreshProofSheet />
    </Sheet>
  );
}

function isSheetName(id: string | undefined): id is SheetName {
  return id !== undefined && Object.hasOwn(SHEETS, id);
}
