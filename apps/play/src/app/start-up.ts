/** What happens before the first screen, each when the one before it is done. */
export interface StartSteps {
  setMerchant(): void;
  addAppStyle(): void;
  switchLanguage(): Promise<void>;
  fetchStatus(): Promise<void>;
  /** Of a player who asked to be remembered. */
  signIn(): Promise<void>;
  /** The code of the address's own screen: all of it is there when the first render begins. */
  loadScreen(): Promise<void>;
  render(): void;
}

/**
 * The order in which the app starts (specification, accounts §2.1). A status that does not come
 * is the first screen's matter, which has a place to say so.
 */
export async function startUp(steps: StartSteps): Promise<void> {
  steps.setMerchant();
  steps.addAppStyle();
  await steps.switchLanguage();
  try {
    await steps.fetchStatus();
  } catch (error) {
    console.warn("the status did not come", error);
  }
  await steps.signIn();
  await steps.loadScreen();
  steps.render();
}
