/** Does what arrives one at a time and in the order of arrival, also where some of it takes long. */
export class Inbox {
  readonly #tasks: (() => Promise<void> | undefined)[] = [];
  #busy = false;

  /** Add a task; it must not throw. Without anything before it, it is done at once. */
  add(task: () => Promise<void> | undefined): void {
    this.#tasks.push(task);
    if (!this.#busy) this.#work();
  }

  #work(): void {
    this.#busy = true;
    for (let task = this.#tasks.shift(); task !== undefined; task = this.#tasks.shift()) {
      const rest = task();
      if (rest !== undefined) {
        void rest.then(() => this.#work());
        return;
      }
    }
    this.#busy = false;
  }
}
