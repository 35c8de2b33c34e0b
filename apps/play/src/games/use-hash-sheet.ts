import { useLocation, useNavigate, useRouter } from "@tanstack/react-router";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** This entry was made by opening a game's sheet, so closing it is one step back. */
    sheetPushed?: boolean;
  }
}

const GAME_SHEETS = ["info", "history", "sound", "stake", "auto", "funds", "road"] as const;
export type GameSheet = (typeof GAME_SHEETS)[number];

export interface HashSheet {
  readonly sheet: GameSheet | null;
  open(sheet: GameSheet): void;
  close(): void;
}

/** Which sheet of a game is open stands in the address's hash, so that Back closes it. */
export function useHashSheet(): HashSheet {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const router = useRouter();
  const go = (to: string, options: { replace: boolean; sheetPushed: boolean }) =>
    void navigate({
      to: ".",
      search: true,
      hash: to,
      replace: options.replace,
      state: (old) => ({ ...old, sheetPushed: options.sheetPushed }),
      resetScroll: false,
      hashScrollIntoView: false,
    });
  return {
    sheet: GAME_SHEETS.find((one) => one === hash) ?? null,
    open: (sheet) => {
      const { hash: open, state } = router.state.location;
      const replaces = GAME_SHEETS.some((one) => one === open);
      go(sheet, { replace: replaces, sheetPushed: !replaces || state.sheetPushed === true });
    },
    close: () => {
      const { hash: open, state } = router.state.location;
      if (!GAME_SHEETS.some((one) => one === open)) return;
      if (state.sheetPushed === true) router.history.back();
      else go("", { replace: true, sheetPushed: false });
    },
  };
}
