export interface StartSteps {
  setMerchant(): void;
  addAppStyle(): void;
  switchLanguage(): Promise<void>;
  fetchStatus(): Promise<void>;
  /** For a player who asked to be remembered. */
  signIn(): Promise<void>;
  /** The code of the address's own screen: all of it is there when the first render begins. */
  loadScreen(): Promise<void>;
  render(): void;
}

/**
 * The order in which the app starts (specification, accounts §2.1). The first screen reports a
 * status that does not load, because it has a place for it.
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
