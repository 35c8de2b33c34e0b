import type { PopupProps } from "../../shell/popups.ts";
import { SocialPopup } from "./social-popup.tsx";

export default function FacebookPopup(props: PopupProps) {
  return <SocialPopup {...props} resourceType="FACEBOOK" name="Facebook" />;
}
