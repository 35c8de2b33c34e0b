import { initializeApp } from "@firebase/app";
import {
  type Auth,
  type ConfirmationResult,
  connectAuthEmulator,
  initializeAuth,
  inMemoryPersistence,
  RecaptchaVerifier,
  signInWithPhoneNumber,
  signOut,
} from "@firebase/auth";
import type { PhoneService } from "@perya/contract/system";
import { SECOND_MS } from "@perya/kernel/instant";
// The server's own library, so that both sides parse a number alike.
import { parsePhoneNumberFromString } from "libphonenumber-js/mobile";
import type { GivenNumber } from "./code-request.ts";
import { confirmFault, NumberRefused, sendFault } from "./outside-faults.ts";

export interface OutsideCode {
  /**
   * The service's proof of the number, by the code; the same code gets the same proof again.
   * @throws the service's refusal, as `confirmFault` translates it
   */
  prove(code: string): Promise<string>;
}

/** A human check that the player dismisses never answers. */
const SEND_MS = 120 * SECOND_MS;

/**
 * Has the service send a code, after its own human check was passed.
 * @param tag BCP 47 of the language of the message and the check
 * @throws the service's refusal, as `sendFault` translates it
 */
export async function sendOutside(
  service: PhoneService,
  { countryDialingCode, mobileNum }: GivenNumber,
  tag: string,
): Promise<OutsideCode> {
  const calling = { defaultCallingCode: countryDialingCode.slice(1) };
  const number = parsePhoneNumberFromString(mobileNum, calling);
  if (number?.isValid() !== true) throw new NumberRefused();
  const auth = authOf(service);
  // The human check knows no longer language names.
  auth.languageCode = tag.split("-")[0] ?? null;
  return codeOf(auth, await sent(auth, number.number));
}

async function sent(auth: Auth, number: string): Promise<ConfirmationResult> {
  const place = document.body.appendChild(document.createElement("div"));
  const human = new RecaptchaVerifier(auth, place, { size: "invisible" });
  let timer: number | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = window.setTimeout(() => fail(new Error("no human check was passed")), SEND_MS);
  });
  try {
    return await Promise.race([signInWithPhoneNumber(auth, number, human), late]);
  } catch (error) {
    throw sendFault(error);
  } finally {
    clearTimeout(timer);
    human.clear();
    place.remove();
  }
}

function codeOf(auth: Auth, sent: ConfirmationResult): OutsideCode {
  let proven: { readonly code: string; readonly word: string } | null = null;
  return {
    async prove(code) {
      // A code is valid once, and a form that was refused for another fault is sent again.
      if (proven?.code === code) return proven.word;
      try {
        const { user } = await sent.confirm(code);
        proven = { code, word: await user.getIdToken() };
        // Nobody stays logged in there: our own session identifies the player.
        await signOut(auth);
        return proven.word;
      } catch (error) {
        throw confirmFault(error);
      }
    },
  };
}

let made: { readonly of: string; readonly auth: Auth } | null = null;

/** One per page, and not kept beyond the page. */
function authOf({ apiKey, address }: PhoneService): Auth {
  const of = `${apiKey} ${address}`;
  if (made?.of !== of) {
    const auth = initializeAuth(initializeApp({ apiKey }, of), {
      persistence: inMemoryPersistence,
    });
    // The library's one way to another address; it then asks for no reCAPTCHA.
    if (address !== null) connectAuthEmulator(auth, address, { disableWarnings: true });
    made = { of, auth };
  }
  return made.auth;
}
