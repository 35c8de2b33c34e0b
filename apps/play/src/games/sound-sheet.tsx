import { Switch } from "@perya/ui/switch";
import { useId } from "react";
import { Sheet } from "../shell/sheet.tsx";
import { setSound, useSound, VOLUMES, type Volume } from "../shell/sound.ts";
import { type MessageId, useText } from "../shell/text.ts";
import type { SheetProps } from "./info-sheet.tsx";
import styles from "./sheets.module.css";
import { play } from "./sound.ts";

const NAMES: Readonly<Record<Volume, MessageId>> = {
  music: "games.volume_music",
  effects: "games.volume_effects",
  voice: "games.volume_voice",
};

export function SoundSheet({ open, close }: SheetProps) {
  const { t } = useText();
  const sound = useSound();
  return (
    <Sheet open={open} close={close} title={t("games.sound")}>
      <Switch
        label={t("games.sound_on")}
        checked={sound.on}
        onCheckedChange={(on) => setSound({ on })}
      />
      {VOLUMES.map((volume) => (
        <VolumeSlider key={volume} volume={volume} value={sound[volume]} disabled={!sound.on} />
      ))}
    </Sheet>
  );
}

function VolumeSlider(props: { volume: Volume; value: number; disabled: boolean }) {
  const { volume, value, disabled } = props;
  const { t } = useText();
  const id = useId();
  return (
    <div className={styles.volume}>
      <label htmlFor={id}>{t(NAMES[volume])}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={100}
        step={5}
        value={Math.round(value * 100)}
        disabled={disabled}
        onChange={(event) => {
          const level = Number(event.target.value) / 100;
          if (volume === "music") setSound({ music: level });
          else if (volume === "effects") setSound({ effects: level });
          else setSound({ voice: level });
          if (volume === "effects") play("tap");
        }}
      />
    </div>
  );
}
