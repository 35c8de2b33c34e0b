import { Button } from "@perya/ui/button";
import { LanguageIcon, PasswordIcon } from "@perya/ui/icon";
import { ListRow } from "@perya/ui/list-row";
import { Switch } from "@perya/ui/switch";
import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { languageName } from "../../shell/languages.ts";
import { usePopups } from "../../shell/popups.ts";
import { useSession } from "../../shell/session.ts";
import { setSound, useSound, VOLUMES, type Volume } from "../../shell/sound.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { useGatedLink } from "../../shell/use-gate.ts";
import styles from "./member.module.css";

const VOLUME_LABELS: Readonly<Record<Volume, MessageId>> = {
  music: "member.volume_music",
  effects: "member.volume_effects",
  voice: "member.volume_voice",
};

export default function SettingsScreen() {
  const { t, language } = useText();
  const popups = usePopups();
  const loggedIn = useSession(({ session }) => session !== null);
  const gated = useGatedLink();
  const sound = useSound();
  return (
    <div className="page-body">
      <div className={styles.menu}>
        <ListRow
          leading={<PasswordIcon size={20} />}
          title={t("auth.change_password")}
          link={(props) =>
            loggedIn ? (
              <Link
                to="/m/changePsw"
                {...props}
                {...gated({ to: "/m/changePsw", gate: "unlessTrial" })}
              />
            ) : (
              <Link to="/m/login" {...props} />
            )
          }
        />
        <ListRow
          leading={<LanguageIcon size={20} />}
          title={t("shell.language")}
          detail={languageName(language)}
          onClick={() => popups.open("language")}
        />
      </div>
      <section className={styles.card} aria-label={t("member.sound")}>
        <Switch
          label={t("member.sound")}
          hint={t("member.sound_hint")}
          checked={sound.on}
          onCheckedChange={(on) => setSound({ on })}
        />
        {VOLUMES.map((name) => (
          <VolumeSlider key={name} name={name} />
        ))}
      </section>
      {loggedIn && (
        <Button variant="secondary" block onClick={() => popups.open("signout")}>
          {t("member.sign_out")}
        </Button>
      )}
    </div>
  );
}

function VolumeSlider({ name }: { name: Volume }) {
  const { t } = useText();
  const id = useId();
  const { on, [name]: volume } = useSound();
  return (
    <div className={styles.volume}>
      <label htmlFor={id}>{t(VOLUME_LABELS[name])}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={100}
        step={10}
        value={Math.round(volume * 100)}
        disabled={!on}
        onChange={(event) => setSound({ [name]: Number(event.target.value) / 100 })}
      />
    </div>
  );
}
