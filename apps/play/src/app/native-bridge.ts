/**
 * The app's shell shows one site; whatever leads elsewhere it hands to the phone's browser
 * (specification, games §7). Each of its two makes has a bridge of its own.
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

/** Whether a bridge took the address; without one the link does what a link does. */
export function openOutside(url: string, bridges: NativeBridges): boolean {
  const safari = bridges.webkit?.messageHandlers?.openInSafari;
  if (safari !== undefined) safari.postMessage(url);
  else if (bridges.PeryaAndroid !== undefined) bridges.PeryaAndroid.openInBrowser(url);
  return safari !== undefined || bridges.PeryaAndroid !== undefined;
}

/** The address that a tap leads to outside of this site; null for any other tap. */
function outsideAddress(target: EventTarget | null, origin: string): string | null {
  if (!(target instanceof Element)) return null;
  const href = target.closest("a[href]")?.getAttribute("href");
  if (href === null || href === undefined) return null;
  try {
    const url = new URL(href, origin);
    const leaves = ["https:", "http:", "mailto:", "tel:"].includes(url.protocol);
    return leaves && url.origin !== origin ? url.href : null;
  } catch {
    // No address at all leads nowhere.
    return null;
  }
}

/** In the app's shell every link to another site goes through its bridge, wherever it stands. */
export function sendLinksOutside(): void {
  document.addEventListener(
    "click",
    (event) => {
      const url = outsideAddress(event.target, location.origin);
      // The shell adds its bridge to the window, of which the DOM library knows nothing.
      if (url !== null && openOutside(url, window as NativeBridges)) event.preventDefault();
    },
    { capture: true },
  );
}
