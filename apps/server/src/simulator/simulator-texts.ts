/** The texts of the simulated vendors' pages; a vendor has its own, as a real one would. */
const EN = {
  note: "Simulated provider: every game here is one and the same wheel, with its odds printed on it.",
  balance: "Balance",
  stake: "Stake",
  spin: "Spin",
  wheel: "Wheel of 20 equal slots",
  won: (amount: string, pays: number) => `×${pays}. You won ${amount}`,
  lost: "No win this time",
  paying: "You won. Your winnings are on their way.",
  cancelling: "The house did not answer. Your stake is on its way back.",
  voided: "This spin was cancelled and your stake came back.",
  odds: "Odds",
  pays: "Pays",
  chance: "Slots of 20",
  nothing: "nothing",
  returns: (percent: string) => `Return to player: ${percent}%, counted from the slots.`,
  history: "Your latest spins",
  none: "No spins yet",
  lobby: "Choose a game",
  back: "All games",
  from: (amount: string) => `from ${amount}`,
  gone: "This game has closed",
  goneText: "Go back and open it again.",
  state: {
    betting: "under way",
    paying: "paying",
    cancelling: "being cancelled",
    done: "",
    refused: "not taken",
    voided: "stake returned",
  },
  refusals: {
    insufficient_funds: "Your balance is too low for this stake.",
    member_blocked: "Your account cannot bet now.",
    session_ended: "Your log-in has ended. Log in and open the game again.",
    maintenance: "This game is under maintenance.",
    real_account_needed: "This game needs a real account.",
  },
  refused: "The bet was not taken.",
};

export type SimulatorTexts = typeof EN;

const FIL: SimulatorTexts = {
  note: "Simulated na provider: iisang gulong ang lahat ng laro rito, at nakasulat ang mga tsansa.",
  balance: "Balance",
  stake: "Taya",
  spin: "Paikutin",
  wheel: "Gulong na may 20 pantay na puwesto",
  won: (amount, pays) => `×${pays}. Nanalo ka ng ${amount}`,
  lost: "Walang panalo ngayon",
  paying: "Panalo ka! Parating na ang napanalunan mo.",
  cancelling: "Hindi sumagot ang house. Pabalik na ang taya mo.",
  voided: "Kinansela ang ikot at ibinalik ang taya mo.",
  odds: "Mga tsansa",
  pays: "Bayad",
  chance: "Puwesto sa 20",
  nothing: "wala",
  returns: (percent) => `Balik sa manlalaro: ${percent}%, ayon sa bilang ng puwesto.`,
  history: "Mga huling ikot mo",
  none: "Wala ka pang ikot",
  lobby: "Pumili ng laro",
  back: "Lahat ng laro",
  from: (amount) => `mula ${amount}`,
  gone: "Sarado na ang larong ito",
  goneText: "Bumalik at buksan ulit.",
  state: {
    betting: "umiikot pa",
    paying: "binabayaran",
    cancelling: "kinakansela",
    done: "",
    refused: "hindi natuloy",
    voided: "ibinalik ang taya",
  },
  refusals: {
    insufficient_funds: "Kulang ang balance mo para sa tayang ito.",
    member_blocked: "Hindi muna makakataya ang account mo.",
    session_ended: "Tapos na ang login mo. Mag-login at buksan ulit ang laro.",
    maintenance: "Under maintenance ang larong ito.",
    real_account_needed: "Totoong account ang kailangan sa larong ito.",
  },
  refused: "Hindi natuloy ang taya.",
};

/** @param language the product's code of the language in which the game was launched */
export function simulatorTexts(language: string): SimulatorTexts {
  return language === "TY" ? FIL : EN;
}
