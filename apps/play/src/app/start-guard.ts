/**
 * Inlined in the page itself, before its scripts (`build/first-paint.ts`). A page whose scripts do
 * not load, as while two versions serve side by side, reloads by itself, then says so. A style that
 * did not load is removed, so that the next use loads it again.
 */
(() => {
  /** How often this tab has tried in a row. */
  const KEY = "MC_STARTS";
  const TRIES = 2;
  const PAUSE_MS = 1_500;
  /** Both languages at once: the player's own would need a script. */
  const TEXTS = [
    ["fil", "Hindi nabuksan ang app. I-check ang koneksyon mo.", "Subukan ulit"],
    ["en", "The app could not be opened. Check your connection.", "Try again"],
  ] as const;

  const stop = new AbortController();
  const { signal } = stop;
  let failed = false;
  let pause: ReturnType<typeof setTimeout> | undefined;
  let box: HTMLElement | undefined;

  addEventListener(
    "error",
    ({ target }) => {
      if (target instanceof HTMLScriptElement) fail();
      else if (target instanceof HTMLLinkElement && target.rel === "stylesheet") target.remove();
    },
    true,
  );
  // For code that is imported on the way to the first screen.
  addEventListener("vite:preloadError", fail, { signal });
  addEventListener(
    "perya:started",
    () => {
      stop.abort();
      clearTimeout(pause);
      box?.remove();
      count(0);
    },
    { signal },
  );

  function fail(): void {
    if (failed || signal.aborted) return;
    failed = true;
    const tried = triesBefore();
    if (!navigator.onLine || tried >= TRIES) {
      say();
      return;
    }
    pause = setTimeout(() => {
      count(tried + 1);
      location.reload();
    }, PAUSE_MS);
  }

  function say(): void {
    addEventListener("online", () => location.reload(), { signal });
    const made = document.createElement("div");
    made.className = "start-failed";
    made.setAttribute("role", "alert");
    const button = document.createElement("button");
    button.onclick = () => {
      count(0);
      location.reload();
    };
    TEXTS.forEach(([lang, text, again], i) => {
      made.append(worded("p", lang, text));
      if (i > 0) button.append(" · ");
      button.append(worded("span", lang, again));
    });
    made.append(button);
    box = made;
    document.body.append(made);
  }

  function worded(kind: "p" | "span", lang: string, text: string): HTMLElement {
    const made = document.createElement(kind);
    made.lang = lang;
    made.textContent = text;
    return made;
  }

  function triesBefore(): number {
    try {
      return Number(sessionStorage.getItem(KEY));
    } catch {
      // Without storage it might try forever.
      return TRIES;
    }
  }

  function count(tries: number): void {
    try {
      if (tries === 0) sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, String(tries));
    } catch {
      // It was not read either.
    }
  }
})();
