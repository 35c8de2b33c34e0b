/**
 * The app's shell shows one site and passes all other addresses to the phone's browser
 * (specification, games §7). Each of its two versions has its own bridge.
 */
interface NativeBridges {
  readonly webkit?: {
    readonly messageHandlers?: {
      /** iOS: opens an address in Safari. */
      readonly openInSafari?: { postMessage(url: string): void };
    };
  };
  /** Android: opens an address in the browser of the player's choice. */
  readonly PeryaAndroid?: { openInBrowser(url: string): void };
}

/** Whether a bridge took the address; without one the link works as usual. */
export function openOutside(url: string, bridges: NativeBridges): boolean {
  const safari = bridges.webkit?.messageHandlers?.openInSafari;
  if (safari !== undefined) safari.postMessage(url);
  else if (bridges.PeryaAndroid !== undefined) bridges.PeryaAndroid.openInBrowser(url);
  return safari !== undefined || bridges.PeryaAndroid !== undefined;
}

/** The address outside this site that a tap leads to; null for any other tap. */
function outsideAddress(target: EventTarget | null, origin: string): string | null {
  if (!(target instanceof Element)) return null;
  const href = target.closest("a[href]")?.getAttribute("href");
  if (href === null || href === undefined) return null;
  try {
    const url = new URL(href, origin);
    const leaves = ["https:", "http:", "mailto:", "tel:"].includes(url.protocol);
    return leaves && url.origin !== origin ? url.href : null;
  } catch {
    // A malformed address leads nowhere.
    return null;
  }
}

/** In the app's shell every link to another site goes through its bridge. */
export function sendLinksOutside(): void {
  document.addEventListener(
    "click",
    (event) => {
      const url = outsideAddress(event.target, location.origin);
      // The shell adds its bridge to the window; the DOM library has no type for it.
      if (url !== null && openOutside(url, window as NativeBridges)) event.preventDefault();
    },
    { capture: true },
  );
}
