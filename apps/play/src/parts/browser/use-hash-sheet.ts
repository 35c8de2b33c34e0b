import { useLocation, useNavigate, useRouter } from "@tanstack/react-router";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** Opening a sheet made this entry, so closing it is one step back. */
    sheetPushed?: boolean;
  }
}

export interface HashSheets<Name extends string> {
  readonly sheet: Name | null;
  /** Opens a sheet, in place of another that is open. */
  open(sheet: Name): void;
  close(): void;
}

/** The open sheet is in the address's hash, so that Back closes it alone. */
export function useHashSheets<Name extends string>(names: readonly Name[]): HashSheets<Name> {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const router = useRouter();
  const nameOf = (text: string) => names.find((one) => one === text) ?? null;
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
    sheet: nameOf(hash),
    open: (sheet) => {
      const { hash: open, state } = router.state.location;
      const replaces = nameOf(open) !== null;
      go(sheet, { replace: replaces, sheetPushed: !replaces || state.sheetPushed === true });
    },
    close: () => {
      const { hash: open, state } = router.state.location;
      if (nameOf(open) === null) return;
      if (state.sheetPushed === true) router.history.back();
      else go("", { replace: true, sheetPushed: false });
    },
  };
}

/** The only sheet of its place. */
export function useHashSheet(name: string) {
  const { sheet, open, close } = useHashSheets([name]);
  return { open: sheet !== null, show: () => open(name), close };
}
