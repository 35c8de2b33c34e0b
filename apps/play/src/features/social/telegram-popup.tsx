import type { PopupProps } from "../../shell/popups.ts";
import { SocialPopup } from "./social-popup.tsx";

export default function TelegramPopup(props: PopupProps) {
  return <SocialPopup {...props} resourceType="TELEGRAM" name="Telegram" />;
}
