import type { PopupDoor } from "../../shell/popups.ts";
import { SocialPopup } from "./social-popup.tsx";

export default function TelegramPopup(door: PopupDoor) {
  return <SocialPopup {...door} resourceType="TELEGRAM" name="Telegram" />;
}
