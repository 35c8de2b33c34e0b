import type { PopupProps } from "../../shell/popups.ts";
import { Sheet } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import { InstallPanel } from "./install-panel.tsx";

export default function DownloadPopup({ open, close }: PopupProps) {
  const { t } = useText();
  return (
    <Sheet open={open} close={close} title={t("app.title")} titleHidden>
      <InstallPanel />
    </Sheet>
  );
}
