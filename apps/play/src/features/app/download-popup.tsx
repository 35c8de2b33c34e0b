import { Sheet } from "@perya/ui/sheet";
import type { PopupDoor } from "../../shell/popups.ts";
import { useText } from "../../shell/text.ts";
import { InstallPanel } from "./install-panel.tsx";

/** The download promotion, over any page. */
export default function DownloadPopup({ open, close }: PopupDoor) {
  const { t } = useText();
  return (
    <Sheet
      open={open}
      onOpenChange={close}
      title={t("app.title")}
      closeLabel={t("shell.close")}
      titleHidden
    >
      <InstallPanel />
    </Sheet>
  );
}
