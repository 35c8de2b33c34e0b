import { useLocation, useNavigate, useRouter } from "@tanstack/react-router";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** This entry was made by opening the list of countries, so closing it is one step back. */
    countryPushed?: boolean;
  }
}

const HASH = "country";

/** The list of countries over a popup stands in the address's hash, so that Back closes it alone. */
export function useCountrySheet() {
  const open = useLocation({ select: ({ hash }) => hash === HASH });
  const navigate = useNavigate();
  const router = useRouter();
  const go = (hash: string, countryPushed: boolean) =>
    void navigate({
      to: ".",
      search: true,
      hash,
      replace: !countryPushed,
      state: (old) => ({ ...old, countryPushed }),
      resetScroll: false,
      hashScrollIntoView: false,
    });
  return {
    open,
    show: () => go(HASH, true),
    close: () => {
      const { hash, state } = router.state.location;
      if (hash !== HASH) return;
      if (state.countryPushed === true) router.history.back();
      else go("", false);
    },
  };
}
