/**
 * Notices a peer that has fallen silent: browsers do not, for minutes.
 *
 * After a whole period of silence `ask` shall make the peer say something; after another one `dead`
 * is called. A period that the machine has slept through counts as one.
 */
export class Watchdog {
  readonly #timer: ReturnType<typeof setInterval>;
  #silent = 0;

  constructor(periodMs: number, ask: () => void, dead: () => void) {
    this.#timer = setInterval(() => {
      this.#silent += 1;
      if (this.#silent === 2) ask();
      if (this.#silent === 3) dead();
    }, periodMs);
  }

  /** The peer said something. */
  heard(): void {
    this.#silent = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
