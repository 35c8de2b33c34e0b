import { parsed, readStorage, writeStorage } from "@perya/client/browser-storage";
import { create } from "zustand";

const STORAGE_KEY = "MC_SOUND";

export const VOLUMES = ["music", "effects", "voice"] as const;
export type Volume = (typeof VOLUMES)[number];

export interface SoundSettings {
  readonly on: boolean;
  /** 0 to 1 each. */
  readonly music: number;
  readonly effects: number;
  readonly voice: number;
}

const INITIAL: SoundSettings = { on: true, music: 0.4, effects: 0.8, voice: 0.8 };

/** The player's choice; games read it and play nothing before the first gesture. */
export const useSound = create<SoundSettings>(readStored);

export function setSound(change: Partial<SoundSettings>): void {
  useSound.setState(change);
  const { on, music, effects, voice } = useSound.getState();
  writeStorage("localStorage", STORAGE_KEY, JSON.stringify({ on, music, effects, voice }));
}

function readStored(): SoundSettings {
  const value = parsed(readStorage("localStorage", STORAGE_KEY));
  if (typeof value !== "object" || value === null) return INITIAL;
  const volume = (name: Volume) => {
    const given: unknown = Reflect.get(value, name);
    return typeof given === "number" && given >= 0 && given <= 1 ? given : INITIAL[name];
  };
  return {
    on: Reflect.get(value, "on") !== false,
    music: volume("music"),
    effects: volume("effects"),
    voice: volume("voice"),
  };
}
