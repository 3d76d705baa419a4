/** Milliseconds that work may hold the thread before timers and sockets run. */
const SLICE = 5;

/** Does a piece of its work; true: there is more to do now. */
export type Task = () => boolean;

/**
 * Shares the thread between feeds: tasks take turns, piece by piece, and after each slice the event loop runs, so that keepalives are sent
 * on time whatever number of routes is being sent.
 */
export class Scheduler {
  readonly #tasks = new Set<Task>();
  #scheduled = false;

  /** Adding a task that already waits changes nothing. */
  add(task: Task): void {
    this.#tasks.add(task);
    this.#schedule();
  }

  remove(task: Task): void {
    this.#tasks.delete(task);
  }

  #schedule(): void {
    if (this.#scheduled || this.#tasks.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#runSlice();
      this.#schedule();
    });
  }

  #runSlice(): void {
    const end = performance.now() + SLICE;
    for (const task of this.#tasks) {
      // Deleting and adding moves a task to the end of the set, where this same loop finds it: round robin.
      this.#tasks.delete(task);
      if (task()) this.#tasks.add(task);
      if (performance.now() >= end) return;
    }
  }
}
