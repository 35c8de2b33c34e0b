import type { PopupDoor } from "../../shell/popups.ts";
import { SocialPopup } from "./social-popup.tsx";

export default function FacebookPopup(door: PopupDoor) {
  return <SocialPopup {...door} resourceType="FACEBOOK" name="Facebook" />;
}
