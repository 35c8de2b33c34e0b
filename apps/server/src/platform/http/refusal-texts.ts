import type { FieldFaultCode, RefusalCode } from "@perya/contract/refusal";

/** The sentences of every refusal and field fault, a table a language. */
export interface RefusalTexts {
  readonly refusals: Readonly<Record<RefusalCode, readonly [title: string, detail: string]>>;
  /** `{limit}` stands for the bound that was broken. */
  readonly faults: Readonly<Record<FieldFaultCode, string>>;
}

const EN: RefusalTexts = {
  refusals: {
    invalid_input: ["Please check your entries", "Some fields need another look."],
    malformed_body: ["Request not understood", "The request could not be read."],
    stale_payload: ["Please try again", "The request was too old or was already used."],
    not_logged_in: ["Login needed", "You are not logged in, please login first."],
    session_ended: ["Logged out", "The account has been logged out, please log in again."],
    login_failed: ["Login failed", "The username or password is incorrect."],
    bad_signature: ["Signature refused", "The signature of this message is not valid."],
    permission_denied: [
      "Not available",
      "Sorry, this account does not have permission or the feature is temporarily unavailable.",
    ],
    real_account_needed: [
      "Real account needed",
      "Please login an actual account to use this function.",
    ],
    feature_off: ["Not available", "This feature is switched off here."],
    member_blocked: ["Account on hold", "This account cannot bet now. Please contact support."],
    not_found: ["Not found", "What you are looking for is not here."],
    method_not_allowed: ["Not allowed", "This address does not take that method."],
    username_taken: ["Username taken", "Sorry, the username already exists."],
    id_reused: ["Already used", "This request's id was used for something else."],
    insufficient_funds: ["Not enough balance", "Your balance is too low for this amount."],
    round_over: ["Round over", "This round has already ended."],
    bets_closed: ["Bets closed", "Betting for this round has closed. Join the next one."],
    not_flying: ["Not flying", "The kite is not in the air now."],
    already_bet: ["Already in", "You already have a bet in this round."],
    wrong_state: ["Not possible now", "This can no longer be changed."],
    bet_missing: ["No such bet", "There is no bet for this result."],
    rolled_back: ["Bet was cancelled", "This bet was cancelled before it arrived."],
    too_many_open: ["Too many open", "Please finish or wait for your open requests first."],
    captcha_wrong: ["Wrong code", "Verification code error."],
    body_too_large: ["Too large", "The request is larger than allowed."],
    unsupported_media_type: ["Wrong format", "This kind of content is not accepted here."],
    rate_limited: ["Too many tries", "Too many tries. Please wait a moment."],
    internal: ["Unknown error", "Something went wrong on our side. Please try again."],
    provider_unavailable: ["Payment unavailable", "The payment service did not answer. Try again."],
    maintenance: ["Under maintenance", "System upgrading, please try again later."],
    busy: ["Busy", "The system is busy. Nothing was taken twice; please try again."],
  },
  faults: {
    required: "Required",
    wrong_type: "Not the right kind of value",
    bad_format: "The format is incorrect",
    too_short: "At least {limit} characters",
    too_long: "At most {limit} characters",
    too_small: "At least {limit}",
    too_big: "At most {limit}",
    not_multiple: "Must be a multiple of {limit}",
    foreign_currency: "This wallet uses another currency",
    not_allowed: "Not one of the choices",
    unknown_field: "Unknown field",
    mismatch: "Does not match",
    taken: "Already taken",
  },
};

const TY: RefusalTexts = {
  refusals: {
    invalid_input: ["Pakisuri ang inilagay", "May mga kailangang ayusin sa form."],
    malformed_body: ["Hindi mabasa ang request", "Hindi naintindihan ang ipinadala."],
    stale_payload: ["Pakisubukan ulit", "Luma na o nagamit na ang request na ito."],
    not_logged_in: ["Mag-login muna", "Hindi ka naka-login. Mag-login muna."],
    session_ended: ["Na-logout ka na", "Na-logout na ang account. Mag-login ulit."],
    login_failed: ["Hindi maka-login", "Mali ang username o password."],
    bad_signature: ["Tinanggihan ang signature", "Hindi valid ang signature ng mensahe."],
    permission_denied: [
      "Hindi puwede",
      "Walang pahintulot ang account na ito o pansamantalang sarado ang feature.",
    ],
    real_account_needed: [
      "Kailangan ng totoong account",
      "Mag-login gamit ang totoong account para magamit ito.",
    ],
    feature_off: ["Hindi available", "Naka-off ang feature na ito dito."],
    member_blocked: [
      "Naka-hold ang account",
      "Hindi muna makakataya ang account na ito. Kontakin ang support.",
    ],
    not_found: ["Hindi makita", "Wala rito ang hinahanap mo."],
    method_not_allowed: ["Hindi puwede", "Hindi tinatanggap ang method na iyan dito."],
    username_taken: ["May gumagamit na", "Pasensya na, may gumagamit na ng username na iyan."],
    id_reused: ["Nagamit na", "Nagamit na sa iba ang id ng request na ito."],
    insufficient_funds: ["Kulang ang balance", "Kulang ang balance mo para sa halagang ito."],
    round_over: ["Tapos na ang round", "Tapos na ang round na ito."],
    bets_closed: ["Sarado na ang taya", "Sarado na ang taya sa round na ito. Sumali sa susunod."],
    not_flying: ["Hindi lumilipad", "Wala sa ere ang saranggola ngayon."],
    already_bet: ["May taya ka na", "May taya ka na sa round na ito."],
    wrong_state: ["Hindi na puwede", "Hindi na ito mababago."],
    bet_missing: ["Walang ganitong taya", "Walang taya para sa resultang ito."],
    rolled_back: ["Kinansela ang taya", "Nakansela ang taya bago ito dumating."],
    too_many_open: [
      "Marami pang nakabukas",
      "Tapusin o hintayin muna ang mga nakabukas mong request.",
    ],
    captcha_wrong: ["Maling code", "Mali ang verification code."],
    body_too_large: ["Masyadong malaki", "Lampas sa limit ang laki ng request."],
    unsupported_media_type: ["Maling format", "Hindi tinatanggap ang ganitong content dito."],
    rate_limited: ["Sobrang daming subok", "Sobrang daming subok. Maghintay sandali."],
    internal: ["May hindi inaasahang error", "May problema sa amin. Pakisubukan ulit."],
    provider_unavailable: [
      "Hindi makabayad ngayon",
      "Hindi sumagot ang payment service. Subukan ulit.",
    ],
    maintenance: ["Under maintenance", "Ina-upgrade ang system. Subukan ulit mamaya."],
    busy: ["Abala ang system", "Abala ang system. Walang nadobleng kaltas; subukan ulit."],
  },
  faults: {
    required: "Kailangan ito",
    wrong_type: "Maling uri ng value",
    bad_format: "Mali ang format",
    too_short: "Hindi bababa sa {limit} na character",
    too_long: "Hanggang {limit} na character lang",
    too_small: "Hindi bababa sa {limit}",
    too_big: "Hanggang {limit} lang",
    not_multiple: "Dapat multiple ng {limit}",
    foreign_currency: "Ibang currency ang gamit ng wallet na ito",
    not_allowed: "Wala sa mga pagpipilian",
    unknown_field: "Hindi kilalang field",
    mismatch: "Hindi magkatugma",
    taken: "May gumagamit na",
  },
};

/** A language without sentences of its own falls back to English. */
export function refusalTexts(language: string): RefusalTexts {
  return language === "TY" ? TY : EN;
}
