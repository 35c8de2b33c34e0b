import { Button } from "@perya/ui/button";
import { AutoIcon, FullScreenIcon, InstallIcon, OfflineIcon, SuccessIcon } from "@perya/ui/icon";
import { Segmented } from "@perya/ui/segmented";
import { useState } from "react";
import { runsInBrowser, useInstall } from "../../shell/install-prompt.ts";
import { useBrand } from "../../shell/page-head.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import styles from "./install-panel.module.css";

type Phone = "android" | "ios";

/** How to install by hand, where the browser does not ask by itself. */
const STEPS: Readonly<Record<Phone, readonly MessageId[]>> = {
  android: ["app.android_open", "app.android_menu", "app.android_install"],
  ios: ["app.ios_open", "app.ios_share", "app.ios_add"],
};

const GAINS = [
  { text: "app.gain_screen", Icon: FullScreenIcon },
  { text: "app.gain_start", Icon: AutoIcon },
  { text: "app.gain_signal", Icon: OfflineIcon },
] as const;

/** What the app is good for and how to install it; for the screen and the popup. */
export function InstallPanel() {
  const { t } = useText();
  const install = useInstall();
  const [phone, setPhone] = useState<Phone>(phoneOf(navigator.userAgent));
  const brand = useBrand();
  return (
    <div className={styles.panel}>
      <div className={styles.head}>
        <img src="/icons/icon-192.png" alt="" width={88} height={88} />
        <h2>{t("app.heading", { brand })}</h2>
        <p>{t("app.text")}</p>
      </div>
      <ul className={styles.gains}>
        {GAINS.map(({ text, Icon }) => (
          <li key={text}>
            <Icon size={20} />
            {t(text)}
          </li>
        ))}
      </ul>
      {!runsInBrowser() ? (
        <p className={styles.done} role="status">
          <SuccessIcon size={20} />
          {t("app.installed")}
        </p>
      ) : (
        <>
          {install !== null && (
            <Button
              size="lg"
              block
              glow
              icon={<InstallIcon size={20} />}
              onClick={() => void install()}
            >
              {t("app.install")}
            </Button>
          )}
          <section className={styles.steps} aria-label={t("app.by_hand")}>
            <h3>{t("app.by_hand")}</h3>
            <Segmented
              label={t("app.phone")}
              value={phone}
              choices={[
                { value: "android", label: "Android" },
                { value: "ios", label: "iPhone · iPad" },
              ]}
              onValueChange={setPhone}
            />
            <ol>
              {STEPS[phone].map((step) => (
                <li key={step}>{t(step, { brand })}</li>
              ))}
            </ol>
          </section>
        </>
      )}
    </div>
  );
}

function phoneOf(userAgent: string): Phone {
  return /iPhone|iPad|iPod/.test(userAgent) ? "ios" : "android";
}
