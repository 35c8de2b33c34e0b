import { useSound, type Volume } from "../shell/sound.ts";

/**
 * Every sound is made here from a few sine partials, struck like bamboo: nothing is loaded. Silent
 * until the first gesture on the page, and while the player has the sound off.
 */

/** Semitones above the A of 220 Hz, in the pentatonic that is close to a kulintang's. */
const SCALE = [0, 2, 5, 7, 9, 12, 14, 17, 19, 21, 24, 26, 29] as const;

type Note = readonly [step: number, afterMs: number];

const CUES = {
  tap: [[5, 0]],
  chip: [[9, 0]],
  spin: [
    [2, 0],
    [4, 60],
    [6, 120],
  ],
  stop: [[1, 0]],
  scatter: [
    [8, 0],
    [11, 90],
  ],
  tease: [
    [5, 0],
    [6, 160],
    [7, 320],
    [8, 480],
    [9, 640],
  ],
  win: [
    [5, 0],
    [7, 90],
    [9, 180],
    [10, 270],
  ],
  bigWin: [
    [5, 0],
    [7, 80],
    [8, 160],
    [10, 240],
    [12, 340],
    [10, 460],
    [12, 560],
  ],
  free: [
    [3, 0],
    [5, 110],
    [7, 220],
    [8, 330],
    [10, 440],
    [12, 600],
  ],
  dice: [
    [0, 0],
    [1, 70],
    [0, 130],
    [2, 210],
    [1, 280],
  ],
  rise: [
    [4, 0],
    [6, 80],
    [8, 160],
  ],
  cash: [
    [8, 0],
    [10, 70],
    [12, 140],
  ],
  snap: [
    [2, 0],
    [0, 110],
  ],
} as const satisfies Readonly<Record<string, readonly Note[]>>;
export type Cue = keyof typeof CUES;

interface Mixer {
  readonly context: AudioContext;
  readonly out: Readonly<Record<Volume, GainNode>>;
}

let mixer: Mixer | null = null;
let musicTimer: ReturnType<typeof setTimeout> | null = null;
let listeners = 0;

export function play(cue: Cue, volume: Volume = "effects"): void {
  for (const [step, afterMs] of CUES[cue]) strike(step, afterMs, volume, 0.5);
}

/** Quick rising ticks while a win counts up; `share` 0 to 1. */
export function countTick(share: number): void {
  strike(Math.round(share * (SCALE.length - 1)), 0, "effects", 0.18);
}

/** The announcer of the fair calls a result, in the page's language where a voice for it exists. */
export function announce(text: string): void {
  const { on, voice } = useSound.getState();
  if (!on || voice === 0 || mixer === null || !("speechSynthesis" in window)) return;
  const call = new SpeechSynthesisUtterance(text);
  call.lang = document.documentElement.lang === "fil" ? "fil-PH" : "en-PH";
  call.volume = voice;
  call.rate = 1.1;
  speechSynthesis.cancel();
  speechSynthesis.speak(call);
}

/**
 * Starts the sound with the first gesture and plays a quiet tune while a game is on the page.
 * Returns a function that stops it.
 */
export function startGameSound(): () => void {
  listeners += 1;
  addEventListener("pointerdown", wake, { once: true });
  addEventListener("keydown", wake, { once: true });
  const pause = () => {
    if (document.hidden) void mixer?.context.suspend();
    else void mixer?.context.resume();
  };
  document.addEventListener("visibilitychange", pause);
  const unfollow = useSound.subscribe(setVolumes);
  if (mixer !== null) tune();
  return () => {
    listeners -= 1;
    removeEventListener("pointerdown", wake);
    removeEventListener("keydown", wake);
    document.removeEventListener("visibilitychange", pause);
    unfollow();
    if (listeners > 0) return;
    if (musicTimer !== null) clearTimeout(musicTimer);
    musicTimer = null;
    if ("speechSynthesis" in window) speechSynthesis.cancel();
  };
}

function wake(): void {
  if (mixer === null && "AudioContext" in window) {
    const context = new AudioContext();
    const bus = () => {
      const gain = context.createGain();
      gain.connect(context.destination);
      return gain;
    };
    mixer = { context, out: { music: bus(), effects: bus(), voice: bus() } };
    setVolumes();
  }
  void mixer?.context.resume();
  if (musicTimer === null) tune();
}

function setVolumes(): void {
  if (mixer === null) return;
  const { on, music, effects, voice } = useSound.getState();
  const now = mixer.context.currentTime;
  // Loudness follows the square, so half the slider sounds half as loud.
  const level = (value: number) => (on ? value ** 2 : 0);
  mixer.out.music.gain.setTargetAtTime(level(music), now, 0.05);
  mixer.out.effects.gain.setTargetAtTime(level(effects), now, 0.05);
  mixer.out.voice.gain.setTargetAtTime(level(voice), now, 0.05);
}

/** A mallet on bamboo: the tone, its fourth partial that dies at once, and a soft knock. */
function strike(step: number, afterMs: number, volume: Volume, loudness: number): void {
  if (mixer === null || mixer.context.state !== "running" || !useSound.getState().on) return;
  const { context, out } = mixer;
  const at = context.currentTime + afterMs / 1_000;
  const pitch = 220 * 2 ** ((SCALE[step] ?? 0) / 12);
  const partials = [
    [pitch, loudness, 0.45],
    [pitch * 3.93, loudness * 0.3, 0.09],
    [pitch * 9.2, loudness * 0.08, 0.03],
  ] as const;
  for (const [frequency, level, seconds] of partials) {
    const tone = context.createOscillator();
    const gain = context.createGain();
    tone.frequency.value = frequency;
    gain.gain.setValueAtTime(0.0001, at);
    gain.gain.exponentialRampToValueAtTime(level * 0.5, at + 0.004);
    gain.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
    tone.connect(gain).connect(out[volume]);
    tone.start(at);
    tone.stop(at + seconds + 0.02);
  }
}

/** A slow pattern that never quite repeats: a low note, and now and then an answer above. */
function tune(beat = 0): void {
  const low = [0, 3, 1, 2][Math.floor(beat / 4) % 4] ?? 0;
  if (beat % 4 === 0) strike(low, 0, "music", 0.4);
  else if (Math.random() < 0.45) strike(5 + Math.floor(Math.random() * 5), 0, "music", 0.2);
  musicTimer = setTimeout(() => tune(beat + 1), 340);
}
