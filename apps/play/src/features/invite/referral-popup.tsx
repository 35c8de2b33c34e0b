import { buttonClass } from "@perya/ui/button";
import { FeatureClosed } from "../../parts/page/screen-states.tsx";
import { Art } from "../../parts/pictures/art.tsx";
import { PopupLink } from "../../shell/popup-link.tsx";
import type { PopupProps } from "../../shell/popups.ts";
import { isTrial, useSession } from "../../shell/session.ts";
import { Sheet } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import { useShows } from "../../shell/use-shows.ts";
import { Invitation } from "./invitation.tsx";
import styles from "./referral-popup.module.css";

/** Share and earn over any page; guests learn what it is for (games §2.5). */
export default function ReferralPopup({ open, close }: PopupProps) {
  const { t } = useText();
  const session = useSession((state) => state.session);
  const shows = useShows();
  const real = session !== null && !isTrial(session);
  return (
    <Sheet open={open} close={close} title={t("invite.title")} className={styles.sheet}>
      {real && (shows("/m/inviteFriends") ? <Invitation /> : <FeatureClosed />)}
      {!real && (
        <div className={styles.guest}>
          <Art src="/art/banner/welcome.svg" width={600} height={350} />
          <p>{t("invite.text")}</p>
          <PopupLink pop="register" className={buttonClass({ block: true })}>
            {t("auth.register")}
          </PopupLink>
          {session === null && (
            <PopupLink
              pop="login"
              more={{ next: "/m/inviteFriends" }}
              className={buttonClass({ variant: "secondary", block: true })}
            >
              {t("auth.login")}
            </PopupLink>
          )}
        </div>
      )}
    </Sheet>
  );
}
