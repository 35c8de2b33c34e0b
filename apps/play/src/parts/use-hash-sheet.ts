import { useLocation, useNavigate, useRouter } from "@tanstack/react-router";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** This entry was made by opening a sheet over a popup, so closing it is one step back. */
    sheetPushed?: boolean;
  }
}

/** A sheet that lies over a popup stands in the address's hash, so that Back closes it alone. */
export function useHashSheet(name: string) {
  const open = useLocation({ select: ({ hash }) => hash === name });
  const navigate = useNavigate();
  const router = useRouter();
  const go = (hash: string, sheetPushed: boolean) =>
    void navigate({
      to: ".",
      search: true,
      hash,
      replace: !sheetPushed,
      state: (old) => ({ ...old, sheetPushed }),
      resetScroll: false,
      hashScrollIntoView: false,
    });
  return {
    open,
    show: () => go(name, true),
    close: () => {
      const { hash, state } = router.state.location;
      if (hash !== name) return;
      if (state.sheetPushed === true) router.history.back();
      else go("", false);
    },
  };
}
