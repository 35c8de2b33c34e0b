import type { PopupDoor } from "../../shell/popup-host.tsx";
import { SocialPopup } from "./social-popup.tsx";

export default function TelegramPopup(door: PopupDoor) {
  return <SocialPopup {...door} resourceType="TELEGRAM" name="Telegram" />;
}
