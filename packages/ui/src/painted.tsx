/** Once what was last changed is on the screen; at once where nothing is shown. */
export function painted(): Promise<void> {
  if (document.hidden) return Promise.resolve();
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}
