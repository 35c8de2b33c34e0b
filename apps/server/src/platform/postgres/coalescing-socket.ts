import { Socket } from "node:net";

/**
 * A socket that sends what was written in one turn of the event loop as one packet. The driver
 * corks each statement by itself; in a pipeline of eight that is eight system calls, and the
 * server's process is woken eight times.
 */
export class CoalescingSocket extends Socket {
  #turn = false;

  override cork(): void {
    super.cork();
    if (this.#turn) return;
    this.#turn = true;
    super.cork();
    process.nextTick(() => {
      this.#turn = false;
      super.uncork();
    });
  }
}
